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
      abandon(cancelling: true)
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
        abandon(cancelling: true)
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
    let lastWord = drain(until: monotonicSeconds() + 1).firstError
    return .connectionLost(lastWord.flatMap { $0.sqlState.isEmpty ? nil : $0 }, message: message)
  }

  /// Ends the running statement, whose results nobody wants, and leaves any COPY; with `cancelling` at once, else when it
  /// has not ended by itself after a moment. A connection that is not free after five seconds is closed.
  func abandon(cancelling: Bool) {
    let start = monotonicSeconds()
    if !cancelling && drain(until: start + PostgresConnection.patienceSeconds).isEnded { return }
    let isCancelled = requestCancel()
    let isEnded = drain(until: start + PostgresConnection.drainSeconds).isEnded
    // A request still on its way would hit the next statement.
    let isSettled = isCancelled.wait(timeout: .now() + PostgresConnection.drainSeconds) == .success
    if !isEnded || !isSettled { close() }
  }

  /// Asks the server to stop the running statement. The request goes over a connection of its own, which may hang when
  /// the network is gone, so a thread makes it, and signals when the server has taken it.
  private func requestCancel() -> DispatchSemaphore {
    let isDone = DispatchSemaphore(value: 0)
    guard let open = unsafe handle, let request = unsafe PQgetCancel(open) else {
      isDone.signal()
      return isDone
    }
    nonisolated(unsafe) let cancel = unsafe request
    Thread.detachNewThread {
      var text = [CChar](repeating: 0, count: 256)
      unsafe PQcancel(cancel, &text, Int32(text.count))
      unsafe PQfreeCancel(cancel)
      isDone.signal()
    }
    return isDone
  }

  /// Reads results until there are none, leaving any COPY, or until the deadline.
  func drain(until deadline: Double) -> (isEnded: Bool, firstError: ServerError?) {
    guard let open = unsafe handle else { return (true, nil) }
    var firstError: ServerError?
    while monotonicSeconds() < deadline {
      if unsafe PQisBusy(open) == 1 {
        if unsafe PQstatus(open) == CONNECTION_OK { _ = unsafe PQflush(open) }
        let isReadable = (try? isReady(writing: false)) ?? true
        let isBroken = isReadable && (unsafe PQconsumeInput(open) == 0)
        if isBroken && (unsafe PQisBusy(open) == 1) { return (false, firstError) }
        continue
      }
      guard let result = unsafe PQgetResult(open) else { return (true, firstError) }
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
    return (false, firstError)
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
