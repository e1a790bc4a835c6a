/// What a comparison found. "Left" is the reference: the export, the folder, the other database.
package struct VerifyOutcome: Sendable {
  package struct Group: Sendable {
    package var table: String
    package var metricType: String
    /// First day of the month, `2024-05-01`.
    package var month: String
    package var left: GroupDigest
    package var right: GroupDigest
    package var isEqual: Bool
  }

  /// Rows of one type and day that differ without a good reason. Raw rows: day in UTC; summaries: their local day.
  package struct Day: Sendable, Equatable {
    package var table: String
    package var metricType: String
    package var day: String
    /// In the reference only.
    package var missing = 0
    /// In the database only.
    package var extra = 0
    package var changed = 0

    package var total: Int { missing + extra + changed }
  }

  /// A table of the schema `hk2pg`.
  package struct Table: Sendable, Equatable {
    package var table: String
    package var leftRows: Int
    package var rightRows: Int
    package var missing: Int
    package var extra: Int
  }

  package var groups: [Group] = []
  package var days: [Day] = []
  package var tables: [Table] = []
  package var explained: [VerifyReason: Int] = [:]

  package init() {}

  package var isEqual: Bool { days.isEmpty && tables.allSatisfy { $0.missing == 0 && $0.extra == 0 } }

  mutating func explain(_ reason: VerifyReason, _ count: Int = 1) {
    if count > 0 { explained[reason, default: 0] += count }
  }

  package mutating func add(_ other: VerifyOutcome) {
    groups += other.groups
    days += other.days
    tables += other.tables
    explained.merge(other.explained, uniquingKeysWith: +)
  }
}
