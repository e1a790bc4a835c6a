package import HealthModel

/// Errors of the flow itself; stages throw their own (ExportError, StagingError, PostgresError, LoadError …).
package enum FlowError: Error, Equatable {
  /// `--max-rejects` was passed; nothing was loaded.
  case tooManyRejects(limit: Int, firstOffset: Int64)
  /// The names of sources, types, units and devices take more memory than any real export's do.
  case tooManyNames(byteLimit: Int)
  case cannotWrite(path: String, errno: Int32)
  /// `--staging DIR`, and another run of hk2pg works in it.
  case folderInUse(path: String)
  /// DESIGN §6: the table holds another single user, and no user was named.
  case otherUserInTable(existing: String)
  /// `load` of a folder that was staged for another user than `--user` names.
  case stagedForOtherUser(staged: String)
  /// `verify` against chunks of an interrupted import, which lack what the database held already.
  case partialChunks(path: String)
  /// `summarize --days` where no summary was ever made: the first run makes all of them, in one zone.
  case daysWithoutZone(first: CivilDay)
  /// A command on stored rows, and the private cluster has not been made.
  case noClusterYet
  /// A database has no rows: of the user, when one is named, else at all.
  case noRows(database: String, isOfUser: Bool)
  /// The summands of DESIGN §7.1 do not add up: a fault of hk2pg, never hidden.
  case samplesDoNotAddUp(read: Int, accounted: Int)
}
