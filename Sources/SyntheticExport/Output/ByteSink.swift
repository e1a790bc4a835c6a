import Foundation

/// Where finished bytes go; called once per megabyte, never per record.
protocol ByteSink: AnyObject {
  func write(_ bytes: UnsafeRawBufferPointer) throws(SyntheticExportError)
}

/// Counts and forgets: how large would it be?
final class DiscardingSink: ByteSink {
  func write(_ bytes: UnsafeRawBufferPointer) {}
}

/// A file or standard output, with write(2).
final class FileSink: ByteSink {
  private let descriptor: Int32
  private let path: String
  private(set) var byteCount = 0

  init(creating path: String) throws(SyntheticExportError) {
    self.path = path
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    if descriptor < 0 { throw .cannotWrite(path: path, errno: errno) }
  }

  init(standardOutput: Void) {
    descriptor = STDOUT_FILENO
    path = "standard output"
  }

  deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SyntheticExportError) {
    var done = 0
    while done < bytes.count {
      let result = unsafe Foundation.write(descriptor, bytes.baseAddress! + done, bytes.count - done)
      if result < 0 {
        if errno == EINTR { continue }
        throw .cannotWrite(path: path, errno: errno)
      }
      done += result
    }
    byteCount += done
  }
}

/// Keeps everything: for small outputs that a caller wants in memory.
final class CollectingSink: ByteSink {
  private(set) var bytes: [UInt8] = []

  func write(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes.append(contentsOf: bytes) }
}

package enum SyntheticExportError: Error, Equatable {
  case usage(String)
  case cannotWrite(path: String, errno: Int32)
  case deflate(status: Int32)
  /// The asked size cannot be reached with this number of days; `nearest` bytes would come out.
  case sizeOutOfReach(asked: Int, nearest: Int, days: Int)
}
