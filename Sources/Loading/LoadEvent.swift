/// What a load tells while it runs. Sent from several threads.
package enum LoadEvent: Sendable, Equatable {
  package enum Phase: String, Sendable, CaseIterable {
    /// Reading fingerprints of the table.
    case fingerprint
    /// Copying chunks (rows).
    case copy
    /// Building keys and indexes (number of them).
    case index
    /// Comparing rows.
    case compare
    case publish
    case vacuum
  }

  case began(Phase, total: Int64?)
  case advanced(Phase, done: Int64)
  case ended(Phase)
  /// Another import of the user runs: this one waits.
  case waiting(LeaseHolder)
  /// A former import of the user had died, or was silent for too long.
  case tookOver(LeaseHolder)
  /// A broken load of the same chunks goes on; so many rows are there already.
  case resumed(rows: Int64)
}

package struct LoadOptions: Sendable {
  /// Connections that work side by side.
  package var jobs = 2
  /// Below this, one more session that copies costs more than it saves.
  package var rowsPerCopySession = 50_000
  package var missingRows = MissingRows.automatic
  package var isForced = false
  /// Give up at once when another import of the user runs.
  package var isNoWait = false
  package var faults = FaultPoints.fromEnvironment

  package init() {}
}
