internal import CPostgres

extension PostgresConnection {
  /// Runs `COPY … FROM STDIN` and lets `body` write its data. Returns the number of rows.
  ///
  /// When `body` throws, the server is told to drop the COPY, and the error is thrown on. The server's verdict on the
  /// data (a broken row, a duplicate key) comes at the end, as `.server`.
  @discardableResult
  package func copyIn(_ sql: String, _ body: (inout CopyInWriter) throws -> Void) throws -> Int {
    try startCopy(sql, PGRES_COPY_IN)
    var writer = CopyInWriter(connection: self)
    do {
      try body(&writer)
      if let failure = writer.failure { throw failure }
    } catch {
      // A server that is busy with what it has got would not read the end of the COPY for long.
      if isOpen { abandon(cancelling: shouldStop) }
      throw error
    }
    return try finishCopyIn()
  }

  /// Sends a COPY statement and waits until data may flow.
  func startCopy(_ sql: String, _ expected: ExecStatusType) throws(PostgresError) {
    let open = unsafe try begin(sql)
    if unsafe PQsendQuery(open, sql) == 0 { throw failure() }
    try flush()
    guard let result = unsafe try nextResult() else { throw failure() }
    let status = unsafe PQresultStatus(result)
    if status == expected {
      unsafe PQclear(result)
      return
    }
    let serverError = unsafe ServerError(takingOver: result)
    // The statement's remaining results, or the COPY of the other direction, have no reader.
    abandon(cancelling: status != PGRES_FATAL_ERROR)
    if status == PGRES_FATAL_ERROR { throw error(of: serverError) }
    throw .unexpectedResult("COPY did not start")
  }

  /// Queues and sends one piece, waiting until the socket has taken all of it: libpq's buffer never holds more.
  func sendCopyData(_ piece: UnsafeBufferPointer<UInt8>) throws(PostgresError) {
    guard let open = unsafe handle else { throw failure() }
    if shouldStop { throw .interrupted }
    let start = unsafe UnsafeRawPointer(piece.baseAddress)?.assumingMemoryBound(to: CChar.self)
    let state = unsafe PQputCopyData(open, start, Int32(piece.count))
    if state < 0 { throw lostCopyIn() }
    if state == 0 { throw .unexpectedResult("out of memory") }
    do {
      try flushWithoutCancelling()
    } catch .interrupted {
      throw .interrupted
    } catch {
      throw lostCopyIn(error)
    }
  }

  /// The server's reason stands in the input buffer, but libpq reads results only once the COPY has ended.
  private func lostCopyIn(_ known: PostgresError? = nil) -> PostgresError {
    let broken = known ?? failure()
    guard case .connectionLost(nil, let message) = broken, let open = unsafe handle else { return broken }
    unsafe PQputCopyEnd(open, PostgresConnection.abandonedCopy)
    let lastWord = drain(until: monotonicSeconds() + 1).firstError
    return .connectionLost(lastWord.flatMap { $0.sqlState.isEmpty ? nil : $0 }, message: message)
  }

  private func finishCopyIn() throws(PostgresError) -> Int {
    guard let open = unsafe handle else { throw failure() }
    if unsafe PQputCopyEnd(open, nil) < 0 { throw lostCopyIn() }
    try flush()
    return try finish()?.affectedRows ?? 0
  }
}

/// Writes the data of one `COPY … FROM STDIN`. It lives in `copyIn`'s frame and cannot be kept: there is no other way
/// to get one, and it cannot be copied.
package struct CopyInWriter: ~Copyable {
  /// One CopyData message: large enough to make system calls cheap, small beside any memory ceiling.
  static let pieceByteCount = 256 * 1024

  private let connection: PostgresConnection
  /// A failed send: the COPY fails even if its caller swallows the error.
  private(set) var failure: PostgresError?
  package private(set) var byteCount = 0

  fileprivate init(connection: PostgresConnection) { self.connection = connection }

  /// Sends `bytes`, which may begin and end anywhere in the stream. Returns when the operating system has taken them.
  package mutating func send(_ bytes: Span<UInt8>) throws(PostgresError) {
    if let failure { throw failure }
    var offset = 0
    while offset < bytes.count {
      let end = min(offset + CopyInWriter.pieceByteCount, bytes.count)
      do {
        try sendPiece(bytes.extracting(offset..<end))
      } catch {
        failure = error
        throw error
      }
      offset = end
    }
    byteCount += bytes.count
  }

  private func sendPiece(_ piece: Span<UInt8>) throws(PostgresError) {
    try unsafe piece.withUnsafeBufferPointer { (bytes) throws(PostgresError) in
      try unsafe connection.sendCopyData(bytes)
    }
  }
}
