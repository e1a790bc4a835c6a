import HealthModel
import RowMapping

/// Elements from XML text, for tests: one well-formed element, entities as exports have them.
extension ExportElement {
  init(_ xml: String, inputOffset: Int64 = 0) {
    self.init()
    self.inputOffset = inputOffset
    var scanner = Array(xml)[...]
    var open: [Int32] = []
    while let start = scanner.firstIndex(of: "<") {
      scanner = scanner[(start + 1)...]
      if scanner.first == "/" {
        open.removeLast()
        continue
      }
      let name = String(scanner.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" })
      scanner = scanner.dropFirst(name.count)
      let first = Int32(attributes.count)
      while true {
        scanner = scanner.drop(while: \.isWhitespace)
        if scanner.first == ">" || scanner.first == "/" { break }
        let key = String(scanner.prefix { $0 != "=" })
        scanner = scanner.dropFirst(key.count + 2)
        let value = String(scanner.prefix { $0 != "\"" })
        scanner = scanner.dropFirst(value.count + 1)
        addAttribute(key, decoded(value))
      }
      addNode(name, parent: open.last ?? -1, firstAttribute: first)
      if scanner.first == ">" { open.append(Int32(nodes.count - 1)) }
    }
  }

  private mutating func addNode(_ name: String, parent: Int32, firstAttribute: Int32) {
    let known = ElementName.allCases.first { $0 != .other && $0.exportName == name } ?? .other
    let start = Int32(bytes.count)
    if known == .other { bytes += Array(name.utf8) }
    nodes.append(
      Node(
        name: known, parent: parent, firstAttribute: firstAttribute,
        attributeCount: Int32(attributes.count) - firstAttribute, nameStart: start,
        nameLength: Int32(bytes.count) - start))
  }

  private mutating func addAttribute(_ name: String, _ value: String) {
    let known = AttributeName.allCases.first { $0 != .other && $0.exportName == name } ?? .other
    let start = Int32(bytes.count)
    if known == .other { bytes += Array(name.utf8) }
    let valueStart = Int32(bytes.count)
    bytes += Array(value.utf8)
    attributes.append(
      Attribute(
        name: known, nameStart: start, nameLength: valueStart - start, valueStart: valueStart,
        valueLength: Int32(bytes.count) - valueStart))
  }

  private func decoded(_ text: String) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#10;", "\n"), ("&#9;", "\t"), ("&#0;", "\0")]
    return (entities + [("&amp;", "&")]).reduce(text) { result, entity in
      result.split(separator: entity.0, omittingEmptySubsequences: false).joined(separator: entity.1)
    }
  }
}

/// What the mapper made of some elements.
struct Mapped {
  var symbols = SymbolTable()
  var buffer = SampleBuffer()
  var facts = ExportFacts()
  var rejections: [Rejection] = []

  init(_ elements: [String], userByteCount: Int = 4) {
    var mapper = RowMapper(symbols: symbols, userByteCount: userByteCount)
    mapper.rejectionLimit = 100
    for (index, xml) in elements.enumerated() {
      mapper.map(ExportElement(xml, inputOffset: Int64(index * 1000)), into: &buffer)
    }
    facts = mapper.facts
    rejections = mapper.rejections
  }

  init(_ elements: String..., userByteCount: Int = 4) { self.init(elements, userByteCount: userByteCount) }

  /// All samples in the order of their types and arrival, as text.
  var rows: [Row] {
    buffer.runs.flatMap { run in
      run.records.map { Row($0, type: run.type, payload: buffer.payload, symbols: symbols) }
    }
  }

  var row: Row { rows[0] }

  func rows(_ type: String) -> [Row] { rows.filter { $0.type == type } }

  /// Count and first offset of a problem; nil where there is none.
  func problem(_ kind: ProblemKind) -> [Int64]? {
    facts.problems.entries[kind].map { [Int64($0.count), $0.firstOffset] }
  }

  struct Row {
    var type: String
    var value: Double?
    /// As it will be stored.
    var unit: String
    var exportedUnit: String
    var source: String
    var subtype: String
    var start: String
    var end: String?
    var json: String
    var flags: SampleRecord.Flags
    var naming: UInt64
    var record: SampleRecord

    init(_ record: SampleRecord, type: Symbol, payload: [UInt8], symbols: SymbolTable) {
      self.type = symbols.text(of: type)
      self.record = record
      value = record.numericValue
      exportedUnit = symbols.text(of: record.exportedUnit)
      unit =
        record.flags.contains(.isConverted) ? Catalogue.canonicalUnit(ofType: self.type) ?? "?" : exportedUnit
      source = symbols.text(of: record.source)
      subtype = symbols.text(of: record.subtype)
      start = iso(record.start)
      end = record.flags.contains(.hasEnd) ? iso(record.end) : nil
      json = String(decoding: payload[record.payloadRange], as: UTF8.self)
      flags = record.flags
      naming = record.naming
    }
  }
}

func iso(_ instant: Instant) -> String {
  let seconds = instant.seconds - Int64(instant.utcDay.daysSince1970) * 86_400
  func two(_ n: Int64) -> String { (n < 10 ? "0" : "") + String(n) }
  let microseconds = instant.microseconds - instant.seconds * 1_000_000
  return "\(instant.utcDay)T\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    + (microseconds == 0 ? "Z" : ".\(String(repeating: "0", count: 6 - String(microseconds).count))\(microseconds)Z")
}

/// An instant as an export prints it.
func printed(_ instant: Instant, offset: Int) -> String {
  let local = Instant(seconds: instant.seconds + Int64(offset))
  let minutes = abs(offset) / 60
  func two(_ n: Int) -> String { (n < 10 ? "0" : "") + String(n) }
  let text = local.iso8601.dropLast().split(separator: "T").joined(separator: " ")
  return "\(text) \(offset < 0 ? "-" : "+")\(two(minutes / 60))\(two(minutes % 60))"
}
