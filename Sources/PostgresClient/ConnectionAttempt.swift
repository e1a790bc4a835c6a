internal import CPostgres
internal import Foundation

/// A connection being made: libpq's polling state machine with our clock and our interruption.
@safe final class ConnectionAttempt {
  private var handle: OpaquePointer?
  private let settings: ConnectionSettings

  init(_ settings: ConnectionSettings) throws(PostgresError) {
    self.settings = settings
    let parameters = settings.libpqParameters
    if parameters.contains(where: { $0.value.utf8.contains(0) }) { throw .nulCharacter }
    unsafe handle = withCStrings(parameters.map { $0.keyword } + [nil]) { keywords in
      unsafe withCStrings(parameters.map { $0.value } + [nil]) { values in
        unsafe PQconnectStartParams(keywords, values, 1)
      }
    }
  }

  deinit { if let open = unsafe handle { unsafe PQfinish(open) } }

  /// The connected PGconn, which then belongs to the caller.
  @unsafe func complete(_ isInterrupted: @Sendable () -> Bool) throws(PostgresError) -> OpaquePointer {
    guard let open = unsafe handle else { throw error("out of memory") }
    if unsafe PQstatus(open) == CONNECTION_BAD { throw error() }
    // Verbose messages carry the SQLSTATE: see ConnectionFailure.
    unsafe PQsetErrorVerbosity(open, PQERRORS_VERBOSE)
    let timeout = connectTimeout
    var place = ""
    var deadline = 0.0
    var state = PGRES_POLLING_WRITING
    while true {
      // Each host and address has the whole time, as with libpq's own connect_timeout.
      let current = unsafe attemptedPlace(open)
      if current != place {
        place = current
        deadline = monotonicSeconds() + timeout
      }
      if isInterrupted() { throw .interrupted }
      if monotonicSeconds() > deadline { throw error("timeout expired") }
      let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
      if unsafe isReady(PQsocket(open), events) { state = unsafe PQconnectPoll(open) }
      if state == PGRES_POLLING_FAILED { throw error() }
      if state == PGRES_POLLING_OK { break }
    }
    unsafe liftUserTimeout(open)
    unsafe handle = nil
    return unsafe open
  }

  private func isReady(_ socket: Int32, _ events: Int32) -> Bool {
    var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
    return unsafe poll(&entry, 1, PostgresConnection.pollMilliseconds) > 0
  }

  /// Seconds for one address; a second more than the kernel's own limit, so that libpq can go on to the next.
  private var connectTimeout: Double {
    let seconds = option("connect_timeout").flatMap { Int($0) } ?? 0
    return Double(seconds > 0 ? seconds : ConnectionSettings.defaultConnectTimeout) + 1
  }

  /// What libpq made of text, environment and service file.
  private func option(_ keyword: String) -> String? {
    guard let open = unsafe handle, let options = unsafe PQconninfo(open) else { return nil }
    defer { unsafe PQconninfoFree(options) }
    return unsafe ConnectionSettings.values(of: options)[keyword]
  }

  @unsafe private func attemptedPlace(_ open: OpaquePointer) -> String {
    unsafe [PQhost(open), PQhostaddr(open), PQport(open)]
      .map { unsafe $0.map { unsafe String(cString: $0) } ?? "" }.joined(separator: "\n")
  }

  /// Once connected, data that a busy server leaves unread for a while must not end the connection.
  @unsafe private func liftUserTimeout(_ open: OpaquePointer) {
    guard settings.ownsUserTimeout else { return }
    var none: UInt32 = 0
    _ = unsafe setsockopt(
      PQsocket(open), Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &none, socklen_t(MemoryLayout<UInt32>.size))
  }

  private func error(_ text: String? = nil) -> PostgresError {
    let message = text ?? (unsafe handle.map { unsafe String(cString: PQerrorMessage($0)) } ?? "")
    return .connection(
      ConnectionFailure(message: message, sslMode: option("sslmode")), server: settings.address, message: message)
  }
}

/// Seconds on a clock that nobody sets.
func monotonicSeconds() -> Double {
  var now = timespec()
  _ = unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}
