package import HealthModel

/// What the flow tells while it runs; renderers (bar, lines, JSON) make text of it. Sent from several threads.
package enum ProgressEvent: Sendable {
  /// A phase begins: `total` in the phase's own measure (bytes read, rows, index builds), nil when unknown.
  case began(Phase, total: Int64?)
  case advanced(Phase, Advance)
  case ended(Phase)
  /// A sentence for the user, for instance which zone is used, or that another import is waited for.
  case note(String)

  package enum Phase: String, Sendable, CaseIterable {
    /// Reading, parsing and sorting the export (bytes of the opened file).
    case read
    /// Merging sorted segments into chunks (samples).
    case merge
    /// Copying chunks (rows).
    case copy
    /// Building keys and indexes (number of them).
    case index
    /// Reading fingerprints of the table, and comparing rows.
    case compare
    /// Publishing, in one short transaction.
    case publish
    case vacuum
    /// Writing rows of a database into chunks (rows).
    case dump
    /// Comparing two sides.
    case verify
  }

  package struct Advance: Sendable {
    package var done: Int64
    /// Samples or rows so far.
    package var records: Int64
    /// The start of a recent sample: "the date reached".
    package var dateReached: CivilDay?
    package init(done: Int64, records: Int64, dateReached: CivilDay? = nil) {
      self.done = done
      self.records = records
      self.dateReached = dateReached
    }
  }
}
