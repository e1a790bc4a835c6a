package import HealthModel

/// Rows of a database as samples, for the same fold that sums an export (DESIGN §4.7).
///
/// A row of ours gives the sample it was made from: its start was moved by microseconds where others share its second,
/// its end may have moved along. What another program wrote is taken as it stands, in the type's unit if it converts.
package struct DayRecompute {
  private enum UnitRule {
    case canonical
    case convertible(UnitConversion)
    case unconvertible
    /// An unknown type has no canonical unit.
    case asWritten
  }

  package let metricType: String
  private let kind: SummaryKind
  private let canonicalUnit: String?
  private let symbols: SymbolTable
  private var cache: SymbolCache
  private var unitRules: [Symbol: UnitRule] = [:]

  /// - Parameter symbols: also given to the fold and its ranking; sources, units and activities are added to it.
  package init(metricType: String, symbols: SymbolTable) {
    self.metricType = metricType
    self.symbols = symbols
    kind = SummaryKind(metricType: metricType)
    canonicalUnit = Catalogue.canonicalUnit(ofType: metricType)
    cache = SymbolCache(symbols)
  }

  /// A row's sample. Rows go to the fold by started_at; those of one second may come in any order.
  ///
  /// - Parameters:
  ///   - isOurs: its id is of version 8 (`RowID.isOurs`).
  ///   - unit, metadata: empty for NULL; metadata is a JSON object.
  package mutating func record(
    sourceDevice: Span<UInt8>, unit: Span<UInt8>, startedAt: Instant, endedAt: Instant?, value: Double?, isOurs: Bool,
    metadata: Span<UInt8>
  ) -> SampleRecord {
    let start = isOurs ? Instant(seconds: startedAt.seconds) : startedAt
    var record = SampleRecord(start: start, end: start)
    if let endedAt {
      record.end = max(start, isOurs ? Instant(seconds: endedAt.seconds) : endedAt)
      record.flags.insert(.hasEnd)
    }
    record.source = cache.symbol(for: 0..<sourceDevice.count, of: sourceDevice)
    record.exportedUnit = cache.symbol(for: 0..<unit.count, of: unit)
    // Other programs may write NaN or infinity: no number to sum.
    if let value, value.isFinite {
      record.value = value
      record.flags.insert(.hasValue)
    }
    if metadata.count > 0 { read(metadata, into: &record) }
    switch kind {
    case .cumulative, .discrete, .level: if record.flags.contains(.hasValue) { convert(&record) }
    case .workout: measure(&record)
    default: break
    }
    return record
  }

  /// 1 as we write it, and what other programs may make of a boolean.
  private func flagIsSet(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Bool {
    TopLevelJSON.equals(bytes, value, "1") || TopLevelJSON.equals(bytes, value, "true")
      || TopLevelJSON.equals(bytes, value, #""1""#)
  }

  /// {"HKWasUserEntered": 1, "sleep_stage": "HKCategoryValueSleepAnalysisAsleepCore"}
  private mutating func read(_ metadata: Span<UInt8>, into record: inout SampleRecord) {
    var subtype = 0..<0
    var isHourly = false
    TopLevelJSON.forEachMember(of: metadata) { key, value in
      if TopLevelJSON.equals(metadata, key, "HKWasUserEntered") {
        if flagIsSet(metadata, value) { record.flags.insert(.isUserEntered) }
      } else if TopLevelJSON.equals(metadata, key, "h4ai_aggregation") {
        isHourly = true
      } else if kind == .workout
        ? TopLevelJSON.equals(metadata, key, "workout_type")
        : kind == .sleep && TopLevelJSON.equals(metadata, key, "sleep_stage")
      {
        subtype = TopLevelJSON.unquoted(metadata, value)
      }
    }
    // An hourly row without an end still stands for its hour.
    if isHourly, record.end == record.start {
      record.end = Instant(microseconds: record.start.microseconds + 3_600_000_000)
    }
    guard !subtype.isEmpty else { return }
    record.subtype = cache.symbol(for: subtype, of: metadata)
    // The name of the stage is what was exported; the number another program keeps beside it may be anything.
    if kind == .sleep, let state = SleepState(exportName: symbols.text(of: record.subtype)) {
      record.value = Double(state.rawValue)
      record.flags.insert(.hasValue)
    }
  }

  private mutating func convert(_ record: inout SampleRecord) {
    switch rule(of: record.exportedUnit) {
    case .canonical: record.flags.insert(.isConverted)
    case .convertible(let conversion):
      let converted = conversion(record.value)
      if converted.isFinite { record.value = converted }
      record.flags.insert(converted.isFinite ? .isConverted : .isUnconvertible)
    case .unconvertible: record.flags.insert(.isUnconvertible)
    case .asWritten: break
    }
  }

  private mutating func rule(of unit: Symbol) -> UnitRule {
    if let known = unitRules[unit] { return known }
    let rule: UnitRule
    if let canonicalUnit {
      let text = symbols.text(of: unit)
      if text == canonicalUnit {
        rule = .canonical
      } else if let conversion = Catalogue.conversion(from: text, to: canonicalUnit) {
        rule = .convertible(conversion)
      } else {
        rule = .unconvertible
      }
    } else {
      rule = .asWritten
    }
    unitRules[unit] = rule
    return rule
  }

  /// A workout is measured in seconds; without a value it lasts from start to end.
  private func measure(_ record: inout SampleRecord) {
    if !record.flags.contains(.hasValue) {
      record.value = Double(record.end.microseconds - record.start.microseconds) / 1_000_000
      record.flags.insert(.hasValue)
    } else if record.exportedUnit != .empty,
      let conversion = Catalogue.conversion(from: symbols.text(of: record.exportedUnit), to: "s")
    {
      record.value = conversion(record.value)
    }
  }
}
