import DailySummaries
import HealthModel
import Queries
import Testing

@testable import ReportPage

@Suite struct PageSeriesTests {
  /// 2024-06-03 is a Monday, 19,877 days after 1970-01-01.
  private func point(
    _ month: Int, _ day: Int, sum: Double? = nil, average: Double? = nil, low: Double? = nil, high: Double? = nil,
    count: Int = 1, unit: String = "count", tier: DailyPoint.Tier = .summary
  ) -> DailyPoint {
    DailyPoint(
      DailySummary(
        metricType: "t", day: CivilDay(year: 2024, month: month, day: day), average: average, minimum: low,
        maximum: high, sum: sum, sampleCount: count, unit: unit), tier)
  }

  @Test func totalsAreMeansOfTheDays() throws {
    let points = [
      point(5, 31, sum: 900), point(6, 1, sum: 100), point(6, 3, sum: 3000), point(6, 4, sum: 1000.4, tier: .raw),
    ]
    let series = try #require(PageSeries(.steps, points))
    #expect(series.id == "HKQuantityTypeIdentifierStepCount" && series.name == "steps")
    #expect(series.measure == "total" && series.rawDays == 1)
    #expect(series.day == PageSeries.Points(d: [19_874, 1, 2, 1], v: [900, 100, 3000, 1000]))
    // Weeks of 27 May and 3 June, months of May and June.
    #expect(series.week == PageSeries.Points(d: [19_870, 7], v: [500, 2000], n: [2, 2]))
    #expect(series.month == PageSeries.Points(d: [19_844, 31], v: [900, 1367], n: [1, 3]))
  }

  @Test func averagesHaveTheSpreadOfTheirSamples() throws {
    let points = [
      point(6, 3, sum: 180, average: 60, low: 50, high: 70, count: 3),
      point(6, 4, sum: 100, average: 100, low: 100, high: 100),
    ]
    let series = try #require(PageSeries(.heartRate, points))
    #expect(series.day == PageSeries.Points(d: [19_877, 1], v: [60, 100], lo: [50, 100], hi: [70, 100]))
    // The mean of four samples.
    #expect(series.week == PageSeries.Points(d: [19_877], v: [70], lo: [50], hi: [100], n: [2]))
  }

  @Test func oneSampleADayHasNoSpread() throws {
    let series = try #require(
      PageSeries(.weight, [point(6, 3, sum: 70.5, average: 70.5, low: 70.5, high: 70.5)]))
    #expect(series.day == PageSeries.Points(d: [19_877], v: [70.5]))
  }

  @Test func aSeriesHasOneUnitAndAtLeastOneFigure() throws {
    #expect(PageSeries(.steps, []) == nil)
    #expect(PageSeries(.steps, [point(6, 3)]) == nil)
    let mixed = [
      point(6, 3, sum: 1, unit: "a"), point(6, 4, sum: 2, unit: "b"), point(6, 5, sum: 3, unit: "b"), point(6, 6),
    ]
    let series = try #require(PageSeries(.steps, mixed))
    #expect(series.unit == "b" && series.day.v == [2, 3])
  }

  @Test func whatNoRangeShowsIsLeftOut() throws {
    // Every day of four years: heart rate 60, 50 to 70.
    let first = CivilDay(year: 2020, month: 6, day: 4)
    let points = (0..<1461).map { index in
      DailyPoint(
        DailySummary(
          metricType: "t", day: first.advanced(by: index), average: 60, minimum: 50, maximum: 70, sum: 120,
          sampleCount: 2, unit: "count/min"), .summary)
    }
    var series = try #require(PageSeries(.heartRate, points))
    let newest = Int(CivilDay(year: 2024, month: 6, day: 3).daysSince1970)
    let whole = series
    series.trim(newestDay: newest)
    #expect(series.day.d == whole.day.d && series.day.v == whole.day.v)
    #expect(series.day.lo?.count == 201 && series.day.hi?.count == 201)
    #expect(series.month == whole.month)
    // Weeks from Monday 2022-03-28 on: the first one that starts within 800 days.
    #expect(series.week.d.first == 19_079)
    #expect(series.week.d.reduce(0, +) == newest)
    #expect(series.week.d.count == 115 && series.week.v.count == 115 && series.week.lo?.count == 115)
    #expect(series.week.n?.count == 115 && series.week.n?.last == 1)
  }
}
