package import HealthModel

/// Looks at a FHIR resource without taking it apart: is it JSON that `jsonb` can hold, and what kind of resource?
package enum FHIRReader {
  /// Throws where the text stops being JSON, or holds what `jsonb` cannot.
  package static func read(_ bytes: [UInt8]) throws(SideFileError) -> FHIRResource {
    let start = bytes.starts(with: Text.byteOrderMark) ? 3 : 0
    let range = Text.trimmed(start..<bytes.count, of: bytes)
    var scanner = JSONScanner(Array(bytes[range]))
    do {
      try scanner.scan()
    } catch {
      switch error {
      case .malformed(let offset): throw .malformedJSON(at: range.lowerBound + offset)
      case .unstorable(let offset): throw .unstorableJSON(at: range.lowerBound + offset)
      }
    }
    return FHIRResource(resourceType: scanner.resourceType, json: scanner.bytes)
  }
}

/// Checks RFC 8259 and, beyond it, the limits of `jsonb`.
private struct JSONScanner {
  enum Fault: Error {
    case malformed(Int)
    case unstorable(Int)
  }

  /// PostgreSQL recurses; its stack would hold some thousand.
  private static let maximumDepth = 512
  /// `numeric` holds 131,072 digits before the point and 16,383 after it; no measured number needs a hundredth.
  private static let maximumNumberLength = 1000
  private static let maximumExponent = 1000

  let bytes: [UInt8]
  private var position = 0
  private var depth = 0
  /// Value of the top-level member `resourceType`.
  private(set) var resourceType: String?

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func scan() throws(Fault) {
    if let bad = JSONScanner.firstInvalidUTF8(bytes) { throw .malformed(bad) }
    try value()
    skipWhite()
    if position < bytes.count { throw .malformed(position) }
  }

  private mutating func value() throws(Fault) {
    skipWhite()
    switch peek {
    case UInt8(ascii: "{"): try nested { scanner throws(Fault) in try scanner.object() }
    case UInt8(ascii: "["): try nested { scanner throws(Fault) in try scanner.array() }
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: try number()
    }
  }

  private mutating func nested(_ body: (inout JSONScanner) throws(Fault) -> Void) throws(Fault) {
    depth += 1
    if depth > JSONScanner.maximumDepth { throw .unstorable(position) }
    position += 1
    try body(&self)
    depth -= 1
  }

  private mutating func object() throws(Fault) {
    skipWhite()
    if take(UInt8(ascii: "}")) { return }
    repeat {
      skipWhite()
      let keyStart = position
      try string()
      let key = bytes[keyStart..<position]
      skipWhite()
      guard take(UInt8(ascii: ":")) else { throw .malformed(position) }
      skipWhite()
      let valueStart = position
      try value()
      if depth == 1 && key.elementsEqual("\"resourceType\"".utf8) && bytes[valueStart] == UInt8(ascii: "\"") {
        resourceType = String(decoding: bytes[(valueStart + 1)..<(position - 1)], as: UTF8.self)
      }
      skipWhite()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw .malformed(position) }
  }

  private mutating func array() throws(Fault) {
    skipWhite()
    if take(UInt8(ascii: "]")) { return }
    repeat {
      try value()
      skipWhite()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw .malformed(position) }
  }

  // MARK: - Scalars

  private mutating func string() throws(Fault) {
    guard take(UInt8(ascii: "\"")) else { throw .malformed(position) }
    while let byte = peek {
      if byte == UInt8(ascii: "\"") {
        position += 1
        return
      }
      if byte < 0x20 { throw .malformed(position) }
      if byte == UInt8(ascii: "\\") { try escape() } else { position += 1 }
    }
    throw .malformed(position)
  }

  private mutating func escape() throws(Fault) {
    let start = position
    position += 1
    guard let kind = peek else { throw .malformed(position) }
    guard kind == UInt8(ascii: "u") else {
      guard "\"\\/bfnrt".utf8.contains(kind) else { throw .malformed(start) }
      position += 1
      return
    }
    let unit = try hexadecimal()
    if unit == 0 || UTF16.isTrailSurrogate(unit) { throw .unstorable(start) }
    guard UTF16.isLeadSurrogate(unit) else { return }
    guard take(UInt8(ascii: "\\")), peek == UInt8(ascii: "u") else { throw .unstorable(start) }
    if !UTF16.isTrailSurrogate(try hexadecimal()) { throw .unstorable(start) }
  }

  /// At the `u` of `\uXXXX`.
  private mutating func hexadecimal() throws(Fault) -> UInt16 {
    position += 1
    guard position + 4 <= bytes.count,
      bytes[position..<(position + 4)].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: bytes[position..<(position + 4)], as: UTF8.self), radix: 16)
    else { throw .malformed(position) }
    position += 4
    return unit
  }

  private mutating func number() throws(Fault) {
    let start = position
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if let byte = peek, byte | 0x20 == UInt8(ascii: "e") {
      position += 1
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      let exponent = position
      try digits()
      let value = Int(String(decoding: bytes[exponent..<position], as: UTF8.self)) ?? .max
      if value > JSONScanner.maximumExponent { throw .unstorable(start) }
    }
    if position - start > JSONScanner.maximumNumberLength { throw .unstorable(start) }
  }

  private mutating func digits() throws(Fault) {
    let start = position
    while let byte = peek, (0x30...0x39).contains(byte) { position += 1 }
    if position == start { throw .malformed(position) }
  }

  private mutating func word(_ text: String) throws(Fault) {
    guard bytes[position...].starts(with: text.utf8) else { throw .malformed(position) }
    position += text.utf8.count
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipWhite() {
    while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private static func firstInvalidUTF8(_ bytes: [UInt8]) -> Int? {
    var i = 0
    while i < bytes.count {
      if bytes[i] < 0x80 {
        i += 1
        continue
      }
      guard let (remaining, first) = UTF8Check.continuation(after: bytes[i]), i + remaining < bytes.count,
        first.contains(bytes[i + 1]), bytes[(i + 1)...(i + remaining)].allSatisfy({ $0 & 0xC0 == 0x80 })
      else { return i }
      i += remaining + 1
    }
    return nil
  }
}
