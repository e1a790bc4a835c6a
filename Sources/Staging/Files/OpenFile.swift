import Glibc

/// A file descriptor and the path for its errors; closed when the value goes.
///
/// Plain blocking calls, interrupted ones repeated. Files are created 0600: they hold health data.
struct OpenFile: ~Copyable, Sendable {
  let path: String
  private let descriptor: Int32

  /// A new file; one that exists under this name is an error.
  init(creating path: String) throws(StagingError) {
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    self.path = path
    if descriptor < 0 { throw .failed(.create, path) }
  }

  init(reading path: String) throws(StagingError) {
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    self.path = path
    if descriptor < 0 { throw errno == ENOENT ? .missingChunk(path: path) : .failed(.open, path) }
  }

  deinit { close(descriptor) }

  func write(_ bytes: Span<UInt8>) throws(StagingError) {
    var done = 0
    while done < bytes.count {
      let rest = bytes.extracting(done..<bytes.count)
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw .failed(.write, path)
      }
      done += count
    }
  }

  /// Replaces `bytes` by the next up to `limit` bytes; empty at the end of the file.
  func read(into bytes: inout [UInt8], limit: Int) throws(StagingError) {
    bytes.removeAll(keepingCapacity: true)
    unsafe try fill(&bytes, limit) { buffer in unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
  }

  /// Replaces `bytes` by exactly `count` bytes from `offset`.
  func read(into bytes: inout [UInt8], count: Int, at offset: Int) throws(StagingError) {
    bytes.removeAll(keepingCapacity: true)
    while bytes.count < count {
      let position = offset + bytes.count
      let before = bytes.count
      unsafe try fill(&bytes, count - before) { buffer in
        unsafe pread(descriptor, buffer.baseAddress, buffer.count, position)
      }
      if bytes.count == before { throw .truncated(path: path) }
    }
  }

  private func fill(
    _ bytes: inout [UInt8], _ limit: Int, _ call: (UnsafeMutableBufferPointer<UInt8>) -> Int
  ) throws(StagingError) {
    var result = 0
    repeat {
      bytes.append(addingCapacity: limit) { output in
        unsafe output.withUnsafeMutableBufferPointer { buffer, count in
          result = unsafe call(UnsafeMutableBufferPointer(rebasing: buffer[..<limit]))
          count = max(0, result)
        }
      }
    } while result < 0 && errno == EINTR
    if result < 0 { throw .failed(.read, path) }
  }

  func byteCount() throws(StagingError) -> Int {
    var status = stat()
    if unsafe fstat(descriptor, &status) != 0 { throw .failed(.read, path) }
    return Int(status.st_size)
  }

  func sync() throws(StagingError) {
    if fsync(descriptor) != 0 { throw .failed(.sync, path) }
  }
}

extension StagingError {
  /// The error of the call that just failed, from `errno`.
  static func failed(_ operation: FileOperation, _ path: String) -> StagingError {
    let code = errno
    if code == ENOSPC || code == EDQUOT { return .diskFull(path: path) }
    return .io(operation, path: path, errno: code)
  }
}
