/// The union of two canonical JSON objects (`JSONObject.write`): members of both, sorted; of a key that both have with
/// different values the value that is greater in byte order, so it does not matter which comes first (DESIGN §3.4).
enum JSONUnion {
  /// Appends the union of `bytes[a]` and `bytes[b]` to `output`. An empty piece is an object without members; two of
  /// them give nothing.
  static func append(_ a: Range<Int>, _ b: Range<Int>, of bytes: Span<UInt8>, to output: inout [UInt8]) {
    if a.isEmpty || b.isEmpty || bytes.order(a, b) == 0 {
      output.append(a.isEmpty ? b : a, of: bytes)
      return
    }
    var left = JSONMembers(of: a, in: bytes)
    var right = JSONMembers(of: b, in: bytes)
    output.append(UInt8(ascii: "{"))
    while let piece = next(&left, &right, bytes) {
      output.appendSeparator()
      output.append(piece, of: bytes)
    }
    output.append(UInt8(ascii: "}"))
  }

  /// The text of the union's next member.
  private static func next(
    _ left: inout JSONMembers, _ right: inout JSONMembers, _ bytes: Span<UInt8>
  ) -> Range<Int>? {
    guard let a = left.current, let b = right.current else {
      let only = left.current ?? right.current
      left.advance(in: bytes)
      right.advance(in: bytes)
      return only.map { $0.key.lowerBound - 1..<$0.value.upperBound }
    }
    let order = bytes.order(a.key, b.key)
    if order <= 0 { left.advance(in: bytes) }
    if order >= 0 { right.advance(in: bytes) }
    let takesLeft = order < 0 || order == 0 && bytes.order(a.value, b.value) >= 0
    let member = takesLeft ? a : b
    return member.key.lowerBound - 1..<member.value.upperBound
  }
}

/// The members of one canonical JSON object (no white space), one after another.
struct JSONMembers {
  /// A key without its quotes, and its value.
  typealias Member = (key: Range<Int>, value: Range<Int>)

  private(set) var current: Member?
  private var position: Int
  private let end: Int

  /// `object` includes the braces.
  init(of object: Range<Int>, in bytes: Span<UInt8>) {
    position = object.lowerBound + 1
    end = object.upperBound - 1
    advance(in: bytes)
  }

  mutating func advance(in bytes: Span<UInt8>) {
    guard position < end else {
      current = nil
      return
    }
    let keyEnd = JSONMembers.endOfString(from: position, in: bytes)
    let valueStart = keyEnd + 1
    var valueEnd = valueStart
    var depth = 0
    while valueEnd < end, depth > 0 || bytes[valueEnd] != UInt8(ascii: ",") {
      switch bytes[valueEnd] {
      case UInt8(ascii: "\""): valueEnd = JSONMembers.endOfString(from: valueEnd, in: bytes)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        valueEnd += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        valueEnd += 1
      default: valueEnd += 1
      }
    }
    current = (position + 1..<keyEnd - 1, valueStart..<valueEnd)
    position = valueEnd + 1
  }

  /// What the JSON string `bytes[string]`, as `appendJSON` writes it, stands for.
  static func text(ofString string: Range<Int>, in bytes: Span<UInt8>) -> String {
    var result: [UInt8] = []
    var i = string.lowerBound + 1
    while i < string.upperBound - 1 {
      guard bytes[i] == UInt8(ascii: "\\") else {
        result.append(bytes[i])
        i += 1
        continue
      }
      switch bytes[i + 1] {
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"):
        result.append(UInt8(bytes.string(i + 2..<i + 6), radix: 16) ?? 0)
        i += 4
      default: result.append(bytes[i + 1])
      }
      i += 2
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Index after the closing quote of the string that opens at `start`.
  private static func endOfString(from start: Int, in bytes: Span<UInt8>) -> Int {
    var i = start + 1
    while bytes[i] != UInt8(ascii: "\"") { i += bytes[i] == UInt8(ascii: "\\") ? 2 : 1 }
    return i + 1
  }
}
