package import Loading
package import Transfer

/// What `hk2pg migrate` was asked for. Addresses as in `ImportSettings.conninfo`.
package struct MigrateSettings: Sendable, Equatable {
  package var from: String
  package var to: String
  /// nil: all users.
  package var user: String?
  /// `--as`: whose the rows are at the target.
  package var newUser: String?
  package var isDryRun = false
  package var isNoWait = false
  package var jobs = 2
  package var stagingPath: String?

  package init(from: String, to: String) {
    self.from = from
    self.to = to
  }
}

/// What one user's migration did, or would do.
package struct UserMigration: Sendable {
  package var user: String
  package var newUser: String
  /// Raw rows at the source, by type.
  package var sourceRows: [String: Int]
  package var sourceSummaries: Int
  /// Raw rows of months and days that the target lacked or had otherwise, by type: those that were moved.
  package var movedRows: [String: Int]
  /// Bytes of the rows at the source by type, when planning.
  package var bytes: [String: Int64] = [:]
  package var outcome = ArchiveOutcome()
  /// nil: a dry run.
  package var verification: VerifyOutcome?
}

package struct MigrateResult: Sendable {
  package var from: String
  package var to: String
  package var isDryRun: Bool
  package var users: [UserMigration]
  package var seconds: Double
  package var peakMemoryBytes: Int64
}

package struct DumpResult: Sendable {
  package var database: String
  package var user: String
  package var folder: String
  package var takenAt: String
  /// Rows by table.
  package var rows: [String: Int]
  /// Size of the chunk files.
  package var byteCount: Int64
  package var seconds: Double
}

package struct ArchiveResult: Sendable {
  package var database: String
  package var user: String
  package var folder: String
  package var outcome: ArchiveOutcome
  package var seconds: Double
}

/// What `hk2pg verify` compares the database with.
package struct VerifySettings: Sendable, Equatable {
  package enum Reference: Sendable, Equatable {
    case export(path: String)
    case folder(path: String)
    /// As in `ImportSettings.conninfo`.
    case database(conninfo: String)
  }

  package var reference: Reference
  /// As in `ImportSettings`.
  package var conninfo: String?
  /// nil: that of the folder; all users of two databases.
  package var user: String?
  package var isUserExplicit = false
  /// `--as`: whose the rows are in the database, when a copy was re-keyed.
  package var newUser: String?
  package var isSalvage = false
  package var jobs = 2
  package var stagingPath: String?

  package var exportPath: String? {
    if case .export(let path) = reference { return path }
    return nil
  }

  package init(_ reference: Reference, conninfo: String?) {
    self.reference = reference
    self.conninfo = conninfo
  }
}

package struct VerifyResult: Sendable {
  package var reference: String
  package var database: String
  package var users: [UserVerification]
  package var seconds: Double

  package var isEqual: Bool { users.allSatisfy(\.outcome.isEqual) }
}

package struct UserVerification: Sendable {
  package var user: String
  package var newUser: String
  package var outcome: VerifyOutcome
}
