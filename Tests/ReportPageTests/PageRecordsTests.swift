import HealthModel
import Testing

@testable import Queries
@testable import ReportPage

@Suite struct PageRecordsTests {
  private func day(_ day: Int) -> CivilDay { CivilDay(daysSince1970: Int32(day)) }

  @Test func ringsAreWholePerCentRoundedDown() throws {
    let rings = try #require(
      PageRings([
        ActivityRings(day: day(100), move: 0.9999, exercise: 1, stand: nil),
        ActivityRings(day: day(101), move: nil, exercise: nil, stand: nil),
        ActivityRings(day: day(103), move: 2.5, exercise: 0, stand: 1e9),
      ]))
    #expect(rings.d == [100, 3])
    // 99.99 % is not closed.
    #expect(rings.move == [99, 250] && rings.exercise == [100, 0] && rings.stand == [nil, 10_000])
    #expect(PageRings([ActivityRings(day: day(1), move: nil, exercise: nil, stand: nil)]) == nil)
  }

  @Test func workoutsStandInColumns() throws {
    let workout = StoredWorkout(
      activity: "HKWorkoutActivityTypeRunning", seconds: 1800.4, distanceMeters: 5000.6, energyKilocalories: nil,
      source: "Watch", start: Instant(seconds: 86_400 + 3600), end: nil)
    let page = try #require(PageWorkouts([workout, workout], .utc))
    #expect(page.day == [1, 1] && page.minute == [60, 60] && page.seconds == [1800, 1800])
    #expect(page.meters == [5001, 5001] && page.kilocalories == [nil, nil] && !page.isCut)
    #expect(PageWorkouts([], .utc) == nil)
  }

  @Test func problemsHaveTheirSeverityAndWords() {
    let stored = StoredImport(
      number: 3, exportName: "e.zip", exportDate: nil, finishedAt: Instant(seconds: 0), isSalvaged: false, read: 10,
      written: nil, problems: [.init(kind: .rawAmpersand, count: 2), .init(kind: .rejectedNoStart, count: 1)])
    let page = PageImport(stored, .utc) { "\($1) about \($0.rawValue)" }
    #expect(
      page.problems == [
        .init(severity: "repaired", words: "2 about rawAmpersand", count: 2),
        .init(severity: "rejected", words: "1 about rejectedNoStart", count: 1),
      ])
    #expect(page.read == 10 && page.written == nil && page.exportDate == nil)
  }
}
