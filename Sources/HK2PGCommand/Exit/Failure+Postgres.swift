import PostgresClient

extension Failure {
  init(postgres error: PostgresError) {
    switch error {
    case .settings(.malformed):
      self.init(
        .usage, "the connection string cannot be read",
        next: "Write postgres://user@host:5432/database (special characters as %40), or host=… dbname=… words.")
    case .settings(.unknownParameter(let name)):
      self.init(
        .usage, "the connection string has the parameter “\(name)”, which libpq does not know",
        next: "Remove it; drivers of other languages have parameters of their own.")
    case .connection(let failure, let server, let message):
      self.init(connection: failure, to: server, message: message)
    case .server(let error): self.init(server: error)
    case .connectionLost(let error, let message): self.init(lost: error, message: message)
    case .commitOutcomeUnknown:
      self.init(
        .refused, "the connection broke just when the server was to confirm a transaction",
        next: "Run the same command again: it finds out what is there, and goes on.")
    case .transactionAborted:
      self.init(
        .refused, "the server rolled a transaction back", next: "Run the same command again; nothing is half done.")
    case .interrupted: self.init(interruptedBy: 2)
    case .unexpectedResult(let what):
      self.init(
        .failed, "the server gave another kind of answer than expected",
        next: "Is it PostgreSQL 15 or newer? If so, please report it with --debug.", detail: what)
    case .unexpectedValue(let column, let row, let expected):
      self.init(
        .failed, "row \(Words.count(row)) of an answer has no \(expected) in column \(column)",
        next: "If the tables were changed by hand, compare them with: hk2pg schema")
    case .nulCharacter:
      self.init(
        .failed, "a text holds the character U+0000, which PostgreSQL cannot store", next: "Please report it.")
    }
  }

  // MARK: Statements

  /// The primary text is shown for SQLSTATE classes that speak of the server's state or of names, not of values.
  private init(server error: ServerError) {
    let place = Failure.place(of: error)
    let detail = Failure.everything(error)
    switch error.sqlState {
    case SQLState.insufficientPrivilege:
      self.init(
        .refused, "the database role lacks rights\(place)",
        next: "Use the owner's role, or ask for the rights: hk2pg schema shows what is needed.", detail: detail)
    case SQLState.readOnlyTransaction:
      self.init(
        .refused, "the database is read-only\(place)", next: "Connect to the primary server, not to a replica.",
        detail: detail)
    case SQLState.diskFull:
      self.init(
        .refused, "the database server has no space left\(place)",
        next: "Free space there and run the same command again: it goes on where it stopped.", detail: detail)
    case SQLState.tooManyConnections:
      self.init(
        .refused, "the database server has no connection left\(place)",
        next: "Close other programs, or use --jobs 1.", detail: detail)
    case SQLState.lockNotAvailable:
      self.init(
        .refused, "another program holds a lock on the tables\(place)",
        next: "Wait for it to end, then run the same command again.", detail: detail)
    case SQLState.adminShutdown:
      self.init(
        .refused, "the database server was shut down\(place)", next: "Run the same command again when it is back.",
        detail: detail)
    case SQLState.queryCanceled:
      self.init(
        .refused, "the server cancelled a statement\(place)",
        next: "If it has a statement_timeout for this role, raise it; then run the same command again.", detail: detail)
    default:
      self.init(
        .refused, "the database refused a statement\(place)",
        next: "Run it again with --debug to see the server's own words.", detail: detail)
    }
  }

  private init(lost error: ServerError?, message: String) {
    if let error, error.sqlState == SQLState.adminShutdown {
      self.init(server: error)
      return
    }
    self.init(
      .refused, "the connection to the database broke\(error.map(Failure.place) ?? "")",
      next: "Run the same command again: it goes on where it stopped.",
      detail: error.map(Failure.everything) ?? message.trimmingWhitespace())
  }

  /// ` (SQLSTATE 42501, table healthkit_metrics, column value)`: names, never values.
  static func place(of error: ServerError) -> String {
    var parts = ["SQLSTATE \(error.sqlState)"]
    if let table = error.table {
      parts.append("table " + [error.schema, table].compactMap(\.self).joined(separator: "."))
    }
    if let column = error.column { parts.append("column \(column)") }
    if let constraint = error.constraint { parts.append("constraint \(constraint)") }
    return " (\(parts.joined(separator: ", ")))"
  }

  /// For `--debug`: may hold values of rows.
  private static func everything(_ error: ServerError) -> String {
    var lines = ["\(error.severity): \(error.message)"]
    if let detail = error.detail { lines.append("DETAIL: \(detail)") }
    if let hint = error.hint { lines.append("HINT: \(hint)") }
    if let context = error.context { lines.append("CONTEXT: \(context)") }
    return lines.joined(separator: "\n")
  }

  // MARK: Connecting

  private init(connection failure: ConnectionFailure, to server: ServerAddress, message: String) {
    let host = server.host.hasPrefix("/") ? "the socket in \(server.host)" : "\(server.host):\(server.port)"
    let (why, next) = Failure.words(failure, server)
    self.init(
      .refused, "cannot connect to database “\(server.database)” on \(host) as “\(server.user)”: \(why)", next: next,
      detail: message.trimmingWhitespace())
  }

  private static func words(_ failure: ConnectionFailure, _ server: ServerAddress) -> (why: String, next: String) {
    let password = "Give it as PGPASSWORD, in ~/.pgpass, or in the URL of DATABASE_URL."
    switch failure {
    case .hostNotFound: return ("there is no such host", "Check the host's name, and the network.")
    case .refused: return ("nobody listens there", "Is the server running? Check host and port.")
    case .socketMissing:
      return ("no server has its socket there", "Is it running? For a server on the network name its host.")
    case .unreachable: return ("the host cannot be reached", "Check the network, or a VPN that is needed.")
    case .timedOut: return ("no answer in time", "Check host and port, and whether a firewall is between.")
    case .socketForbidden: return ("the socket may not be used", "Run as a user who may, or connect by host name.")
    case .authenticationFailed: return ("it does not accept this role with this password", "Check both. " + password)
    case .passwordMissing: return ("the server asks for a password", password)
    case .notAllowed: return ("the server does not admit this user from here", "Its administrator can (pg_hba.conf).")
    case .databaseMissing:
      return ("there is no such database", "Create it: createdb \(server.database), or name another one.")
    case .tooManyConnections: return ("it has no connection left", "Try again later, or close other programs.")
    case .notReady: return ("it is starting, stopping or recovering", "Try again in a moment.")
    case .sslRequired: return ("it admits encrypted connections only", "Add sslmode=require to the connection.")
    case .sslUnavailable: return ("it cannot encrypt", "Use sslmode=prefer where the network is safe.")
    case .certificateRejected:
      return ("its certificate is not accepted", "Name its root certificate: sslrootcert=FILE (or system).")
    case .closedByServer: return ("it closed the connection", "Check that it is PostgreSQL that answers at this port.")
    case .other: return ("the connection failed", "Run it again with --debug to see why.")
    }
  }
}
