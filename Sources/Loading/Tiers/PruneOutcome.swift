package import HealthModel

/// What `hk2pg prune` is to do.
package struct PruneRequest: Sendable, Equatable {
  /// Local days before today whose rows stay; `--older-than 30d` keeps the 30th whole.
  package var keptDays: Int
  /// Say what would be deleted, and write nothing.
  package var isDryRun: Bool
  package var now: Instant
  /// So many rows are deleted in one transaction: others can write in between.
  package var rowsPerBatch = 100_000

  package init(keptDays: Int, isDryRun: Bool, now: Instant) {
    self.keptDays = keptDays
    self.isDryRun = isDryRun
    self.now = now
  }
}

/// What `hk2pg prune` did, or would do.
package struct PruneOutcome: Sendable, Equatable {
  package var isDryRun = false
  package var zone = ""
  /// Rows of days before this local day were looked at. nil: the user has no zone, so hk2pg never wrote for them.
  package var firstKeptDay: CivilDay?
  /// The day of the newest export comes before the limit asked for: from then on the tables show raw rows.
  package var isLimitedByExport = false
  /// Types that lost rows, in byte order.
  package var types: [PrunedType] = []
  /// Days that were left alone although they have rows of ours, by type and day.
  package var skipped: [SkippedDay] = []
  /// About what the deleted rows take with their index entries.
  package var reusableBytes: Int64 = 0
  /// The published table, as a name for VACUUM; nil when there is none.
  package var table: String?
  /// Transactions that have deleted rows.
  var batches = 0
  /// VACUUM has run, so the space can be used for new rows.
  package var isVacuumed = false

  package var rows: Int { types.reduce(0) { $0 + $1.rows } }

  package init() {}
}

package struct PrunedType: Sendable, Equatable {
  package var metricType: String
  package var rows: Int
  package var days: Int

  package init(metricType: String, rows: Int, days: Int) {
    self.metricType = metricType
    self.rows = rows
    self.days = days
  }
}

package struct SkippedDay: Sendable, Equatable {
  package enum Reason: String, Sendable {
    /// There is no summary.
    case noSummary = "no_summary"
    /// The summary is not what the raw rows give.
    case differs
    /// A row of the day is in no summary: its unit does not convert, it has no number, or an unknown state.
    case leftOutRows = "left_out_rows"
    /// Rows came or changed again and again while prune ran.
    case changing
  }

  package var metricType: String
  package var day: CivilDay
  package var reason: Reason
  /// Rows of ours that start on it.
  package var rows: Int

  package init(metricType: String, day: CivilDay, reason: Reason, rows: Int) {
    self.metricType = metricType
    self.day = day
    self.reason = reason
    self.rows = rows
  }
}
