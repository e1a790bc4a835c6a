/// Small steps on the text of side files.
enum Text {
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Without ASCII white space at both ends.
  static func trimmed(_ bytes: [UInt8]) -> Range<Int> { trimmed(0..<bytes.count, of: bytes) }

  static func trimmed(_ range: Range<Int>, of bytes: [UInt8]) -> Range<Int> {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end && isWhite(bytes[start]) { start += 1 }
    while end > start && isWhite(bytes[end - 1]) { end -= 1 }
    return start..<end
  }

  private static func isWhite(_ byte: UInt8) -> Bool { ByteClass.table[Int(byte)] & ByteClass.white != 0 }
}
