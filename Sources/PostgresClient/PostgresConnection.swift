internal import CPostgres
internal import Foundation

/// One connection to one server, used from one thread at a time (it is not Sendable: each thread makes its own).
///
/// Every call blocks until it is answered, but never longer than 100 ms without asking `isInterrupted`. When that says
/// true, the running statement is cancelled on the server and the call throws `.interrupted`; the connection stays
/// usable if the server answered the cancellation, and every further call throws `.interrupted` too, except inside
/// `withoutInterruption`.
///
/// Statements are sent unnamed and nothing is kept in the session, so a transaction pooler may stand in between.
@safe package final class PostgresConnection {
  /// How often `isInterrupted` is asked while a call waits.
  static let pollMilliseconds: Int32 = 100
  /// How long a cancelled statement or an abandoned COPY may take to end before the connection is given up.
  static let drainSeconds = 5.0
  /// How long one may take to end by itself before it is cancelled.
  static let patienceSeconds = 0.2

  /// nil once closed or lost.
  private(set) var handle: OpaquePointer?
  package let settings: ConnectionSettings
  let isInterrupted: @Sendable () -> Bool
  var shields = 0
  private let notices = NoticeCollector()

  /// Connects, or throws `.connection`, `.interrupted`.
  package init(
    _ settings: ConnectionSettings, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(PostgresError) {
    self.settings = settings
    self.isInterrupted = isInterrupted
    let attempt = try ConnectionAttempt(settings)
    let handle = unsafe try attempt.complete(isInterrupted)
    unsafe self.handle = handle
    unsafe PQsetnonblocking(handle, 1)
    unsafe PQsetNoticeReceiver(handle, NoticeCollector.receiver, notices.opaque)
  }

  deinit { close() }

  /// Ends the session. Harmless when it has ended already.
  package func close() {
    if let open = unsafe handle { unsafe PQfinish(open) }
    unsafe handle = nil
  }

  package var isOpen: Bool {
    guard let open = unsafe handle else { return false }
    return unsafe PQstatus(open) == CONNECTION_OK
  }

  /// The server's version, for instance 150018; a pooler may report its own idea of it.
  package var serverVersion: Int { unsafe handle.map { unsafe Int(PQserverVersion($0)) } ?? 0 }

  /// Encryption in use.
  package var isEncrypted: Bool { unsafe handle.map { unsafe PQsslInUse($0) == 1 } ?? false }

  /// Notices and warnings since the last call, oldest first, at most the last hundred.
  package func takeNotices() -> [ServerError] { notices.take() }

  /// Runs one or more statements separated by semicolons, without parameters, and returns the last result.
  /// Several statements in one call are one transaction.
  @discardableResult
  package func execute(_ sql: String) throws(PostgresError) -> QueryResult {
    let handle = unsafe try begin(sql)
    if unsafe PQsendQuery(handle, sql) == 0 { throw failure() }
    return try answer()
  }

  /// Runs one statement with `$1`, `$2` … bound to text values; nil is NULL.
  @discardableResult
  package func query(_ sql: String, _ parameters: [String?] = []) throws(PostgresError) -> QueryResult {
    let handle = unsafe try begin(sql)
    for parameter in parameters {
      if let parameter, parameter.utf8.contains(0) { throw .nulCharacter }
    }
    let isSent = unsafe withCStrings(parameters) { values in
      unsafe PQsendQueryParams(handle, sql, Int32(parameters.count), nil, values, nil, nil, 0)
    }
    if isSent == 0 { throw failure() }
    return try answer()
  }

  /// Runs `body` with interruption switched off: for the last words of a run (rolling back, releasing a lease).
  package func withoutInterruption<T>(_ body: () throws -> T) rethrows -> T {
    shields += 1
    defer { shields -= 1 }
    return try body()
  }

  /// The open connection, after checks that belong to every call.
  @unsafe func begin(_ sql: String) throws(PostgresError) -> OpaquePointer {
    if sql.utf8.contains(0) { throw .nulCharacter }
    if shouldStop { throw .interrupted }
    guard let open = unsafe handle else { throw .connectionLost(nil, message: "the connection is closed") }
    return unsafe open
  }

  var shouldStop: Bool { shields == 0 && isInterrupted() }

  /// Waits for all results of what was sent; the last one, or the first error.
  private func answer() throws(PostgresError) -> QueryResult {
    try flush()
    guard let last = try finish() else { throw failure() }
    return last
  }

  /// Reads results to their end. When the server ends the session, its reason comes first and the broken connection
  /// after it: the reason is thrown.
  func finish() throws(PostgresError) -> QueryResult? {
    var last: QueryResult?
    var firstError: PostgresError?
    while true {
      let next: OpaquePointer?
      do {
        unsafe next = try nextResult()
      } catch {
        throw firstError ?? error
      }
      guard let result = unsafe next else { break }
      switch unsafe PQresultStatus(result) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
        last = unsafe QueryResult(result)
      case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
        unsafe PQclear(result)
        abandon(cancelling: true)
        throw .unexpectedResult("COPY data")
      default:
        firstError = firstError ?? error(of: unsafe ServerError(takingOver: result))
      }
    }
    if let firstError { throw firstError }
    return last
  }

  /// The error for a failed result: a fatal one ends the session with it.
  func error(of serverError: ServerError) -> PostgresError {
    if !isOpen || serverError.severity == "FATAL" || serverError.severity == "PANIC" {
      let hasServerWord = !serverError.sqlState.isEmpty
      return .connectionLost(hasServerWord ? serverError : nil, message: serverError.message)
    }
    return .server(serverError)
  }

  /// The error for a libpq call that failed without a result.
  func failure() -> PostgresError {
    guard let open = unsafe handle else { return .connectionLost(nil, message: "the connection is closed") }
    let message = unsafe String(cString: PQerrorMessage(open))
    if unsafe PQstatus(open) != CONNECTION_OK { return .connectionLost(nil, message: message) }
    return .unexpectedResult(message)
  }
}

/// Collects what the server says beside its results. libpq calls it from inside the connection's own calls.
final class NoticeCollector {
  private var messages: [ServerError] = []
  private static let capacity = 100

  /// For libpq; the connection keeps the collector alive as long as the handle.
  var opaque: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  static let receiver: PQnoticeReceiver = { collector, result in
    guard let collector = unsafe collector, let result = unsafe result else { return }
    unsafe Unmanaged<NoticeCollector>.fromOpaque(collector).takeUnretainedValue().add(ServerError(reading: result))
  }

  private func add(_ message: ServerError) {
    if messages.count == NoticeCollector.capacity { messages.removeFirst() }
    messages.append(message)
  }

  func take() -> [ServerError] {
    defer { messages = [] }
    return messages
  }
}

extension ServerError {
  /// Reads a PGresult that stays its owner's.
  @unsafe init(reading result: OpaquePointer) {
    func field(_ code: Character) -> String? {
      unsafe PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { unsafe String(cString: $0) }
    }
    // The field codes are character macros, which Swift does not import (PG_DIAG_SQLSTATE is 'C').
    self.init(
      sqlState: field("C") ?? "", severity: field("V") ?? field("S") ?? "ERROR",
      message: field("M") ?? (unsafe String(cString: PQresultErrorMessage(result))))
    detail = field("D")
    hint = field("H")
    context = field("W")
    schema = field("s")
    table = field("t")
    column = field("c")
    constraint = field("n")
  }

  /// Reads a PGresult and frees it.
  @unsafe init(takingOver result: OpaquePointer) {
    unsafe self.init(reading: result)
    unsafe PQclear(result)
  }
}

/// C strings for one call; nil stays NULL.
@unsafe func withCStrings<R>(
  _ strings: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> R
) -> R {
  let copies = unsafe strings.map { unsafe $0.flatMap { unsafe UnsafePointer(strdup($0)) } }
  defer { for index in unsafe copies.indices { unsafe free(UnsafeMutablePointer(mutating: copies[index])) } }
  return unsafe copies.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
}
