import DailySummaries
import HealthModel
import PostgresClient

/// Everything that is known of one type's rows before some are deleted, by local day: what there is, and whether the
/// stored summary says the same.
struct PruneSurvey {
  /// Tells whether the rows of a day, of all programs, are still the same.
  struct Fingerprint: Equatable {
    /// How many start on the day.
    var rows = 0
    /// XOR over the rows of their content's hash.
    var hash: Int64 = 0
  }

  struct Day: Equatable {
    var fingerprint = Fingerprint()
    /// Rows of ours.
    var ours = 0
    var hasLeftOut = false
    /// The one unit of a type without a canonical one.
    var unit: Symbol?
  }

  var days: [CivilDay: Day] = [:]
  var sessions: [RowInterval] = []
  private(set) var summaries: [DailySummary] = []

  let metricType: String
  private let hasCanonicalUnit: Bool
  private let pruned: Set<CivilDay>
  private var fold: SummaryFold
  private var samples: DayRecompute
  private var cursor: ZoneCursor
  private var nights = SleepSessions()

  init(metricType: String, zone: ZoneRules, ranking: SourceRanking, symbols: SymbolTable, pruned: Set<CivilDay>) {
    self.pruned = pruned
    self.metricType = metricType
    hasCanonicalUnit = Catalogue.canonicalUnit(ofType: metricType) != nil
    fold = SummaryFold(metricType: metricType, zone: zone, ranking: ranking, symbols: symbols)
    samples = DayRecompute(metricType: metricType, symbols: symbols)
    cursor = ZoneCursor(zone)
  }

  /// A hashed row, as `StoredRows` reads it.
  mutating func add(_ row: inout CopyDecoder) throws {
    let isOurs = try row.int4(StoredRows.Field.isRemovable) == 1
    let hash = try row.required(row.int8(StoredRows.Field.contentHash), StoredRows.Field.contentHash)
    let record = try samples.record(&row)
    let day = cursor.localDay(of: record.start)
    let leftOut = fold.leftOut.total
    fold.add(record)
    if fold.kind == .sleep { nights.add(RowInterval(start: record.start, end: record.end)) }
    days[day, default: Day()].add(
      isOurs: isOurs, hash: hash, isLeftOut: fold.leftOut.total != leftOut,
      unit: fold.kind == .discrete && !hasCanonicalUnit ? record.exportedUnit : nil)
  }

  mutating func finish() {
    summaries = fold.finish()
    sessions = nights.sessions
  }

  // MARK: Changes

  /// Days without rows have none.
  func fingerprints(of range: ClosedRange<CivilDay>) -> [CivilDay: Fingerprint] {
    days.filter { range.contains($0.key) && $0.value.fingerprint.rows > 0 }.mapValues(\.fingerprint)
  }

  /// After rows of these days were deleted.
  mutating func replace(_ fingerprints: [CivilDay: Fingerprint], of range: ClosedRange<CivilDay>) {
    for (day, known) in days where range.contains(day) {
      let left = fingerprints[day] ?? Fingerprint()
      days[day]?.fingerprint = left
      days[day]?.ours = min(known.ours, left.rows)
    }
  }

  // MARK: Judgement

  /// Days before `limit` that must keep their rows, and why. Of days that were pruned before, rows are left that reach
  /// into a kept day and are summed up there.
  func blocked(before limit: CivilDay, stored: [CivilDay: [DailySummary]]) -> [CivilDay: SkippedDay.Reason] {
    let computed = Dictionary(grouping: summaries, by: \.day)
    var result: [CivilDay: SkippedDay.Reason] = [:]
    for day in Set(days.keys).union(computed.keys) where day < limit && !pruned.contains(day) {
      let known = stored[day] ?? []
      if days[day]?.hasLeftOut == true {
        result[day] = .leftOutRows
      } else if !PruneSurvey.agree(computed[day] ?? [], known) {
        result[day] = known.isEmpty ? .noSummary : .differs
      }
    }
    return result
  }

  /// Every row that is recomputed stands in the table, and none of another name.
  static func agree(_ computed: [DailySummary], _ stored: [DailySummary]) -> Bool {
    Set(computed.map(\.metricType)) == Set(stored.map(\.metricType))
      && computed.allSatisfy { row in stored.contains { isSame(row, $0) } }
  }

  /// DESIGN §3.6 for numbers.
  private static func isSame(_ a: DailySummary, _ b: DailySummary) -> Bool {
    a.metricType == b.metricType && a.sampleCount == b.sampleCount && a.unit == b.unit
      && SameValue.holds(a.sum, b.sum) && SameValue.holds(a.average, b.average)
      && SameValue.holds(a.minimum, b.minimum) && SameValue.holds(a.maximum, b.maximum)
  }
}

extension PruneSurvey.Day {
  fileprivate mutating func add(isOurs: Bool, hash: Int64, isLeftOut: Bool, unit: Symbol?) {
    // Of an unknown type, only rows of one unit are summed up.
    if isLeftOut || (fingerprint.rows > 0 && self.unit != unit) { hasLeftOut = true }
    self.unit = unit
    fingerprint.rows += 1
    if isOurs { ours += 1 }
    fingerprint.hash ^= hash
  }
}
