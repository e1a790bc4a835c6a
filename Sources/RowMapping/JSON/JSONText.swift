import HealthModel

/// JSON as bytes: no white space, and nothing that `jsonb` refuses.
extension [UInt8] {
  mutating func append(_ range: Range<Int>, of bytes: Span<UInt8>) {
    // One copy of memory instead of a loop: every byte of metadata comes through here, some twice.
    unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// A JSON string of `bytes[range]`. NUL, which `jsonb` cannot hold, becomes U+FFFD. Returns how many did.
  @discardableResult
  mutating func appendJSON(_ range: Range<Int>, of bytes: Span<UInt8>) -> Int {
    append(UInt8(ascii: "\""))
    let cleaned = appendEscaped(range, of: bytes)
    append(UInt8(ascii: "\""))
    return cleaned
  }

  mutating func appendEscaped(_ range: Range<Int>, of bytes: Span<UInt8>) -> Int {
    var cleaned = 0
    var start = range.lowerBound
    while let i = bytes.firstToEscape(start..<range.upperBound) {
      let byte = bytes[i]
      append(start..<i, of: bytes)
      start = i + 1
      if byte == 0 {
        append(raw: "\u{FFFD}")
        cleaned += 1
      } else {
        appendJSONEscape(of: byte)
      }
    }
    append(start..<range.upperBound, of: bytes)
    return cleaned
  }

  /// A JSON string of an instant: `"2024-05-01T10:00:00Z"`.
  mutating func append(json instant: Instant) {
    append(UInt8(ascii: "\""))
    append(date: instant, separator: UInt8(ascii: "T"))
    append(UInt8(ascii: "Z"))
    append(UInt8(ascii: "\""))
  }

  /// `YYYY-MM-DD`, the separator, `HH:MM:SS`, in UTC.
  mutating func append(date instant: Instant, separator: UInt8) {
    let (year, month, day) = instant.utcDay.civil
    let second = UInt64(instant.seconds - Int64(instant.utcDay.daysSince1970) * 86_400)
    append(decimal: UInt64(Swift.max(year, 0)), width: 4)
    append(UInt8(ascii: "-"))
    append(decimal: UInt64(month), width: 2)
    append(UInt8(ascii: "-"))
    append(decimal: UInt64(day), width: 2)
    append(separator)
    append(decimal: second / 3600, width: 2)
    append(UInt8(ascii: ":"))
    append(decimal: second / 60 % 60, width: 2)
    append(UInt8(ascii: ":"))
    append(decimal: second % 60, width: 2)
  }

  /// The key of an object's next member; the comma goes before all but the first.
  mutating func append(member key: String) {
    appendSeparator()
    append(UInt8(ascii: "\""))
    append(raw: key)
    append(UInt8(ascii: "\""))
    append(UInt8(ascii: ":"))
  }

  /// The comma between two members of an object or elements of an array.
  mutating func appendSeparator() {
    if let last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") { append(UInt8(ascii: ",")) }
  }

  mutating func open(_ bracket: Unicode.Scalar) {
    appendSeparatorAfterElement()
    append(UInt8(ascii: bracket))
  }

  /// Before an array's element; nothing after a key.
  private mutating func appendSeparatorAfterElement() {
    if let last, last != UInt8(ascii: ":") { appendSeparator() }
  }

  mutating func close(_ bracket: Unicode.Scalar) { append(UInt8(ascii: bracket)) }
}

extension Span<UInt8> {
  /// The first byte that cannot stand in a JSON string as it is, looked for eight at a time.
  fileprivate func firstToEscape(_ range: Range<Int>) -> Int? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var i = range.lowerBound
    while i + 8 <= range.upperBound {
      let word = word(at: i)
      // The top bit of a byte is set by the subtraction where the byte was below 0x20, or equal to the quote or the
      // backslash (then XOR left 0). A borrow may set more, so a hit is looked at byte by byte.
      let quotes = word ^ ones &* 0x22
      let slashes = word ^ ones &* 0x5C
      let hits =
        (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes
      if hits & 0x8080_8080_8080_8080 != 0 { break }
      i += 8
    }
    while i < range.upperBound {
      if self[i] < 0x20 || self[i] == UInt8(ascii: "\"") || self[i] == UInt8(ascii: "\\") { return i }
      i += 1
    }
    return nil
  }
}
