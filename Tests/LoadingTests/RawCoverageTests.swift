import HealthModel
import Testing

@testable import Loading

/// Which days imports have brought all raw rows of.
struct RawCoverageTests {
  private func time(_ day: Int) -> Instant { CivilDay(year: 2024, month: 1, day: 1).advanced(by: day).utcMidnight }
  private func isComplete(_ coverage: RawCoverage, _ day: Int) -> Bool {
    coverage.isComplete(time(day)..<time(day + 1))
  }

  @Test func withoutWindowsEverythingIsThere() {
    #expect(isComplete(RawCoverage(), 5))
    #expect(isComplete(RawCoverage(wholeUntil: [time(3)]), 5))
  }

  @Test func aWindowWithholdsWhatIsBeforeAndItsFirstDay() {
    let coverage = RawCoverage(windows: [(time(10), time(40))])
    #expect((8...12).map { isComplete(coverage, $0) } == [false, false, false, true, true])
    // Live rows after the export.
    #expect(isComplete(coverage, 60))
  }

  @Test func earlierImportsFillGaps() {
    // A whole import until day 20, then windows of 10 days with a gap.
    let coverage = RawCoverage(wholeUntil: [time(20)], windows: [(time(30), time(40)), (time(35), time(45))])
    let days = [5, 19, 20, 25, 30, 31, 35, 44, 50]
    #expect(days.map { isComplete(coverage, $0) } == [true, true, false, false, false, true, true, true, true])
  }
}

struct PrunedDaysTests {
  private func time(_ text: String) -> Instant { Instant(iso8601: text) ?? Instant(microseconds: 0) }

  @Test func rangesJoinAndOverlap() {
    var days = PrunedDays()
    days.add("a", time("2024-05-01T22:00:00Z")..<time("2024-05-02T22:00:00Z"))
    days.add("a", time("2024-05-02T22:00:00Z")..<time("2024-05-03T22:00:00Z"))
    days.add("a", time("2024-05-09T22:00:00Z")..<time("2024-05-10T22:00:00Z"))
    #expect(days.ranges["a"]?.count == 2)
    func overlaps(_ first: String, _ last: String) -> Bool { days.overlaps("a", time(first)..<time(last)) }
    #expect(!overlaps("2024-05-01T00:00:00Z", "2024-05-01T22:00:00Z"))
    #expect(overlaps("2024-05-01T00:00:00Z", "2024-05-01T22:00:01Z"))
    #expect(overlaps("2024-05-03T21:59:59Z", "2024-05-06T00:00:00Z"))
    #expect(!overlaps("2024-05-03T22:00:00Z", "2024-05-09T22:00:00Z"))
    #expect(!days.overlaps("b", time("2024-05-02T00:00:00Z")..<time("2024-05-03T00:00:00Z")))
    let symbols = SymbolTable()
    let utc = days.utcDays(symbols)[symbols.intern("a")]
    // 2 May begins before the first range ends and so on: only 2 May's midnight to 3 May's lies inside.
    #expect(utc?.map(\.description).sorted() == ["2024-05-02"])
  }
}
