import DailySummaries
import HealthModel
import Queries
import Testing

@testable import HK2PGCommand

@Suite struct QueryReportTests {
  private static func day(_ month: Int, _ day: Int) -> CivilDay { CivilDay(year: 2024, month: month, day: day) }

  private func point(
    _ type: String, _ day: CivilDay, sum: Double?, average: Double? = nil, count: Int, unit: String,
    _ tier: DailyPoint.Tier = .summary
  ) -> DailyPoint {
    DailyPoint(
      DailySummary(
        metricType: type, day: day, average: average, minimum: average.map { $0 - 2 }, maximum: average.map { $0 + 3 },
        sum: sum, sampleCount: count, unit: unit), tier)
  }

  private func report(
    _ metric: Metric, _ daily: [DailyPoint], parts: [String: [DailyPoint]] = [:], by period: Period = .day,
    elsewhere: ClosedRange<CivilDay>? = nil
  ) -> QueryReport {
    QueryReport(
      Series(
        metric: metric, days: QueryReportTests.day(5, 1)...QueryReportTests.day(6, 30), zone: "Europe/Berlin",
        period: period, daily: daily, parts: parts),
      user: "anna", database: "health on localhost:5432 as anna", elsewhere: elsewhere)
  }

  private var steps: [DailyPoint] {
    let type = Metric.steps.identifier
    return [
      point(type, QueryReportTests.day(5, 31), sum: 12_345, average: 100, count: 123, unit: "count"),
      point(type, QueryReportTests.day(6, 1), sum: 8_000.4, average: 100, count: 80, unit: "count"),
      point(type, QueryReportTests.day(6, 2), sum: 950, average: 95, count: 10, unit: "count", .raw),
    ]
  }

  private var sleep: QueryReport {
    let night = QueryReportTests.day(6, 2)
    return report(
      .sleep, [point(Metric.sleep.identifier, night, sum: 432.5, count: 9, unit: "min")],
      parts: [
        SleepState.asleepCore.exportName: [
          point(SleepState.asleepCore.exportName, night, sum: 300, count: 5, unit: "min")
        ],
        SleepState.asleepDeep.exportName: [
          point(SleepState.asleepDeep.exportName, night, sum: 132.5, count: 4, unit: "min")
        ],
        SleepState.inBed.exportName: [
          point(SleepState.inBed.exportName, night, sum: 480, count: 1, unit: "min"),
          point(SleepState.inBed.exportName, QueryReportTests.day(6, 3), sum: 400, count: 1, unit: "min", .raw),
        ],
      ])
  }

  private var workouts: QueryReport {
    let (running, yoga) = ("HKWorkoutActivityTypeRunning", "HKWorkoutActivityTypeYoga")
    let day = QueryReportTests.day(6, 2)
    return report(
      .workouts, [point(Metric.workouts.identifier, day, sum: 75, count: 2, unit: "min")],
      parts: [
        running: [point(running, day, sum: 30, count: 1, unit: "min")],
        yoga: [point(yoga, day, sum: 45, count: 1, unit: "min")],
      ])
  }

  private var heartRate: [DailyPoint] {
    let type = Metric.restingHeartRate.identifier
    return [
      point(type, QueryReportTests.day(6, 3), sum: 55, average: 55, count: 1, unit: "count/min"),
      point(type, QueryReportTests.day(6, 9), sum: 183, average: 61, count: 3, unit: "count/min", .raw),
    ]
  }

  @Test func tables() throws {
    let plain = Paint(isOn: false)
    let texts = [
      report(.steps, steps).text(plain), report(.steps, steps, by: .month).text(plain),
      report(.restingHeartRate, heartRate).text(plain), report(.restingHeartRate, heartRate, by: .week).text(plain),
      sleep.text(plain), workouts.text(plain),
      report(.steps, [], elsewhere: QueryReportTests.day(1, 2)...QueryReportTests.day(3, 4)).text(plain),
      report(.steps, []).text(plain),
    ]
    try expectGolden(texts.joined(separator: "\n"), "query.txt")
  }

  @Test func json() throws {
    try expectGolden(try ReportJSON.text(report(.steps, steps, by: .month)), "query-steps.json")
    try expectGolden(try ReportJSON.text(sleep), "query-sleep.json")
  }

  @Test func csv() throws {
    try expectGolden(report(.steps, steps).csv() + workouts.csv(), "query.csv")
    #expect(CSVText.field("a,b") == "\"a,b\"" && CSVText.field("a\"b") == "\"a\"\"b\"" && CSVText.field("a b") == "a b")
    #expect(CSVText.field("a\nb") == "\"a\nb\"" && CSVText.field("a\r\nb") == "\"a\r\nb\"")
  }

  @Test func metricsAreListed() throws {
    let report = MetricsReport(
      database: "health on localhost:5432 as anna", user: "anna", zone: "Europe/Berlin",
      metrics: [
        .init(
          metric: "steps", metricType: "HKQuantityTypeIdentifierStepCount", first: "2020-01-01", last: "2024-06-30",
          summarizedDays: 1_600, samples: 1_234_567, hasRawRows: true, unit: "count"),
        .init(
          metric: "electrocardiogram", metricType: "HKDataTypeIdentifierElectrocardiogram", first: "2023-01-01",
          last: "2023-01-01", hasRawRows: true),
      ])
    try expectGolden(report.text(Paint(isOn: false)) + report.csv() + ReportJSON.text(report), "query-metrics.txt")
    let none = MetricsReport(database: "d", user: "u", zone: "UTC", metrics: [])
    #expect(none.text(Paint(isOn: false)) == "The database has no rows of this user.\n")
  }

  @Test(arguments: [
    (12_345.6, "12,346"), (999.96, "1,000"), (98.64, "98.6"), (98, "98"), (7.254, "7.25"), (7.5, "7.5"), (1, "1"),
    (0.0424, "0.042"), (0, "0"), (-3.14159, "-3.14"), (-0.0001, "0"), (0.999_9, "1"),
  ])
  func figures(_ value: Double, _ text: String) {
    #expect(Words.figure(value) == text)
  }
}
