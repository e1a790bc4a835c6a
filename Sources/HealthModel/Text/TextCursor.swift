/// A place in a run of bytes that are read one after another. The bytes are passed to each call, so the cursor is a
/// plain value.
package struct TextCursor: BitwiseCopyable {
  package var position: Int
  package let end: Int

  package init(_ range: Range<Int>) {
    position = range.lowerBound
    end = range.upperBound
  }

  package var isAtEnd: Bool { position == end }

  package func peek(_ bytes: Span<UInt8>, _ distance: Int = 0) -> UInt8? {
    position + distance < end ? bytes[position + distance] : nil
  }

  package mutating func skip(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
    guard peek(bytes) == byte else { return false }
    position += 1
    return true
  }

  package mutating func skip(_ byte: UInt8, or other: UInt8, _ bytes: Span<UInt8>) -> Bool {
    skip(byte, bytes) || skip(other, bytes)
  }

  /// One U+0020, U+00A0 (no-break space) or U+202F (narrow no-break space).
  package mutating func skipSpace(_ bytes: Span<UInt8>) -> Bool {
    if skip(0x20, bytes) { return true }
    if peek(bytes) == 0xC2, peek(bytes, 1) == 0xA0 {
      position += 2
      return true
    }
    if peek(bytes) == 0xE2, peek(bytes, 1) == 0x80, peek(bytes, 2) == 0xAF {
      position += 3
      return true
    }
    return false
  }

  /// ASCII digits from here on.
  package func digitRun(_ bytes: Span<UInt8>) -> Int {
    var count = 0
    while let byte = peek(bytes, count), byte &- 0x30 <= 9 { count += 1 }
    return count
  }

  /// A digit: ASCII, or Arabic-Indic (U+0660…, U+06F0…) as clocks of some locales have.
  package mutating func digit(_ bytes: Span<UInt8>) -> Int? {
    guard let byte = peek(bytes) else { return nil }
    if byte &- 0x30 <= 9 {
      position += 1
      return Int(byte &- 0x30)
    }
    guard let next = peek(bytes, 1) else { return nil }
    let isArabic = byte == 0xD9 && (0xA0...0xA9).contains(next)
    guard isArabic || byte == 0xDB && (0xB0...0xB9).contains(next) else { return nil }
    position += 2
    return Int(next & 0xF)
  }

  package func isAtDigit(_ bytes: Span<UInt8>) -> Bool {
    var probe = self
    return probe.digit(bytes) != nil
  }

  /// A whole number of `digits.lowerBound` to `digits.upperBound` digits; it ends before more.
  package mutating func number(_ bytes: Span<UInt8>, digits: ClosedRange<Int>) -> Int? {
    var value = 0
    var count = 0
    while count < digits.upperBound, let digit = digit(bytes) {
      value = value * 10 + digit
      count += 1
    }
    return count >= digits.lowerBound ? value : nil
  }
}
