/// What bringing a user's archived rows into a database came to.
package struct ArchiveOutcome: Codable, Sendable, Equatable {
  package var importID = 0
  package var rows = Rows()
  package var summaries = Summaries()
  /// Rows added to the tables of the schema `hk2pg`, by name.
  package var ownTables: [String: Int] = [:]

  /// copied = new + changed + same + kept + twins + withheld + unplaced.
  package struct Rows: Codable, Sendable, Equatable {
    package var copied = 0
    package var new = 0
    /// Rows of hk2pg that the source has written later.
    package var changed = 0
    /// Rows that are there already, as they are.
    package var same = 0
    /// Rows that are there with something else in them, and stay so: another program's, or written later.
    package var kept = 0
    /// Samples that are there under another id: read by another program on one side, imported on the other.
    package var twins = 0
    /// Rows of days that were pruned at the target.
    package var withheld = 0
    /// Rows whose id belongs to another user there, or whose second is full.
    package var unplaced = 0
    /// Of the new ones: stored microseconds later than at the source, where another row had the place.
    package var moved = 0

    package init() {}

    package var isBalanced: Bool { copied == new + changed + same + kept + twins + withheld + unplaced }

    package mutating func add(_ other: Rows) {
      copied += other.copied
      new += other.new
      changed += other.changed
      same += other.same
      kept += other.kept
      twins += other.twins
      withheld += other.withheld
      unplaced += other.unplaced
      moved += other.moved
    }
  }

  package struct Summaries: Codable, Sendable, Equatable {
    package var written = 0
    package var same = 0
    /// Another summary of the day is there, and stays: another program's, of more samples, or of a newer export.
    package var kept = 0

    package init() {}

    package mutating func add(_ other: Summaries) {
      written += other.written
      same += other.same
      kept += other.kept
    }
  }

  package init() {}

  /// Sums up what several passes did.
  package mutating func add(_ other: ArchiveOutcome) {
    importID = other.importID
    rows.add(other.rows)
    summaries.add(other.summaries)
    ownTables.merge(other.ownTables, uniquingKeysWith: +)
  }

  package var hasWritten: Bool {
    rows.new + rows.changed + summaries.written > 0 || ownTables.values.contains { $0 > 0 }
  }
}
