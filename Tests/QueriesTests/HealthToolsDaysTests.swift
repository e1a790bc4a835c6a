import HealthModel
import TestSupport
import Testing

@testable import Queries

/// The worked examples of the folds (CumulativeFoldTests, SleepFoldTests), asked for as a client does. Today is
/// 2024-06-10, the newest export is of 2024-06-09; the Watch ranks before the Phone, the Phone before the others.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct HealthToolsDaysTests {
  private static let energy = "HKQuantityTypeIdentifierActiveEnergyBurned"

  private func cumulative(
    _ fixture: QueriesFixture, _ type: String, _ start: String, _ minutes: Int, _ value: Double, _ source: String
  ) throws {
    try fixture.row(
      type, start, minutes: minutes, value: value, source: source,
      unit: type == HealthToolsDaysTests.energy ? "kcal" : "count")
  }

  /// Day and value of each day, as every tool that has days tells them, and as `hk2pg query` does.
  private func days(_ fixture: QueriesFixture, _ metric: String, _ count: Int) throws -> [String] {
    func lines(_ list: JSONValue?) -> [String] {
      (list?.array ?? []).map {
        "\($0["date"]?.string ?? "") \($0["value"]?.double ?? -1) \($0["source"]?.string ?? "")"
      }
    }
    let named: [String: JSONValue] = ["metric_type": .string(metric), "days": .int(count)]
    let daily = lines(try fixture.call("query_metric", named)["daily"])
    #expect(lines(try fixture.call("search_records", named)["results"]).sorted() == daily)
    let series = try fixture.read { session in
      try session.series(try session.metric(named: metric), session.lastDays(count), by: .day)
    }
    #expect(series.daily.map { "\($0.day) \($0.value(.total) ?? -1) \($0.tier)" } == daily)
    for line in daily {
      let words = line.split(separator: " ").map(String.init)
      let day = try fixture.call("get_daily_snapshot", ["date": .string(words[0])])
      // Under its own short name, whatever name was asked for.
      let identifier = MetricNames().identifier(of: metric)
      let found = day["metrics"]?.array?.first { $0["metric_type"]?.string == identifier }
      #expect(found?["value"]?.double == Double(words[1]) && found?["source"]?.string == words[2], "\(line)")
    }
    return daily
  }

  @Test func stepsOfThreeSources() throws {
    let fixture = try QueriesFixture()
    for (start, minutes, value, source) in [
      ("08:14", 15, 150.0, "Pedometer"), ("08:04", 12, 120, "Phone"), ("08:00", 6, 60, "Watch"),
      ("08:20", 4, 40, "Watch"),
    ] {
      try cumulative(fixture, QueriesFixture.steps, "2024-06-10T\(start):00Z", minutes, value, source)
    }
    // The Watch's 60 and 40, 10 of the Phone's 12 minutes, 9 of the Pedometer's 15.
    #expect(try days(fixture, "steps", 7) == ["2024-06-10 290.0 raw"])
    #expect(try fixture.call("get_health_summary")["steps"]?["total"]?.double == 290)
  }

  @Test func energyOfTwoSourcesAndOverMidnight() throws {
    let fixture = try QueriesFixture()
    // 100, and the last 15 of 20 minutes of 200.
    try cumulative(fixture, HealthToolsDaysTests.energy, "2024-06-09T20:00:00Z", 10, 100, "Watch")
    try cumulative(fixture, HealthToolsDaysTests.energy, "2024-06-09T20:05:00Z", 20, 200, "Phone")
    // 23:50 to 00:20 in Berlin: 100 on the 9th, 200 on the 10th, which has no sample of its own.
    try cumulative(fixture, HealthToolsDaysTests.energy, "2024-06-09T21:50:00Z", 30, 300, "Watch")
    #expect(try days(fixture, "active-energy", 7) == ["2024-06-09 350.0 raw", "2024-06-10 200.0 raw"])
    // The 10th alone has its part, too.
    #expect(try days(fixture, "active-energy", 1) == ["2024-06-10 200.0 raw"])
    let summary = try fixture.call("get_health_summary")["active_energy"]
    #expect(summary == ["total": .number(550.0), "daily_avg": .number(275.0), "days_with_data": 2, "unit": "kcal"])
    #expect(try fixture.call("get_daily_snapshot")["highlights"]?["active_energy_kcal"]?.double == 200)
  }

  /// Summaries up to the export's day, rows of all days beside them: each day is one of the two, never their sum.
  @Test(arguments: [("steps", QueriesFixture.steps), ("active-energy", HealthToolsDaysTests.energy)])
  func aDayOnBothTiersCountsOnce(_ name: String, _ type: String) throws {
    let fixture = try QueriesFixture()
    let unit = name == "steps" ? "count" : "kcal"
    // The 8th: what an import made of its rows. The row over midnight has a part in each day.
    try cumulative(fixture, type, "2024-06-08T10:00:00Z", 10, 500, "Watch")
    try cumulative(fixture, type, "2024-06-08T21:50:00Z", 30, 300, "Watch")
    try fixture.summary(type, "2024-06-08", sum: 600, average: 400, count: 2, unit: unit)
    // The 9th, the export's day, to which a live app has added 11.
    try cumulative(fixture, type, "2024-06-09T10:00:00Z", 10, 100, "Watch")
    try fixture.summary(type, "2024-06-09", sum: 300, average: 100, count: 1, unit: unit)
    try fixture.row(type, "2024-06-09T18:00:00Z", value: 11, unit: unit, isOurs: false)
    try fixture.row(type, "2024-06-10T07:00:00Z", value: 7, unit: unit, isOurs: false)
    #expect(
      try days(fixture, name, 7) == ["2024-06-08 600.0 summary", "2024-06-09 311.0 raw", "2024-06-10 7.0 raw"])
    let all = try fixture.call("query_metric", ["metric_type": .string(name)])
    #expect(all["total"]?.double == 918 && all["count"] == 3 && all["tier"] == ["summary": 1, "raw": 2])
    let month = try fixture.call("get_long_term_trend", ["metric_type": .string(name), "months": 1])
    #expect(month["monthly_trend"]?.array?.first?["total"]?.double == 918)
    let key = name == "steps" ? "steps" : "active_energy"
    #expect(try fixture.call("get_health_summary")[key]?["total"]?.double == 918)
    let (first, last) = ("2024-06-01", "2024-06-10")
    let compared = try fixture.call(
      "compare_periods",
      [
        "metric_type": .string(name), "period_a_start": .string(first), "period_a_end": .string(last),
        "period_b_start": .string(last), "period_b_end": .string(last),
      ])
    #expect(compared["period_a"]?["total"]?.double == 918 && compared["period_b"]?["total"]?.double == 7)
  }

  /// Stages of the Watch, the whole night of another app, the time in bed of the phone; from 21:50 to 05:40 in Berlin.
  private func addNight(_ fixture: QueriesFixture) throws {
    for (source, start, minutes, state, value) in [
      ("Phone", "2024-06-09T19:50:00Z", 470, "InBed", 0.0),
      ("AutoSleep", "2024-06-09T20:00:00Z", 450, "AsleepUnspecified", 1),
      ("Watch", "2024-06-09T20:10:00Z", 20, "AsleepCore", 3), ("Watch", "2024-06-09T20:30:00Z", 60, "AsleepDeep", 4),
      ("Watch", "2024-06-09T21:30:00Z", 10, "Awake", 2), ("Watch", "2024-06-09T21:40:00Z", 80, "AsleepREM", 5),
      ("Watch", "2024-06-09T23:00:00Z", 240, "AsleepCore", 3),
    ] {
      try fixture.row(
        Metric.sleep.identifier, start, minutes: minutes, value: value, source: source, unit: "category",
        metadata: #"{"sleep_stage": "HKCategoryValueSleepAnalysis\#(state)"}"#)
    }
  }

  private static func night(_ tier: String) -> JSONValue {
    [
      "date": "2024-06-10", "asleep_minutes": .number(400.0),
      "stages": ["core": .number(260.0), "deep": .number(60.0), "rem": .number(80.0)],
      "awake_minutes": .number(10.0), "in_bed_minutes": .number(470.0), "source": .string(tier),
    ]
  }

  @Test func aNightOfThreeSources() throws {
    let fixture = try QueriesFixture()
    try addNight(fixture)
    // It began on the export's day, which has no night of its own.
    for count in [1, 2, 90] {
      let sleep = try fixture.call("get_sleep", ["days": .int(count)])
      #expect(sleep["nights"] == [HealthToolsDaysTests.night("raw")], "\(count) days")
      #expect(sleep["avg_sleep_hours"]?.double == 6.667)
    }
    #expect(try fixture.call("get_daily_snapshot")["sleep"] == HealthToolsDaysTests.night("raw"))
    #expect(try fixture.call("get_daily_snapshot", ["date": "2024-06-09"])["sleep"] == .null)
    #expect(try fixture.call("get_health_summary")["sleep"] == ["avg_hours": .figure(400.0 / 60), "nights": 1])
    #expect(try days(fixture, "sleep", 7) == ["2024-06-10 400.0 raw"])
    #expect(try days(fixture, "asleep-deep", 7) == ["2024-06-10 60.0 raw"])
  }

  /// The same night, once an export of the next day has brought its summary: the rows are still there.
  @Test func aNightOnBothTiersCountsOnce() throws {
    let fixture = try QueriesFixture()
    try addNight(fixture)
    for (name, sum, count) in [
      (Metric.sleep.identifier, 400.0, 4), ("HKCategoryValueSleepAnalysisAsleepCore", 260, 2),
      ("HKCategoryValueSleepAnalysisAsleepDeep", 60, 1), ("HKCategoryValueSleepAnalysisAsleepREM", 80, 1),
      ("HKCategoryValueSleepAnalysisAwake", 10, 1), ("HKCategoryValueSleepAnalysisInBed", 470, 1),
    ] {
      try fixture.summary(name, "2024-06-10", sum: sum, count: count, unit: "min")
    }
    for (export, tier) in [("2024-06-10T05:00:00Z", "raw"), ("2024-06-11T05:00:00Z", "summary")] {
      try fixture.database.execute("UPDATE hk2pg.user_settings SET newest_export_date = '\(export)'")
      #expect(try fixture.call("get_sleep")["nights"] == [HealthToolsDaysTests.night(tier)])
      #expect(try fixture.call("get_sleep")["avg_sleep_hours"]?.double == 6.667)
      #expect(try fixture.call("get_daily_snapshot")["sleep"] == HealthToolsDaysTests.night(tier))
      #expect(try days(fixture, "sleep", 7) == ["2024-06-10 400.0 \(tier)"])
    }
  }
}
