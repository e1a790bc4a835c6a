internal import CPostgres
internal import Foundation

/// Waiting on the socket, and ending what runs on the server when the wait is interrupted.
extension PostgresConnection {
  /// Waits until the server has sent something (or the socket takes more, with `writing`). Throws `.interrupted`.
  func wait(writing: Bool = false) throws(PostgresError) {
    while !shouldStop {
      if try isReady(writing: writing) { return }
    }
    throw .interrupted
  }

  /// One poll of at most 100 ms. While writing, input counts as well: a server that cannot send does not read.
  private func isReady(writing: Bool) throws(PostgresError) -> Bool {
    guard let open = unsafe handle else { throw failure() }
    let socket = unsafe PQsocket(open)
    if socket < 0 { throw failure() }
    var entry = pollfd(fd: socket, events: Int16(writing ? POLLIN | POLLOUT : POLLIN), revents: 0)
    let count = unsafe poll(&entry, 1, PostgresConnection.pollMilliseconds)
    return count > 0
  }

  /// Sends what libpq has buffered, reading meanwhile.
  func flush() throws(PostgresError) {
    do {
      try flushWithoutCancelling()
    } catch .interrupted {
      cancelRunning()
      throw .interrupted
    }
  }

  func flushWithoutCancelling() throws(PostgresError) {
    guard let open = unsafe handle else { throw failure() }
    while true {
      let state = unsafe PQflush(open)
      if state == 0 { return }
      if state < 0 { throw lost() }
      try wait(writing: true)
      if unsafe PQconsumeInput(open) == 0 { throw lost() }
    }
  }

  /// The next result of what was sent; nil when there are no more. An interruption cancels the statement first.
  @unsafe func nextResult() throws(PostgresError) -> OpaquePointer? {
    guard let open = unsafe handle else { throw failure() }
    while unsafe PQisBusy(open) == 1 {
      do {
        try wait()
      } catch .interrupted {
        cancelRunning()
        throw .interrupted
      }
      if unsafe PQconsumeInput(open) == 0 { throw lost() }
    }
    return unsafe PQgetResult(open)
  }

  /// The error for a broken socket, with the server's last words if some are still in the input buffer.
  func lost() -> PostgresError {
    let broken = failure()
    guard case .connectionLost(_, let message) = broken else { return broken }
    let lastWord = drain(until: monotonicSeconds() + 1)
    return .connectionLost(lastWord.flatMap { $0.sqlState.isEmpty ? nil : $0 }, message: message)
  }

  /// Asks the server to stop the running statement, and reads its results to the end. The request goes over a
  /// connection of its own, which may hang when the network is gone, so a thread makes it. If the statement has not
  /// ended after five seconds the connection is closed.
  func cancelRunning() {
    guard let open = unsafe handle else { return }
    nonisolated(unsafe) let request = unsafe PQgetCancel(open)
    if unsafe request != nil {
      Thread.detachNewThread {
        var text = [CChar](repeating: 0, count: 256)
        unsafe PQcancel(request, &text, Int32(text.count))
        unsafe PQfreeCancel(request)
      }
    }
    abandon()
  }

  /// Reads and drops everything that is still to come, or closes the connection if that takes too long.
  func abandon() {
    _ = drain(until: monotonicSeconds() + PostgresConnection.drainSeconds)
  }

  /// Reads results until there are none, leaving any COPY. Returns the first error among them. Closes the connection
  /// if the deadline passes.
  @discardableResult
  func drain(until deadline: Double) -> ServerError? {
    guard let open = unsafe handle else { return nil }
    var firstError: ServerError?
    while monotonicSeconds() < deadline {
      if unsafe PQisBusy(open) == 1 {
        if unsafe PQstatus(open) == CONNECTION_OK { _ = unsafe PQflush(open) }
        let isReadable = (try? isReady(writing: false)) ?? true
        if isReadable && (unsafe PQconsumeInput(open) == 0) && (unsafe PQisBusy(open) == 1) {
          close()
          return firstError
        }
        continue
      }
      guard let result = unsafe PQgetResult(open) else { return firstError }
      switch unsafe PQresultStatus(result) {
      case PGRES_COPY_IN:
        unsafe PQclear(result)
        unsafe PQputCopyEnd(open, PostgresConnection.abandonedCopy)
      case PGRES_COPY_OUT:
        unsafe PQclear(result)
        unsafe dropCopyData(open, until: deadline)
      case PGRES_FATAL_ERROR:
        let error = unsafe ServerError(takingOver: result)
        firstError = firstError ?? error
      default:
        unsafe PQclear(result)
      }
    }
    close()
    return firstError
  }

  /// Reads COPY data to its end without looking at it.
  @unsafe private func dropCopyData(_ open: OpaquePointer, until deadline: Double) {
    while monotonicSeconds() < deadline {
      var buffer: UnsafeMutablePointer<CChar>?
      let length = unsafe PQgetCopyData(open, &buffer, 1)
      unsafe PQfreemem(buffer)
      if length < 0 { return }
      if length == 0 {
        _ = try? isReady(writing: false)
        if unsafe PQconsumeInput(open) == 0 { return }
      }
    }
  }

  /// What the server's log says when a COPY is given up: no reason, which might quote data.
  static let abandonedCopy = "hk2pg gave up this COPY"
}
