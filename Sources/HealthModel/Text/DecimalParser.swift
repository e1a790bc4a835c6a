/// Reads decimal numbers from bytes, correctly rounded.
package enum DecimalParser {
  /// The number in `bytes[range]`: `[+-]digits[.digits][e[+-]digits]`, a digit at least before or after the point.
  /// nil for anything else (words, hexadecimal, white space) and for numbers beyond the range of `Double`.
  package static func parse(_ range: Range<Int>, of bytes: Span<UInt8>) -> Double? {
    var position = range.lowerBound
    let end = range.upperBound
    var isNegative = false
    if position < end, bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+") {
      isNegative = bytes[position] == UInt8(ascii: "-")
      position += 1
    }
    var mantissa: UInt64 = 0
    var digitCount = 0
    var exponent = 0
    var isLong = false
    var hasPoint = false
    while position < end {
      let digit = bytes[position] &- 0x30
      if digit <= 9 {
        // Up to 19 digits fit; a longer number goes the long way.
        if mantissa < 1_000_000_000_000_000_000 { mantissa = mantissa &* 10 &+ UInt64(digit) } else { isLong = true }
        if hasPoint { exponent -= 1 }
        digitCount += 1
      } else if bytes[position] == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else {
        break
      }
      position += 1
    }
    guard digitCount > 0 else { return nil }
    if position < end {
      guard let written = parseExponent(position..<end, of: bytes) else { return nil }
      exponent += written
    }
    // Clinger's fast path: both numbers are exact doubles, so one operation rounds once.
    if !isLong, mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
      let magnitude = Double(mantissa)
      let value = exponent < 0 ? magnitude / powersOfTen[-exponent] : magnitude * powersOfTen[exponent]
      return isNegative ? -value : value
    }
    return parseLong(range, of: bytes)
  }

  /// `e` and a number, clamped to what moves any double to zero or beyond.
  private static func parseExponent(_ range: Range<Int>, of bytes: Span<UInt8>) -> Int? {
    guard bytes[range.lowerBound] | 0x20 == UInt8(ascii: "e") else { return nil }
    var position = range.lowerBound + 1
    var isNegative = false
    if position < range.upperBound, bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+") {
      isNegative = bytes[position] == UInt8(ascii: "-")
      position += 1
    }
    guard position < range.upperBound else { return nil }
    var value = 0
    for i in position..<range.upperBound {
      let digit = bytes[i] &- 0x30
      guard digit <= 9 else { return nil }
      value = min(value * 10 + Int(digit), 1_000_000)
    }
    return isNegative ? -value : value
  }

  /// The standard library rounds correctly at any length; the grammar is checked before.
  private static func parseLong(_ range: Range<Int>, of bytes: Span<UInt8>) -> Double? {
    var text = ""
    for i in range { text.unicodeScalars.append(Unicode.Scalar(bytes[i])) }
    guard let value = Double(text), value.isFinite else { return nil }
    return value
  }
}

private let powersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
]
