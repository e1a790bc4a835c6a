/// What all JSON that hk2pg writes byte by byte has in common: metadata of rows, answers to clients.
extension [UInt8] {
  package mutating func append(raw text: String) {
    for byte in text.utf8 { append(byte) }
  }

  /// A quote, a backslash or a control character as it stands in a JSON string.
  package mutating func appendJSONEscape(of byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append(raw: "\\\"")
    case UInt8(ascii: "\\"): append(raw: "\\\\")
    case 0x0A: append(raw: "\\n")
    case 0x0D: append(raw: "\\r")
    case 0x09: append(raw: "\\t")
    default:
      append(raw: "\\u00")
      for digit in [byte >> 4, byte & 15] { append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10) }
    }
  }

  package mutating func append(json value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(decimal: value.magnitude, width: 1)
  }

  /// The shortest decimal that reads back as `value` (finite); whole numbers without a point.
  package mutating func append(json value: Double) {
    if let whole = Int64(exactly: value), whole.magnitude < 1 << 53, whole != 0 || value.sign == .plus {
      append(json: whole)
      return
    }
    var text = value.description
    if text.hasSuffix(".0") { text.removeLast(2) }
    append(raw: text)
  }

  package mutating func append(decimal value: UInt64, width: Int) {
    var digits = 1
    var power: UInt64 = 1
    while value / power >= 10 || digits < width {
      power *= 10
      digits += 1
    }
    while power > 0 {
      append(UInt8(truncatingIfNeeded: value / power % 10) + 0x30)
      power /= 10
    }
  }
}
