/// Writes a `JSONValue` as bytes, many times faster than `JSONEncoder`: an answer about ten years has half a megabyte.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: raw("null")
    case .bool(let value): raw(value ? "true" : "false")
    case .int(let value): raw(value.description)
    case .number(let value): number(value)
    case .string(let value): string(value)
    case .array(let items):
      list(UInt8(ascii: "["), items, UInt8(ascii: "]")) { $0.write($1) }
    case .object(let members):
      // In order of their keys: the same answer has the same bytes.
      list(UInt8(ascii: "{"), members.sorted { $0.key < $1.key }, UInt8(ascii: "}")) {
        $0.string($1.key)
        $0.bytes.append(UInt8(ascii: ":"))
        $0.write($1.value)
      }
    }
  }

  private mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func list<Items: Collection>(
    _ open: UInt8, _ items: Items, _ close: UInt8, _ body: (inout JSONWriter, Items.Element) -> Void
  ) {
    bytes.append(open)
    var isFirst = true
    for item in items {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      body(&self, item)
    }
    bytes.append(close)
  }

  /// The shortest decimal that reads back as the number; whole ones without a point. JSON knows no infinity and no NaN.
  private mutating func number(_ value: Double) {
    guard value.isFinite else { return raw("null") }
    let text = value.description
    raw(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }

  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0A: raw("\\n")
      case 0x0D: raw("\\r")
      case 0x09: raw("\\t")
      case 0..<0x20:
        raw("\\u00")
        for digit in [byte >> 4, byte & 15] { bytes.append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10) }
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
