/// A `device` attribute (export-format §7.4):
///
/// ```
/// <<HKDevice: 0x282f1b5c0>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch7,2, software:10.1>
/// ```
/// The number is a place in the exporting phone's memory: it differs from sample to sample and means nothing. Values may
/// contain commas and colons, so a value ends where the next known field begins.
enum DeviceString {
  /// What follows the address in `bytes[range]`; the whole text when it has none.
  static func description(_ range: Range<Int>, of bytes: Span<UInt8>) -> Range<Int> {
    address(in: range, of: bytes).map { $0.upperBound..<range.upperBound } ?? range
  }

  /// The address, `0x` and digits near the beginning, with the colon and space before it.
  static func address(in range: Range<Int>, of bytes: Span<UInt8>) -> Range<Int>? {
    let limit = min(range.upperBound - 1, range.lowerBound + 32)
    // Where it nearly always stands, else anywhere near the beginning.
    var position = range.lowerBound + 12
    if position >= limit || bytes[position] != UInt8(ascii: "0") || bytes[position + 1] != UInt8(ascii: "x") {
      position = range.lowerBound
    }
    while position < limit, bytes[position] != UInt8(ascii: "0") || bytes[position + 1] != UInt8(ascii: "x") {
      position += 1
    }
    guard position < limit else { return nil }
    var end = position + 2
    while end < range.upperBound, isHexadecimal(bytes[end]) { end += 1 }
    let hasColon =
      position >= range.lowerBound + 2 && bytes[position - 2] == UInt8(ascii: ":") && bytes[position - 1] == 0x20
    return (hasColon ? position - 2 : position)..<end
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    byte &- 0x30 <= 9 || (byte | 0x20) &- 0x61 <= 5
  }

  private static let fields = [
    "name", "manufacturer", "model", "hardware", "firmware", "software", "localIdentifier", "UDIDeviceIdentifier",
    "FDA UDI", "creation date", "productType", "product",
  ]

  /// The fields of a device text, with or without its address.
  static func parse(_ text: String) -> [String: String] {
    let marks = fields.flatMap { field in
      text.ranges(of: ", \(field):").map { (field: field, range: $0) }
    }.sorted { $0.range.lowerBound < $1.range.lowerBound }
    var result: [String: String] = [:]
    for (index, mark) in marks.enumerated() {
      let end = index + 1 < marks.count ? marks[index + 1].range.lowerBound : text.endIndex
      guard mark.range.upperBound <= end, result[mark.field] == nil else { continue }
      var value = text[mark.range.upperBound..<end]
      if index + 1 == marks.count, value.last == ">" { value.removeLast() }
      result[mark.field] = String(value)
    }
    return result
  }

  /// Whether hardware or model names a watch or a phone: `Watch7,2`, `Watch`, `iPhone14,5`, `iPhone`.
  static func isApple(_ product: String, _ fields: [String: String]) -> Bool {
    ["hardware", "model", "productType", "product"].contains { field in
      guard let value = fields[field] else { return false }
      let rest =
        value.hasPrefix("Apple " + product) ? value.dropFirst(product.count + 6) : value.dropFirst(product.count)
      return value.hasSuffix(product) && rest.isEmpty || value.hasPrefix(product) && rest.first?.isNumber == true
    }
  }
}
