/// Everything that can go wrong between hk2pg and a PostgreSQL server, as data. Sentences are made elsewhere.
package enum PostgresError: Error, Sendable, Equatable {
  /// The connection string cannot be read. It is not part of the error: it may hold a password.
  case settings(SettingsProblem)
  /// No connection was made. `message` is libpq's and the server's own text, for `--debug`.
  case connection(ConnectionFailure, server: ServerAddress, message: String)
  /// The server refused a statement; the connection is still good.
  case server(ServerError)
  /// The connection broke, in mid-statement or mid-COPY too. The server's last word, if there was one (57P01 when an
  /// administrator ended the session), and libpq's text.
  case connectionLost(ServerError?, message: String)
  /// The connection broke between COMMIT and its answer: committed or not, only the database can tell.
  case commitOutcomeUnknown
  /// COMMIT found the transaction already failed and rolled it back.
  case transactionAborted
  /// `isInterrupted` became true. The statement was cancelled.
  case interrupted
  /// A statement gave another kind of result than its caller asked for (rows, COPY data).
  case unexpectedResult(String)
  /// A value is absent, NULL or not of the type its caller asked for. The value itself is not named.
  case unexpectedValue(column: String, row: Int, expected: String)
  /// A statement or parameter contains U+0000, which PostgreSQL text cannot hold.
  case nulCharacter

  package enum SettingsProblem: Sendable, Equatable {
    case malformed
    case unknownParameter(String)
  }

  /// SQLSTATE, when the server gave one.
  package var sqlState: String? {
    switch self {
    case .server(let error): error.sqlState
    case .connectionLost(let error, _): error?.sqlState
    default: nil
    }
  }

  /// Another transaction got in the way; the same transaction may succeed when run again.
  package var isConflict: Bool {
    guard case .server(let error) = self else { return false }
    return error.sqlState == SQLState.serializationFailure || error.sqlState == SQLState.deadlockDetected
  }

  /// The connection is gone, whatever the statement was.
  package var isConnectionLost: Bool {
    switch self {
    case .connectionLost, .commitOutcomeUnknown: true
    default: false
    }
  }
}

/// SQLSTATE codes that hk2pg acts on (PostgreSQL manual, appendix A).
package enum SQLState {
  package static let serializationFailure = "40001"
  package static let deadlockDetected = "40P01"
  package static let lockNotAvailable = "55P03"
  package static let queryCanceled = "57014"
  package static let adminShutdown = "57P01"
  package static let cannotConnectNow = "57P03"
  package static let insufficientPrivilege = "42501"
  package static let readOnlyTransaction = "25006"
  package static let undefinedTable = "42P01"
  package static let undefinedColumn = "42703"
  package static let undefinedSchema = "3F000"
  package static let duplicateTable = "42P07"
  package static let duplicateSchema = "42P06"
  package static let duplicateObject = "42710"
  package static let uniqueViolation = "23505"
  package static let diskFull = "53100"
  package static let tooManyConnections = "53300"
  package static let databaseMissing = "3D000"
}

/// One error or notice of the server, field by field (PostgreSQL manual, PQresultErrorField).
package struct ServerError: Sendable, Equatable {
  package var sqlState: String
  /// ERROR, FATAL, PANIC, WARNING, NOTICE …; never translated.
  package var severity: String
  /// The primary text. Some messages quote a value ("invalid input syntax for type …").
  package var message: String
  /// Row values stand here: never shown by default (DESIGN §6).
  package var detail: String?
  package var hint: String?
  package var context: String?
  package var schema: String?
  package var table: String?
  package var column: String?
  package var constraint: String?

  package init(sqlState: String, severity: String = "ERROR", message: String) {
    self.sqlState = sqlState
    self.severity = severity
    self.message = message
  }
}

/// Where a connection leads, without secrets.
package struct ServerAddress: Sendable, Equatable, CustomStringConvertible {
  /// A name, an address, a socket folder, or a comma-separated list of them.
  package var host: String
  package var port: String
  package var database: String
  package var user: String

  package init(host: String, port: String, database: String, user: String) {
    self.host = host
    self.port = port
    self.database = database
    self.user = user
  }

  /// For people: `health on localhost:5432 as ann`, `hk2pg on /run/postgresql as ann`.
  package var words: String {
    let isLocal = host.hasPrefix("/") || host.contains(" ") || host.contains(",")
    return "\(database) on \(isLocal ? host : "\(host):\(port)") as \(user)"
  }

  /// In libpq's words.
  package var description: String { "host=\(host) port=\(port) dbname=\(database) user=\(user)" }
}
