import Foundation

/// Standard output and standard error, unbuffered. Results go to the first, everything else to the second.
enum Console {
  static func writeResult(_ text: String) { _ = write(text, to: STDOUT_FILENO) }

  static func writeMessage(_ text: String) { _ = write(text, to: STDERR_FILENO) }

  /// To a reader that must get all of it: false when it went away.
  static func writeProtocol(_ text: String) -> Bool { write(text, to: STDOUT_FILENO) }

  /// A reader that went away (`hk2pg inspect | head`) is no failure of ours: SIGPIPE is ignored, and the rest of the
  /// text is dropped, as is what a full disk behind `>` does not take.
  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    writeAll(Array(text.utf8), to: descriptor) == 0
  }

  /// 0, or the errno that ended it.
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        // The slice lies inside the buffer: `sent` is below its count.
        unsafe Foundation.write(descriptor, buffer.baseAddress! + sent, buffer.count - sent)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return errno }
      sent += count
    }
    return 0
  }

  /// Columns of the terminal behind standard error; nil when there is none, or it does not say.
  static var columns: Int? {
    var size = winsize()
    guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
