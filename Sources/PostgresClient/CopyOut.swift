internal import CPostgres

extension PostgresConnection {
  /// Runs `COPY … TO STDOUT` and hands its data to `body` as it arrives. PostgreSQL sends a row at a time; a reader may
  /// not rely on that. Returns the number of rows.
  ///
  /// When `body` throws, the statement is cancelled and the error thrown on.
  @discardableResult
  package func copyOut(_ sql: String, _ body: (Span<UInt8>) throws -> Void) throws -> Int {
    try startCopy(sql, PGRES_COPY_OUT)
    do {
      while try receiveCopyData(body) {}
    } catch {
      if isOpen { abandon(cancelling: true) }
      throw error
    }
    return try finish()?.affectedRows ?? 0
  }

  /// One message to `body`; false at the end of the data.
  private func receiveCopyData(_ body: (Span<UInt8>) throws -> Void) throws -> Bool {
    guard let open = unsafe handle else { throw failure() }
    var buffer: UnsafeMutablePointer<CChar>?
    let length = unsafe PQgetCopyData(open, &buffer, 1)
    if length > 0, let start = unsafe buffer {
      defer { unsafe PQfreemem(start) }
      let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(length))
      try unsafe body(bytes.assumingMemoryBound(to: UInt8.self).span)
      return true
    }
    if length == 0 {
      try wait()
      if unsafe PQconsumeInput(open) == 0 { throw lost() }
      return true
    }
    if length == -2 { throw failure() }
    return false
  }
}
