import Foundation

/// Lines of a descriptor, read so that a wish to stop is noticed within a tenth of a second.
struct LineReader {
  enum Line: Equatable {
    case line([UInt8])
    /// Longer than `limit`; its bytes are dropped.
    case tooLong
  }

  /// No request of a client comes near this.
  static let limit = 1 << 20

  let descriptor: Int32
  let shouldStop: () -> Bool
  private var buffer: [UInt8] = []
  private var searched = 0
  private var isDropping = false
  private var hasEnded = false

  init(descriptor: Int32, shouldStop: @escaping () -> Bool) {
    self.descriptor = descriptor
    self.shouldStop = shouldStop
  }

  /// The next line that is not blank, without its end; nil at the end of the input, or when asked to stop. What comes
  /// after the last line's end counts as a line.
  mutating func next() -> Line? {
    while true {
      if let line = takeLine() {
        if case .line(let bytes) = line, bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
        return line
      }
      if hasEnded || shouldStop() { return nil }
      read()
    }
  }

  private mutating func takeLine() -> Line? {
    if let end = buffer[searched...].firstIndex(of: 0x0A) {
      return take(through: end)
    }
    searched = buffer.count
    if buffer.count > LineReader.limit {
      isDropping = true
      buffer.removeAll()
      searched = 0
    }
    return hasEnded && (!buffer.isEmpty || isDropping) ? take(through: buffer.count) : nil
  }

  private mutating func take(through end: Int) -> Line {
    let line = isDropping || end > LineReader.limit ? Line.tooLong : .line(Array(buffer[..<end]))
    isDropping = false
    buffer.removeSubrange(..<min(end + 1, buffer.count))
    searched = 0
    return line
  }

  private mutating func read() {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&entry, 1, 100) > 0 else { return }
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    // The buffer lives for this call.
    let count = unsafe piece.withUnsafeMutableBytes { unsafe Foundation.read(descriptor, $0.baseAddress, $0.count) }
    if count > 0 {
      buffer += piece[..<count]
    } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
      hasEnded = true
    }
  }
}
