package import HealthModel

/// A sample that could not be mapped: what is wrong with it, and the first byte of its element in the input. Samples
/// inside a Correlation or Workout have the offset of that element.
package struct Rejection: Equatable, Sendable {
  package var kind: ProblemKind
  package var inputOffset: Int64

  package init(kind: ProblemKind, inputOffset: Int64) {
    self.kind = kind
    self.inputOffset = inputOffset
  }
}

/// Turns elements of an export into samples (DESIGN §2.3), one mapper per parser worker.
///
/// Everything a row holds is decided here, except what needs the other samples of its second (`IdentityResolver`) and
/// what stands in side files (`RouteMeasure`, `SideFileMetadata`). Nothing is allocated for a plain Record: strings
/// become symbols, JSON is written into the buffer's payload, and all scratch space is kept.
package struct RowMapper {
  /// Rejected samples since the caller last emptied the list; never more than `rejectionLimit`.
  package var rejections: [Rejection] = []
  /// How many `rejections` to keep. All are counted in `facts`.
  package var rejectionLimit = 0

  let table: SymbolTable
  var symbols: SymbolCache
  /// Records stand in runs of one type, source and day.
  private var recentType = SymbolCache.Recent()
  private var recentSource = SymbolCache.Recent()
  private var recentVersion = SymbolCache.Recent()
  var recentUnit = SymbolCache.Recent()
  private var dateMemo = DateParser.Memo()
  var types: TypeBook
  var sources: SourceBook
  var categories: CategoryBook
  var conversions: ConversionBook
  let entries = MetadataEntries()
  let fixed: FixedSymbols
  /// JSON in the making: the sample's metadata, an object inside it, statistics inside it.
  var object = JSONObject()
  var inner = JSONObject()
  var statistics = JSONObject()
  /// Entries of its member `unknown`, as text.
  var unknownParts: [UInt8] = []

  /// Values that the metadata in the making holds as cleaned text.
  var cleaned = 0

  /// Facts that are not counted in the books.
  var base = ExportFacts()
  private var newestCreation = Instant(microseconds: .min)
  private var newestZone = (name: Symbol.empty, start: Instant(microseconds: .min))
  private let userByteCount: Int

  /// Bytes that type, user and source may have together, and the type alone (DESIGN §2.3, §7.4).
  private static let keyByteLimit = 2400
  private static let typeByteLimit = 512

  /// - Parameters:
  ///   - symbols: shared by all mappers of the run.
  ///   - userByteCount: length of the user's name in UTF-8, which counts towards the limit of a row's key.
  package init(symbols: SymbolTable, userByteCount: Int) {
    table = symbols
    self.symbols = SymbolCache(symbols)
    types = TypeBook(symbols)
    sources = SourceBook(symbols)
    categories = CategoryBook(symbols)
    conversions = ConversionBook(symbols)
    fixed = FixedSymbols(symbols)
    self.userByteCount = userByteCount
  }

  /// Memory that names take in the symbols that all mappers share, or in the books of this one if that is more, roughly.
  /// It grows with the number of different sources, types, units, versions and devices, and a made-up export may have any
  /// number of these.
  package var nameByteCount: Int { max(table.byteCount, sources.byteCount + types.byteCount) }

  /// What this mapper has learned so far. Costs a pass over types and sources: ask once, at the end.
  package var facts: ExportFacts {
    var facts = base
    types.report(to: &facts)
    sources.report(to: &facts)
    categories.report(to: &facts)
    if newestCreation.microseconds != .min { facts.newestCreation = newestCreation }
    if newestZone.name != .empty { facts.noteZone(table.text(of: newestZone.name), start: newestZone.start) }
    return facts
  }

  /// Adds the samples in `element` to `buffer`, and what it says about the export to `facts`.
  package mutating func map(_ element: borrowing ExportElement, into buffer: inout SampleBuffer) {
    guard !element.nodes.isEmpty else { return }
    switch element.nodes[0].name {
    case .record: mapRecord(0, of: element, isCopy: false, into: &buffer)
    case .correlation: mapCorrelation(element, into: &buffer)
    case .workout: mapWorkout(element, into: &buffer)
    case .workoutRoute: mapRoute(0, of: element, workout: nil, into: &buffer)
    case .activitySummary: mapActivitySummary(element, into: &buffer)
    case .clinicalRecord: mapClinicalRecord(element, into: &buffer)
    case .audiogram: mapAudiogram(element, into: &buffer)
    case .visionPrescription: mapVisionPrescription(element, into: &buffer)
    case .exportDate: noteExportDate(element)
    case .me: noteMe(element)
    default: mapUnknown(element, into: &buffer)
    }
  }

  // MARK: What every sample needs

  /// The part of a sample that all kinds share.
  struct Sample: BitwiseCopyable {
    var record: SampleRecord
    /// Indexes into `types` and `sources`.
    var type: Int
    var source: Int
  }

  /// The start in `piece`; nil: the sample was rejected.
  mutating func startInstant(_ piece: Piece, of element: borrowing ExportElement) -> Instant? {
    guard !piece.isEmpty else { return reject(.rejectedNoStart, at: element.inputOffset) }
    if let start = DateParser.parse(piece.range, of: element.bytes.span, memo: &dateMemo) { return start }
    return reject(.rejectedUnreadableStart, at: element.inputOffset)
  }

  /// The end in `piece`: the start when it is absent, unreadable or before the start.
  mutating func endInstant(_ piece: Piece, start: Instant, of element: borrowing ExportElement) -> Instant {
    guard !piece.isEmpty, let end = DateParser.parse(piece.range, of: element.bytes.span, memo: &dateMemo) else {
      base.problems.add(.missingEnd, at: element.inputOffset)
      return start
    }
    if end < start { base.problems.add(.endBeforeStart, at: element.inputOffset) }
    return max(start, end)
  }

  /// A sample with its times and source. nil: it was rejected.
  mutating func beginSample(
    _ type: Symbol, _ common: CommonAttributes, start: Instant, end: Instant, of element: borrowing ExportElement
  ) -> Sample? {
    let typeIndex = types.entryIndex(of: type)
    // The name as exported may have two bytes where the stored one has one; more is refused before it is remembered.
    guard common.sourceName.count <= 2 * RowMapper.keyByteLimit else {
      return reject(.rejectedKeyTooLong, at: element.inputOffset)
    }
    let source = sources.entryIndex(
      of: symbols.symbol(for: common.sourceName.range, of: element.bytes.span, recent: &recentSource))
    let keyByteCount = types.entries[typeIndex].nameLength + userByteCount + sources.entries[source].nameLength
    guard keyByteCount <= RowMapper.keyByteLimit else {
      return reject(.rejectedKeyTooLong, at: element.inputOffset)
    }
    var record = SampleRecord(start: start, end: end)
    record.inputOffset = element.inputOffset
    record.source = sources.entries[source].symbol
    record.flags = .hasEnd
    noteDates(start: start, creation: common.creationDate, of: element)
    return Sample(record: record, type: typeIndex, source: source)
  }

  private mutating func noteDates(start: Instant, creation: Piece, of element: borrowing ExportElement) {
    if !creation.isEmpty, let created = DateParser.parse(creation.range, of: element.bytes.span, memo: &dateMemo) {
      if newestCreation < created { newestCreation = created }
      // Saved more than a day before it happened.
      if start.microseconds - created.microseconds > 86_400_000_000 {
        base.problems.add(.dateInFuture, at: element.inputOffset)
      }
    }
    if abs(start.seconds) <= 86_400 { base.problems.add(.dateAt1970, at: element.inputOffset) }
  }

  /// Appends the sample with the metadata in `object`, and counts it.
  mutating func endSample(
    _ sample: Sample, _ common: CommonAttributes, of element: borrowing ExportElement, into buffer: inout SampleBuffer
  ) {
    let bytes = element.bytes.span
    let type = types.entries[sample.type]
    base.problems.add(.cleanedJSON, at: element.inputOffset, count: cleaned)
    cleaned = 0
    addUnknownParts()
    let payloadStart = buffer.payload.count
    object.write(into: &buffer.payload)
    buffer.append(sample.record, type: type.symbol, payloadStart: payloadStart)
    types.count(
      use: types.useIndex(entry: sample.type, unit: sample.record.exportedUnit), at: sample.record.inputOffset)
    // Summaries and prescriptions have no source; elsewhere its absence is noticed.
    let hasSource = !common.sourceName.isEmpty
    guard hasSource || type.kind != .activitySummary && type.kind != .visionPrescription else { return }
    if !hasSource { base.problems.add(.missingSource, at: element.inputOffset) }
    sources.count(entry: sample.source, start: sample.record.start)
    if !common.sourceVersion.isEmpty {
      let version = symbols.symbol(for: common.sourceVersion.range, of: bytes, recent: &recentVersion)
      sources.note(version: version, entry: sample.source)
    }
    if !common.device.isEmpty { sources.note(device: common.device.range, of: bytes, entry: sample.source) }
  }

  /// What a sample's MetadataEntry children mean beyond their JSON.
  mutating func take(_ findings: EntryFindings, for record: inout SampleRecord, of element: borrowing ExportElement) {
    if findings.isUserEntered { record.flags.insert(.isUserEntered) }
    if !findings.timeZone.isEmpty, newestZone.start <= record.start {
      note(zone: symbols.symbol(for: findings.timeZone.range, of: element.bytes.span), start: record.start)
    }
    cleaned += findings.cleanedCount
  }

  /// The zone of the sample with the latest start; of equal ones the greater name.
  private mutating func note(zone: Symbol, start: Instant) {
    if newestZone.start == start, zone != newestZone.name,
      table.bytes(of: zone).lexicographicallyPrecedes(table.bytes(of: newestZone.name))
    {
      return
    }
    newestZone = (zone, start)
  }

  /// The symbol of a type attribute; nil: the sample was rejected.
  mutating func typeSymbol(_ type: Piece, of element: borrowing ExportElement) -> Symbol? {
    guard !type.isEmpty else { return reject(.rejectedNoType, at: element.inputOffset) }
    guard type.count <= RowMapper.typeByteLimit else { return reject(.rejectedTypeTooLong, at: element.inputOffset) }
    return symbols.symbol(for: type.range, of: element.bytes.span, recent: &recentType)
  }

  mutating func reject<T>(_ kind: ProblemKind, at offset: Int64) -> T? {
    base.samplesRejected += 1
    base.problems.add(kind, at: offset)
    unknownParts.removeAll(keepingCapacity: true)
    if rejections.count < rejectionLimit { rejections.append(Rejection(kind: kind, inputOffset: offset)) }
    return nil
  }

  mutating func countUnknown(_ kind: ProblemKind, _ name: String, at offset: Int64, count: Int = 1) {
    base.problems.add(kind, at: offset, count: count)
    // A hostile file may have any number of names; a report needs few.
    let isNew = base.unknownNames[name] == nil
    base.unknownNames[isNew && base.unknownNames.count >= 1000 ? "…" : name, default: 0] += count
  }
}

/// Symbols of the types and units that stand in no attribute.
struct FixedSymbols {
  let workout, workoutRoute, activitySummary, visionPrescription, electrocardiogram: Symbol
  let minutes, countPerMinute: Symbol

  init(_ table: SymbolTable) {
    workout = table.intern("HKWorkoutTypeIdentifier")
    workoutRoute = table.intern("HKWorkoutRouteTypeIdentifier")
    activitySummary = table.intern("HKActivitySummaryTypeIdentifier")
    visionPrescription = table.intern("HKVisionPrescriptionTypeIdentifier")
    electrocardiogram = table.intern("HKDataTypeIdentifierElectrocardiogram")
    minutes = table.intern("min")
    countPerMinute = table.intern("count/min")
  }
}
