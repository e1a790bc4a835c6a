/// The repaired start tag of `HealthData`; it has one attribute, `locale`.
enum RootTag {
  /// Value of `name` in `<HealthData name="value" …>`, with the predefined entities resolved.
  static func attribute(_ name: String, in tag: [UInt8]) -> String? {
    var rest = tag.drop { $0 != UInt8(ascii: " ") && ByteClass.table[Int($0)] & ByteClass.white == 0 }
    while let equals = rest.firstIndex(of: Byte.equals) {
      let found = rest[..<equals].filter { ByteClass.table[Int($0)] & ByteClass.white == 0 }
      guard let open = rest[equals...].firstIndex(where: { $0 == Byte.quote || $0 == Byte.apostrophe }),
        let close = rest[(open + 1)...].firstIndex(of: rest[open])
      else { return nil }
      if found.elementsEqual(name.utf8) { return unescaped(String(decoding: rest[(open + 1)..<close], as: UTF8.self)) }
      rest = rest[(close + 1)...]
    }
    return nil
  }

  private static func unescaped(_ text: String) -> String {
    guard text.contains("&") else { return text }
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
    return entities.reduce(text) { $0.replacing($1.0, with: $1.1) }
  }
}
