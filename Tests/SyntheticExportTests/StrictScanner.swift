/// A small XML reader that forgives nothing: every tag closed, every attribute quoted and once only, no bare `<` or `&`
/// in a value. It knows the few constructs an export has and fails on any other.
struct StrictScanner {
  struct Element {
    var name: String
    /// In the order of the file, entities resolved.
    var attributes: [(name: String, value: String)]
    /// Index of the element around it, nil for the root.
    var parent: Int?
    var depth: Int

    subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }
  }

  enum Failure: Error, Equatable { case at(offset: Int, String) }

  private let bytes: [UInt8]
  private var position = 0
  private(set) var elements: [Element] = []

  static func elements(of bytes: [UInt8]) throws -> [Element] {
    var scanner = StrictScanner(bytes: bytes)
    try scanner.scan()
    return scanner.elements
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func scan() throws {
    try skip("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    if starts(with: "<!DOCTYPE") { try skipPast("\n]>\n") }
    var open: [Int] = []
    while position < bytes.count {
      if bytes[position] == 0x0A || bytes[position] == 0x20 {
        position += 1
      } else if starts(with: "</") {
        position += 2
        guard let last = open.popLast(), try name() == elements[last].name else { throw failure("wrong end tag") }
        try skip(">")
        if open.isEmpty { break }
      } else {
        try scanElement(&open)
      }
    }
    try skip("\n")
    guard open.isEmpty, position == bytes.count else { throw failure("no clean end") }
  }

  private mutating func scanElement(_ open: inout [Int]) throws {
    try skip("<")
    var element = Element(name: try name(), attributes: [], parent: open.last, depth: open.count)
    while starts(with: " ") {
      position += 1
      let name = try name()
      try skip("=\"")
      guard element[name] == nil else { throw failure("attribute \(name) twice") }
      element.attributes.append((name, try value()))
    }
    elements.append(element)
    if starts(with: "/>") {
      position += 2
    } else {
      try skip(">")
      open.append(elements.count - 1)
    }
  }

  private mutating func name() throws -> String {
    let start = position
    while position < bytes.count, isLetter(bytes[position]) { position += 1 }
    guard position > start else { throw failure("no name") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) || (0x30...0x39).contains(byte) }

  /// Up to the closing quote.
  private mutating func value() throws -> String {
    var text: [UInt8] = []
    while position < bytes.count, bytes[position] != 0x22 {
      guard bytes[position] != 0x3C, bytes[position] >= 0x20 else { throw failure("illegal byte in a value") }
      guard bytes[position] == 0x26 else {
        text.append(bytes[position])
        position += 1
        continue
      }
      let entities: [(String, UInt8)] = [("&amp;", 0x26), ("&lt;", 0x3C), ("&gt;", 0x3E), ("&quot;", 0x22)]
      guard let (entity, byte) = entities.first(where: { starts(with: $0.0) }) else { throw failure("bare &") }
      text.append(byte)
      position += entity.utf8.count
    }
    try skip("\"")
    guard let decoded = String(validating: text, as: UTF8.self) else { throw failure("no UTF-8") }
    return decoded
  }

  private func starts(with text: String) -> Bool {
    bytes[position...].starts(with: text.utf8)
  }

  private mutating func skip(_ text: String) throws {
    guard starts(with: text) else { throw failure("expected \(text)") }
    position += text.utf8.count
  }

  private mutating func skipPast(_ text: String) throws {
    while position < bytes.count, !starts(with: text) { position += 1 }
    try skip(text)
  }

  private func failure(_ reason: String) -> Failure { .at(offset: position, reason) }
}
