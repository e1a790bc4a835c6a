/// One type of Record with everything about its text that does not change from record to record.
struct RecordType {
  enum Value {
    /// A number with this many decimals; `Sample.value` is its mantissa.
    case number(decimals: Int)
    /// A category's names; `Sample.value` is the index, negative: no value attribute.
    case names([[UInt8]])
  }

  /// ` <Record type="…" sourceName="…" sourceVersion="…" device="&lt;&lt;HKDevice: 0x`, then an address, then the rest.
  struct Head {
    var beforeAddress: [UInt8] = []
    /// Empty: there is no device, and `beforeAddress` reaches to the creation date.
    var afterAddress: [UInt8] = []
  }

  let name: String
  let value: Value
  let stream: UInt64
  /// MetadataEntry lines a sample can point at with `Sample.note`.
  let notes: [[UInt8]]
  /// By source, then era.
  private(set) var heads: [[Head]]

  init(_ name: String, unit: String?, value: Value, notes: [String] = [], sources: [Source], eraCount: Int) {
    self.name = name
    self.value = value
    self.stream = Stream.base(of: name)
    self.notes = notes.map { Array($0.utf8) }
    heads = Array(repeating: [], count: Source.allCases.count)
    for source in sources {
      heads[source.rawValue] = (0..<eraCount).map { RecordType.head("<Record type=\"\(name)\"", source, $0, unit) }
    }
  }

  /// `opening` and the attributes that all samples share.
  static func head(_ opening: String, _ source: Source, _ era: Int, _ unit: String? = nil) -> Head {
    var text = opening + " sourceName=\"\(escaped(source.name))\""
    if let version = source.version(era: era) { text += " sourceVersion=\"\(version)\"" }
    let unitText = unit.map { " unit=\"\(escaped($0))\"" } ?? ""
    guard let device = source.device(era: era) else {
      return Head(beforeAddress: Array((text + unitText + " creationDate=\"").utf8))
    }
    return Head(
      beforeAddress: Array((text + " device=\"&lt;&lt;HKDevice: 0x").utf8),
      afterAddress: Array((device + "\"" + unitText + " creationDate=\"").utf8))
  }
}

/// One line `  <MetadataEntry key="…" value="…"/>` as a child of a Record at the top level.
func metadataLine(_ key: String, _ value: String) -> String {
  "  <MetadataEntry key=\"\(escaped(key))\" value=\"\(escaped(value))\"/>\n"
}

/// What differs from one Record of a type to the next. Instants are seconds since 1970.
struct Sample: BitwiseCopyable {
  var start: Int
  var end: Int
  var created: Int
  var value: Int
  var source: Source
  /// Index into the type's `notes`, negative: no metadata.
  var note: Int = -1
}
