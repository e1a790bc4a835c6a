import DailySummaries
import HealthModel
import Testing

@testable import Queries

@Suite struct PeriodPointTests {
  private func point(
    _ day: CivilDay, sum: Double?, average: Double?, count: Int, unit: String = "count",
    tier: DailyPoint.Tier = .summary
  ) -> DailyPoint {
    DailyPoint(
      DailySummary(
        metricType: "x", day: day, average: average, minimum: average.map { $0 - 1 }, maximum: average.map { $0 + 1 },
        sum: sum, sampleCount: count, unit: unit), tier)
  }

  @Test(arguments: [
    ((2024, 6, 10), "2024-06-10"), ((2024, 6, 9), "2024-06-03"), ((2024, 6, 16), "2024-06-10"),
    ((1970, 1, 1), "1969-12-29"), ((1969, 12, 28), "1969-12-22"),
  ])
  func weeksBeginOnMonday(_ date: (Int, Int, Int), _ monday: String) {
    #expect(Period.week.start(of: CivilDay(year: date.0, month: date.1, day: date.2)).description == monday)
  }

  @Test func totalsAddUpAndAverageByDay() {
    let points = PeriodPoint.points(
      [
        point(QueriesFixture.day(5, 31), sum: 100, average: 10, count: 10),
        point(QueriesFixture.day(6, 1), sum: 200, average: 10, count: 20),
        point(QueriesFixture.day(6, 2), sum: 600, average: 10, count: 60, tier: .raw),
      ], .total, by: .month)
    #expect(points.map(\.start.description) == ["2024-05-01", "2024-06-01"])
    #expect(points[1].total == 800 && points[1].mean == 400 && points[1].minimum == 200 && points[1].maximum == 600)
    #expect(points[1].dayCount == 2 && points[1].sampleCount == 80 && points[1].tiers == [.summary, .raw])
  }

  @Test func averagesAreOfAllSamples() throws {
    let days = [
      point(QueriesFixture.day(6, 3), sum: 60, average: 60, count: 1),
      point(QueriesFixture.day(6, 4), sum: 240, average: 80, count: 3),
    ]
    // (60 + 240) / 4, not the mean of 60 and 80.
    let week = try #require(PeriodPoint(start: QueriesFixture.day(6, 3), days, .average))
    #expect(week.mean == 75 && week.total == nil && week.minimum == 59 && week.maximum == 81)
    let withoutSum = [days[0], point(QueriesFixture.day(6, 4), sum: nil, average: 80, count: 3)]
    #expect(PeriodPoint(start: QueriesFixture.day(6, 3), withoutSum, .average)?.mean == 70)
  }

  @Test func levelsAverageTheirEnergy() throws {
    let days = [
      point(QueriesFixture.day(6, 3), sum: 60, average: 60, count: 1),
      point(QueriesFixture.day(6, 4), sum: 80, average: 80, count: 1),
    ]
    let mean = try #require(PeriodPoint(start: QueriesFixture.day(6, 3), days, .level)?.mean)
    #expect((mean * 100).rounded() / 100 == 77.03)
  }

  @Test func unitsAreNotMixed() {
    let days = [
      point(QueriesFixture.day(6, 3), sum: 1, average: 1, count: 1, unit: "kg"),
      point(QueriesFixture.day(6, 4), sum: 1000, average: 1000, count: 1, unit: "g"),
      point(QueriesFixture.day(6, 5), sum: 3, average: 3, count: 1, unit: "kg"),
    ]
    let week = PeriodPoint(start: QueriesFixture.day(6, 3), days, .average)
    #expect(week?.unit == "kg" && week?.mean == 2 && week?.dayCount == 2)
    #expect(PeriodPoint(start: QueriesFixture.day(6, 3), [], .total) == nil)
  }
}
