import HealthModel

/// Numbers in metadata: exported as text, stored as JSON numbers that lose nothing.
extension [UInt8] {
  /// Appends the decimal in `bytes[range]` as a JSON number, or nothing when it is none or an absurd one.
  ///
  /// Whole numbers keep all their digits (sync versions can be longer than a double holds), up to 38; others are the
  /// shortest decimal of their double.
  mutating func appendJSONNumber(_ range: Range<Int>, of bytes: Span<UInt8>) -> Bool {
    if let digits = wholeNumber(range, of: bytes) {
      guard digits.count <= 38 else { return false }
      if bytes[range.lowerBound] == UInt8(ascii: "-"), !digits.isEmpty { append(UInt8(ascii: "-")) }
      if digits.isEmpty { append(UInt8(ascii: "0")) } else { append(digits, of: bytes) }
      return true
    }
    guard let value = DecimalParser.parse(range, of: bytes) else { return false }
    append(json: value == 0 ? 0 : value)
    return true
  }

  /// The digits of a whole number without sign and leading zeros; nil when there is anything else.
  private func wholeNumber(_ range: Range<Int>, of bytes: Span<UInt8>) -> Range<Int>? {
    var start = range.lowerBound
    if start < range.upperBound, bytes[start] == UInt8(ascii: "-") || bytes[start] == UInt8(ascii: "+") { start += 1 }
    guard start < range.upperBound else { return nil }
    for i in start..<range.upperBound where bytes[i] &- 0x30 > 9 { return nil }
    while start < range.upperBound, bytes[start] == UInt8(ascii: "0") { start += 1 }
    return start..<range.upperBound
  }
}
