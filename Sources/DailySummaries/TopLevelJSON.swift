/// Finds the members of a JSON object without building it: ours (no white space) and what Postgres prints of a jsonb.
enum TopLevelJSON {
  /// Calls `body` with the ranges of each member's key (inside its quotes, escapes as they stand) and value. Stops
  /// silently where the bytes are no object.
  static func forEachMember(of bytes: Span<UInt8>, _ body: (_ key: Range<Int>, _ value: Range<Int>) -> Void) {
    var index = skipSpace(bytes, 0)
    guard index < bytes.count, bytes[index] == UInt8(ascii: "{") else { return }
    index += 1
    while true {
      index = skipSpace(bytes, index)
      guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return }
      let keyEnd = stringEnd(bytes, index)
      let key = index + 1..<max(index + 1, keyEnd - 1)
      index = skipSpace(bytes, keyEnd)
      guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { return }
      let start = skipSpace(bytes, index + 1)
      let end = valueEnd(bytes, start)
      guard end > start else { return }
      body(key, start..<end)
      index = skipSpace(bytes, end)
      guard index < bytes.count, bytes[index] == UInt8(ascii: ",") else { return }
      index += 1
    }
  }

  static func equals(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
    guard range.count == text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { expected in
      for i in 0..<range.count where unsafe expected[i] != bytes[range.lowerBound + i] { return false }
      return true
    }
  }

  /// A value's text: of a string what is between its quotes.
  static func unquoted(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Range<Int> {
    value.count >= 2 && bytes[value.lowerBound] == UInt8(ascii: "\"")
      ? value.lowerBound + 1..<value.upperBound - 1 : value
  }

  /// A number, or a string that holds one.
  static func number(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Double? {
    var text = ""
    for i in unquoted(bytes, value) { text.unicodeScalars.append(Unicode.Scalar(bytes[i])) }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  private static func skipSpace(_ bytes: Span<UInt8>, _ start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
    return index
  }

  /// Behind the closing quote of the string that opens at `start`.
  private static func stringEnd(_ bytes: Span<UInt8>, _ start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }

  private static func valueEnd(_ bytes: Span<UInt8>, _ start: Int) -> Int {
    var index = start
    var depth = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index = stringEnd(bytes, index)
        if depth == 0 { return index }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return index }
        depth -= 1
        if depth == 0 { return index + 1 }
      case UInt8(ascii: ","), 0...0x20: if depth == 0 { return index }
      default: break
      }
      index += 1
    }
    return index
  }
}
