package import HealthModel
package import Loading

/// When two sides count as equal, though a row differs.
package struct VerifyRules: Sendable {
  package enum Kind: Sendable {
    /// Both sides hold the same rows.
    case exact
    /// The database holds all rows of the other side, and maybe more: after a migration.
    case contained
    /// The database holds what imports of this export and of others would leave there.
    case export
  }

  package var kind: Kind
  /// Of the database: an import or a migration brings back no row of these.
  package var pruned = PrunedDays()
  /// Raw rows before it are withheld by `--raw-window`.
  package var windowStart: Instant?
  /// A newer export was imported since: it is the truth.
  package var isOlder = false
  /// The target of a migration knows of a newer export than the source: daily summaries follow it.
  package var hasNewerSummaries = false

  package init(_ kind: Kind) { self.kind = kind }
}

/// Why rows that differ are no fault. The raw value is for JSON.
package enum VerifyReason: String, Sendable, CaseIterable {
  /// The same sample under another id: live on one side, imported on the other.
  case otherID = "same_sample_under_another_id"
  /// Equal to six digits.
  case rounded
  /// Raw rows of pruned days.
  case pruned
  /// Raw rows before the raw window.
  case rawWindow = "raw_window"
  /// Another program's row stands for the sample.
  case live = "live_row_stands_for_it"
  /// Rows of other programs, which an export does not know.
  case liveRow = "row_of_another_program"
  /// History that the export lacks and an import keeps.
  case kept = "kept_history"
  /// What a newer export has changed or removed.
  case newerExport = "newer_export"
  /// Rows that the target of a migration had besides.
  case additional
  /// Summaries of days whose raw rows differ for one of these reasons.
  case summary = "summary_of_such_a_day"
  /// Summaries that count more samples than the source's, and so stay (DESIGN §4.6).
  case fullerSummary = "summary_of_more_samples"
  /// Facts of both sides in one row of the schema `hk2pg`.
  case merged
  /// Imports that one side has seen and the other has not.
  case ledger
}
