import DailySummaries
import HealthModel
import TestSupport
import Testing

@Suite struct RecomputeScopeTests {
  struct Key: Hashable {
    var type: String
    var day: CivilDay
  }

  static func table(_ rows: [DailySummary]) -> [Key: DailySummary] {
    Dictionary(uniqueKeysWithValues: rows.map { (Key(type: $0.metricType, day: $0.day), $0) })
  }

  static func interval(_ row: StoredRow) -> RowInterval {
    RowInterval(start: row.startedAt, end: row.endedAt ?? row.startedAt)
  }

  /// Rows come and go; what the scope replaces makes the days equal to a fold of all rows, bit for bit.
  @Test(arguments: RandomSamples.types) func changesReachNoOtherDay(type: String) {
    var random = SplitMix(printing: "changesReachNoOtherDay(\(type))")
    for round in 0..<150 {
      let zone = RandomSamples.zones[round % RandomSamples.zones.count]
      let count = Int.random(in: 5...50, using: &random)
      let fold = RandomSamples.fold(type, zone: zone, count: count, days: 25, &random)
      let all = StoredRow.rows(of: fold).shuffled(using: &random)
      // Some rows only before, some only after.
      let changed = Int.random(in: 1...4, using: &random)
      let before = Array(all.dropFirst(changed))
      let after = Array(all.dropLast(changed))
      let touching = all.prefix(changed) + all.suffix(changed)

      var touched: Set<CivilDay> = []
      for row in touching { RecomputeScope.addDays(of: Self.interval(row), zone: fold.zone, to: &touched) }
      let intervals = after.map(Self.interval).sorted { $0.start < $1.start }
      let scope = RecomputeScope(
        metricType: type, touched: touched,
        intervals: RecomputeScope.needsIntervals(metricType: type) ? intervals : [], zone: fold.zone)
      let read = after.filter { scope.reads(Self.interval($0)) }

      var patched = Self.table(StoredRow.summaries(before, like: fold)).filter { !scope.contains($0.key.day) }
      patched.merge(Self.table(StoredRow.summaries(read, like: fold)).filter { scope.contains($0.key.day) }) { _, b in b
      }
      #expect(patched == Self.table(StoredRow.summaries(after, like: fold)))
    }
  }

  @Test func daysOfARow() {
    let zone = try! SystemZones.load(name: "Europe/Berlin")
    func days(_ start: String, _ end: String) -> [String] {
      var days: Set<CivilDay> = []
      let row = RowInterval(start: FoldCase.instant(start), end: FoldCase.instant(end))
      RecomputeScope.addDays(of: row, zone: zone, to: &days)
      return days.sorted().map(\.description)
    }
    #expect(days("2024-03-01 10:00", "2024-03-01 11:00") == ["2024-03-01"])
    #expect(days("2024-03-01 22:30", "2024-03-02 23:30") == ["2024-03-01", "2024-03-02", "2024-03-03"])
    // An end that cannot be is none.
    #expect(days("2024-03-01 10:00", "4001-01-01 00:00") == ["2024-03-01"])
  }

  /// Steps: the day itself, with what reaches into it.
  @Test func readsOfSums() {
    let day = CivilDay(year: 2024, month: 3, day: 2)
    let scope = RecomputeScope(metricType: FoldCase.steps, touched: [day], intervals: [], zone: .utc)
    #expect(scope.days == [day])
    #expect(scope.reads == [day.utcMidnight..<day.advanced(by: 1).utcMidnight])
    func reads(_ start: String, _ end: String) -> Bool {
      scope.reads(RowInterval(start: FoldCase.instant(start), end: FoldCase.instant(end)))
    }
    #expect(reads("2024-03-01 23:50", "2024-03-02 00:10"))
    #expect(!reads("2024-03-01 23:50", "2024-03-02 00:00"))
    #expect(reads("2024-03-02 00:00", "2024-03-02 00:00"))
    #expect(reads("2024-03-02 23:59:59", "2024-03-03 10:00"))
    #expect(!reads("2024-03-03 00:00", "2024-03-03 00:00"))
    #expect(reads("2024-02-01 00:00", "2024-04-01 00:00"))
  }

  /// A night that was divided by the removal of its middle ends on another day for its first half.
  @Test func sessionsAroundTheChange() {
    let rows = [("2024-03-01 21:00", "2024-03-01 23:00"), ("2024-03-02 01:30", "2024-03-02 06:00")].map {
      RowInterval(start: FoldCase.instant($0.0), end: FoldCase.instant($0.1))
    }
    let scope = RecomputeScope(
      metricType: SummaryKind.sleepType, touched: [CivilDay(year: 2024, month: 3, day: 2)], intervals: rows, zone: .utc)
    #expect(scope.days.map(\.description) == ["2024-03-01", "2024-03-02"])
    #expect(rows.allSatisfy(scope.reads))
  }

  @Test func kindsWithoutSummaryHaveNothingToReplace() {
    let scope = RecomputeScope(
      metricType: "HKWorkoutRouteTypeIdentifier", touched: [CivilDay(daysSince1970: 0)], intervals: [], zone: .utc)
    #expect(scope.days.isEmpty && scope.reads.isEmpty)
  }
}
