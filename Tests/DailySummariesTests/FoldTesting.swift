import DailySummaries
import Foundation
import HealthModel

/// Samples written by hand, folded as those of an export.
struct FoldCase {
  static let steps = "HKQuantityTypeIdentifierStepCount"
  static let heartRate = "HKQuantityTypeIdentifierHeartRate"
  static let mindful = "HKCategoryTypeIdentifierMindfulSession"

  let metricType: String
  let zone: ZoneRules
  var priority: [String: [String]] = [:]
  let table = SymbolTable()
  private(set) var records: [SampleRecord] = []
  private(set) var sources: [Symbol: SourceFacts] = [:]
  private(set) var leftOut = LeftOut()

  init(_ metricType: String, zone: String = "UTC", priority: [String: [String]] = [:]) {
    self.metricType = metricType
    // The tests need the system's zone database; without it nothing here can be shown.
    self.zone = try! SystemZones.load(name: zone)
    self.priority = priority
  }

  /// Times are UTC: `2024-03-01 10:00` or with seconds; an end may be `10:30` of the same date.
  mutating func add(
    _ source: String, _ start: String, _ end: String? = nil, _ value: Double? = nil, userEntered: Bool = false,
    subtype: String = "", unit: String = "", flags: SampleRecord.Flags = []
  ) {
    let begin = Self.instant(start)
    let finish = end.map { Self.instant($0.contains("-") ? $0 : start.prefix(11) + $0) } ?? begin
    add(source, begin, finish, value, userEntered: userEntered, subtype: subtype, unit: unit, flags: flags)
  }

  mutating func add(
    _ source: String, _ start: Instant, _ end: Instant, _ value: Double?, userEntered: Bool = false,
    subtype: String = "", unit: String = "", flags: SampleRecord.Flags = []
  ) {
    var record = SampleRecord(start: start, end: end)
    record.source = table.intern(source)
    record.subtype = table.intern(subtype)
    record.exportedUnit = table.intern(unit)
    record.flags = flags.union([.hasEnd, .isConverted])
    if userEntered { record.flags.insert(.isUserEntered) }
    if let value {
      record.value = value
      record.flags.insert(.hasValue)
    }
    records.append(record)
    var facts = sources[record.source] ?? SourceFacts()
    facts.firstSample = min(facts.firstSample ?? start, start)
    facts.sampleCount += 1
    sources[record.source] = facts
  }

  /// All rows of the fold.
  mutating func summaries() -> [DailySummary] {
    let symbols = table.snapshot()
    let ranking = SourceRanking(sources: sources, symbols: symbols, priority: priority)
    var fold = SummaryFold(metricType: metricType, zone: zone, ranking: ranking, symbols: symbols)
    for record in records.sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) { fold.add(record) }
    let result = fold.finish()
    leftOut = fold.leftOut
    return result
  }

  /// Day to sum, of the type itself or of another row name.
  mutating func sums(_ name: String? = nil) -> [String: Double] {
    let rows = summaries().filter { $0.metricType == name ?? metricType }
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.day.description, $0.sum ?? .nan) })
  }

  static func instant(_ text: String) -> Instant {
    let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
    let day = CivilDay(year: numbers[0], month: numbers[1], day: numbers[2])
    let clock = numbers.dropFirst(3).map { Int64($0) } + [0, 0, 0]
    return Instant(seconds: day.utcMidnight.seconds + clock[0] * 3600 + clock[1] * 60 + clock[2])
  }
}

func near(_ a: Double?, _ b: Double?, _ tolerance: Double = 1e-9) -> Bool {
  guard let a, let b else { return a == nil && b == nil }
  return abs(a - b) <= tolerance * max(1, abs(a), abs(b))
}
