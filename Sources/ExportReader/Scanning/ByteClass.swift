/// What a byte can be to the scanner: one table lookup per byte on the way through a run.
enum ByteClass {
  static let nameStart: UInt8 = 1 << 0
  static let name: UInt8 = 1 << 1
  static let white: UInt8 = 1 << 2
  /// Ends a run inside of `"…"`: the quote, `&`, `<`, control characters, everything that is not ASCII.
  static let stopsDoubleQuoted: UInt8 = 1 << 3
  static let stopsSingleQuoted: UInt8 = 1 << 4
  /// Below 0x20, other than TAB, LF and CR: no character of XML.
  static let control: UInt8 = 1 << 5
  static let nonASCII: UInt8 = 1 << 6
  /// Part of a name after repairs: name characters, and what becomes U+FFFD or stays non-ASCII.
  static let anyName: UInt8 = 1 << 7

  typealias Table = InlineArray<256, UInt8>

  static let table: Table = {
    var table = Table(repeating: 0)
    for byte in UInt8.min...UInt8.max { table[Int(byte)] = classes(of: byte) }
    return table
  }()

  private static func classes(of byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: ":"):
      nameStart | name | anyName
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): name | anyName
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): white
    case UInt8(ascii: "\""): stopsDoubleQuoted
    case UInt8(ascii: "'"): stopsSingleQuoted
    case UInt8(ascii: "&"), UInt8(ascii: "<"): stopsDoubleQuoted | stopsSingleQuoted
    case 0..<0x20: control | anyName | stopsDoubleQuoted | stopsSingleQuoted
    case 0x80...: nonASCII | anyName | stopsDoubleQuoted | stopsSingleQuoted
    default: 0
    }
  }
}

/// The bytes the scanner compares with.
enum Byte {
  static let quote = UInt8(ascii: "\"")
  static let apostrophe = UInt8(ascii: "'")
  static let ampersand = UInt8(ascii: "&")
  static let semicolon = UInt8(ascii: ";")
  static let numberSign = UInt8(ascii: "#")
  static let less = UInt8(ascii: "<")
  static let greater = UInt8(ascii: ">")
  static let slash = UInt8(ascii: "/")
  static let equals = UInt8(ascii: "=")
  static let exclamation = UInt8(ascii: "!")
  static let question = UInt8(ascii: "?")
  static let hyphen = UInt8(ascii: "-")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")
  static let lineFeed = UInt8(ascii: "\n")

  /// U+FFFD in UTF-8.
  static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
}
