import Foundation

/// A file open for reading, at any offset and from any thread (pread).
final class OpenFile: Sendable {
  let path: String
  let byteCount: Int64
  let isRegular: Bool
  /// Only `OpenFile` closes it.
  let descriptor: Int32

  init(path: String) throws(ExportError) {
    let descriptor = unsafe Foundation.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw OpenFile.error(errno, path: path) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw .notReadable(path: path, errno: code)
    }
    self.path = path
    self.descriptor = descriptor
    byteCount = Int64(status.st_size)
    isRegular = status.st_mode & S_IFMT == S_IFREG
  }

  /// Standard input; stays open.
  init(standardInput path: String) {
    self.path = path
    descriptor = STDIN_FILENO
    byteCount = 0
    isRegular = false
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  /// Fills `buffer` from `offset`; fewer bytes only at the end of the file.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
      if count < 0 {
        if errno == EINTR { continue }
        throw .readFailed(path: path, errno: errno, offset: offset + Int64(filled))
      }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// The next bytes of a file that is read in order (a pipe); 0 at the end.
  func readNext(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
    while true {
      let count = unsafe Foundation.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR { throw .readFailed(path: path, errno: errno, offset: 0) }
    }
  }

  /// Up to `count` bytes from `offset`.
  func bytes(at offset: Int64, count: Int) throws(ExportError) -> [UInt8] {
    guard offset >= 0, count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = unsafe try bytes.fill { buffer throws(ExportError) in unsafe try self.read(at: offset, into: buffer) }
    bytes.removeSubrange(read...)
    return bytes
  }

  static func error(_ code: Int32, path: String) -> ExportError {
    code == ENOENT || code == ENOTDIR ? .doesNotExist(path: path) : .notReadable(path: path, errno: code)
  }
}

extension [UInt8] {
  /// Lets `body` write into the array's bytes; the standard library's own way loses the type of the error.
  mutating func fill(
    _ body: (UnsafeMutableRawBufferPointer) throws(ExportError) -> Int
  ) throws(ExportError) -> Int {
    let result: Result<Int, ExportError> = unsafe withUnsafeMutableBytes { buffer in
      do throws(ExportError) {
        return .success(unsafe try body(buffer))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
