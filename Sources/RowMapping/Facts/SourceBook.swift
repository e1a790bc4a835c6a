import HealthModel

/// The sources met so far: what `source_device` their rows get, and what their samples and device strings say.
struct SourceBook {
  struct Entry: BitwiseCopyable {
    /// sourceName as stored: U+00A0 written as a space.
    let symbol: Symbol
    let nameLength: Int
    var sampleCount = 0
    var first = Instant(microseconds: .max)
    var last = Instant(microseconds: .min)
    fileprivate var lastVersion = Symbol.empty
    /// The last device description, in `deviceText`.
    fileprivate var deviceStart = 0
    fileprivate var deviceLength = -1
  }

  private struct Device: Hashable {
    var source: Symbol
    var description: [UInt8]
  }

  private(set) var entries: [Entry] = []
  /// Entry by the raw name's symbol index, -1 where none.
  private var entryIndexes: [Int32] = []
  private var deviceText: [UInt8] = []
  /// Where a description stands in `deviceText`.
  private var knownDevices: [Device: Int] = [:]
  private var facts: [Symbol: SourceFacts] = [:]
  private let table: SymbolTable
  /// Memory that sources and what is known of them take, roughly.
  private(set) var byteCount = 0

  /// What is remembered of device strings is forgotten beyond this: a hostile export may have a new one per record.
  private static let rememberedBytes = 1 << 20
  /// About what a source, or a name in its facts, costs beside its bytes.
  private static let bytesPerEntry = 100

  init(_ table: SymbolTable) { self.table = table }

  /// The entry of a source by the symbol of its name as exported.
  mutating func entryIndex(of rawName: Symbol) -> Int {
    let symbolIndex = Int(rawName.index)
    if symbolIndex < entryIndexes.count, entryIndexes[symbolIndex] >= 0 { return Int(entryIndexes[symbolIndex]) }
    var name: [UInt8] = []
    for byte in table.bytes(of: rawName) {
      // U+00A0 is C2 A0.
      if byte == 0xA0, name.last == 0xC2 { name[name.count - 1] = 0x20 } else { name.append(byte) }
    }
    while entryIndexes.count <= symbolIndex { entryIndexes.append(-1) }
    entryIndexes[symbolIndex] = Int32(entries.count)
    entries.append(Entry(symbol: table.intern(name), nameLength: name.count))
    byteCount += SourceBook.bytesPerEntry
    return entries.count - 1
  }

  /// Counts a sample of the source at `entry`.
  mutating func count(entry: Int, start: Instant) {
    entries[entry].sampleCount += 1
    if start < entries[entry].first { entries[entry].first = start }
    if entries[entry].last < start { entries[entry].last = start }
  }

  mutating func note(version: Symbol, entry: Int) {
    if version == entries[entry].lastVersion { return }
    entries[entry].lastVersion = version
    add(table.text(of: version), to: \.versions, of: entries[entry].symbol)
  }

  /// Takes in a device string; one that equals the source's last, but for the address, costs one comparison.
  mutating func note(device: Range<Int>, of bytes: Span<UInt8>, entry: Int) {
    let description = DeviceString.description(device, of: bytes)
    let last = entries[entry]
    if last.deviceLength == description.count,
      bytes.isEqual(
        description, to: deviceText.span, last.deviceStart..<last.deviceStart + last.deviceLength)
    {
      return
    }
    remember(description, of: bytes, entry: entry)
  }

  private mutating func remember(_ description: Range<Int>, of bytes: Span<UInt8>, entry: Int) {
    var copy: [UInt8] = []
    copy.append(description, of: bytes)
    if deviceText.count + copy.count > SourceBook.rememberedBytes {
      deviceText.removeAll(keepingCapacity: true)
      knownDevices.removeAll(keepingCapacity: true)
      for i in entries.indices { entries[i].deviceLength = -1 }
    }
    let source = entries[entry].symbol
    let device = Device(source: source, description: copy)
    entries[entry].deviceStart = knownDevices[device] ?? deviceText.count
    entries[entry].deviceLength = copy.count
    if knownDevices[device] != nil { return }
    knownDevices[device] = deviceText.count
    deviceText += copy
    let fields = DeviceString.parse(String(decoding: copy, as: UTF8.self))
    if let name = fields["name"] { add(name, to: \.deviceNames, of: source) }
    if let model = fields["model"] { add(model, to: \.models, of: source) }
    if let hardware = fields["hardware"] { add(hardware, to: \.hardware, of: source) }
    if DeviceString.isApple("Watch", fields) { facts[source, default: SourceFacts()].hasWatchDevice = true }
    if DeviceString.isApple("iPhone", fields) { facts[source, default: SourceFacts()].hasPhoneDevice = true }
  }

  private mutating func add(_ text: String, to names: WritableKeyPath<SourceFacts, Set<String>>, of source: Symbol) {
    // Interned, so that all mappers together count it once.
    _ = table.intern(text)
    let isNew = facts[source, default: SourceFacts()][keyPath: names].insert(text).inserted
    if isNew { byteCount += text.utf8.count + SourceBook.bytesPerEntry }
  }

  func report(to exportFacts: inout ExportFacts) {
    for (source, known) in facts {
      exportFacts.sources[source] = (exportFacts.sources[source] ?? SourceFacts()).merged(with: known)
    }
    for entry in entries where entry.sampleCount > 0 {
      var counted = SourceFacts()
      counted.sampleCount = entry.sampleCount
      counted.firstSample = entry.first
      counted.lastSample = entry.last
      exportFacts.sources[entry.symbol] = (exportFacts.sources[entry.symbol] ?? SourceFacts()).merged(with: counted)
    }
  }
}
