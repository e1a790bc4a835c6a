/// export.xml on its way out: elements in, megabytes to the sink.
struct ExportDocument: ~Copyable {
  var buffer = ByteBuffer(capacity: 1 << 20)
  private let sink: any ByteSink
  private var flushedCount = 0
  /// Heap addresses in device texts.
  private var addresses = SplitMix64(seed: 0)
  private var address: UInt64 = 0

  init(sink: any ByteSink, offset: Int) {
    self.sink = sink
    buffer.setOffset(offset)
  }

  var byteCount: Int { flushedCount + buffer.count }

  /// No element that is written in one go is longer.
  static let longestElement = 16_384

  /// Call before every element (or piece of at most `longestElement` bytes).
  mutating func makeRoom() throws(SyntheticExportError) {
    if buffer.room < ExportDocument.longestElement { try flush() }
  }

  mutating func flush() throws(SyntheticExportError) {
    flushedCount += buffer.count
    try unsafe buffer.withBytes { bytes throws(SyntheticExportError) in unsafe try sink.write(bytes) }
    buffer.removeAll()
  }

  /// Addresses of one type and day, so that nothing before or after can change them.
  mutating func beginAddresses(_ addresses: SplitMix64) {
    self.addresses = addresses
    address = self.addresses.next()
  }

  // MARK: Records

  /// A Record at the top level, complete.
  mutating func write(_ sample: Sample, of type: RecordType, era: Int) throws(SyntheticExportError) {
    try makeRoom()
    buffer.append(0x20)
    writeStart(sample, of: type, era: era)
    if sample.note >= 0 {
      buffer.append(">\n")
      buffer.append(type.notes[sample.note])
      buffer.append(" </Record>\n")
    } else {
      buffer.append("/>\n")
    }
  }

  /// `<Record …` up to and including the value, without the closing `>`.
  mutating func writeStart(_ sample: Sample, of type: RecordType, era: Int) {
    write(type.heads[sample.source.rawValue][era])
    writeDates(sample)
    switch type.value {
    case .number(let decimals):
      buffer.append(" value=\"")
      buffer.append(decimal: sample.value, decimals: decimals)
      buffer.append(0x22)
    case .names(let names):
      guard sample.value >= 0 else { return }
      buffer.append(" value=\"")
      buffer.append(names[sample.value])
      buffer.append(0x22)
    }
  }

  /// Head of an element, with a device address that changes every few records.
  mutating func write(_ head: RecordType.Head) {
    buffer.append(head.beforeAddress)
    guard !head.afterAddress.isEmpty else { return }
    let drawn = addresses.next()
    if drawn >> 62 != 0 { address = drawn }
    buffer.append(address: 0x3_0000_0000 | address & 0xFFFF_FFE0)
    buffer.append(head.afterAddress)
  }

  /// Dates after `creationDate="`, which the head ends with.
  mutating func writeDates(_ sample: Sample) {
    buffer.append(date: sample.created)
    buffer.append("\" startDate=\"")
    buffer.append(date: sample.start)
    buffer.append("\" endDate=\"")
    buffer.append(date: sample.end)
    buffer.append(0x22)
  }

  // MARK: Small pieces

  /// ` name="text"`; `text` must be escaped.
  mutating func write(attribute name: String, _ text: String) { buffer.append(text: " \(name)=\"\(text)\"") }

  mutating func write(attribute name: String, date: Int) {
    buffer.append(text: " \(name)=\"")
    buffer.append(date: date)
    buffer.append(0x22)
  }

  mutating func write(attribute name: String, decimal mantissa: Int, decimals: Int) {
    buffer.append(text: " \(name)=\"")
    buffer.append(decimal: mantissa, decimals: decimals)
    buffer.append(0x22)
  }

  mutating func write(metadata key: String, _ value: String, indent: Int) {
    buffer.append(text: String(repeating: " ", count: indent))
    buffer.append(text: "<MetadataEntry key=\"\(escaped(key))\" value=\"\(escaped(value))\"/>\n")
  }
}
