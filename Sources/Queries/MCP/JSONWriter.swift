import HealthModel

/// Writes a `JSONValue` as bytes, many times faster than `JSONEncoder`: an answer about ten years has half a megabyte.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: bytes.append(raw: "null")
    case .bool(let value): bytes.append(raw: value ? "true" : "false")
    case .int(let value): bytes.append(json: Int64(value))
    // JSON knows no infinity and no NaN.
    case .number(let value): value.isFinite ? bytes.append(json: value) : bytes.append(raw: "null")
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

  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.appendJSONEscape(of: byte)
      } else {
        bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
