import Foundation
import HealthModel
import PostgresClient
import TestSupport
import Testing

@testable import Queries

/// Answers with figures worked out by hand. Today is 2024-06-10.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct HealthToolsTests {
  private func call(
    _ fixture: QueriesFixture, _ name: String, _ arguments: [String: JSONValue] = [:]
  ) throws -> JSONValue {
    try fixture.call(name, arguments)
  }

  private func figures(_ value: JSONValue?, _ key: String) -> [Double?] {
    (value?.array ?? []).map { $0[key]?.double }
  }

  /// Summaries of 1 to 9 June, each of two samples; 10 June from a live app.
  private func hrv() throws -> QueriesFixture {
    let fixture = try QueriesFixture()
    for day in 1...9 {
      let mean = Double(30 + day)
      try fixture.summary(
        QueriesFixture.hrv, "2024-06-0\(day)", sum: 2 * mean, average: mean, count: 2, unit: "ms")
    }
    try fixture.row(QueriesFixture.hrv, "2024-06-10T07:00:00Z", value: 52, unit: "ms", isOurs: false)
    return fixture
  }

  @Test func hrvTrend() throws {
    let fixture = try hrv()
    let answer = try call(fixture, "get_hrv_trend", ["days": 3])
    #expect(figures(answer["daily_averages"], "avg_hrv_ms") == [38, 39, 52])
    #expect(answer["daily_averages"]?.array?.last?["source"] == "raw")
    #expect(answer["tier"] == ["summary": 2, "raw": 1])
    // (2·38 + 2·39 + 52) / 5
    #expect(answer["avg_hrv_ms"]?.double == 41.2)
    #expect(answer["trend_vs_prior_week"] == .null && answer["latest_hrv_ms"]?.double == 52)
    #expect(answer["first_day"] == "2024-06-08" && answer["last_day"] == "2024-06-10")
    for day in 25...31 {
      try fixture.summary(QueriesFixture.hrv, "2024-05-\(day)", sum: 20, average: 20, count: 1, unit: "ms")
    }
    let trend = try call(fixture, "get_hrv_trend")["trend_vs_prior_week"]
    // Last seven: 34…39 and 52, mean 271/7; before: 28…31 May with 20 and 31, 32, 33, mean 176/7.
    #expect(trend == ["delta_ms": .figure(95.0 / 7), "direction": "higher"])
  }

  @Test func statisticsAndSearch() throws {
    let fixture = try hrv()
    let stats = try call(fixture, "get_metric_stats", ["metric_type": "hrv", "days": 5])
    // The last five days, 6 to 10 June: 36, 37, 38, 39, 52.
    #expect(stats["data_points"] == 5 && stats["mean"]?.double == 40.4)
    #expect(stats["min"]?.double == 36 && stats["max"]?.double == 52)
    // Deviations −4.4, −3.4, −2.4, −1.4, 11.6: squares 173.2, a fifth 34.64, root 5.886.
    #expect(stats["std_dev"]?.double == 5.886)
    #expect(
      stats["percentiles"] == [
        "p10": .figure(36.4), "p25": .number(37.0), "p50": .number(38.0), "p75": .number(39.0), "p90": .figure(46.8),
      ])

    let low = try call(fixture, "search_records", ["metric_type": "hrv", "max_value": 33, "limit": 2])
    #expect(figures(low["results"], "value") == [33, 32])
    #expect(low["days_matched"] == 3 && low["days_searched"] == 10 && low["truncated"] == true)
    let both = try call(fixture, "search_records", ["metric_type": "hrv", "min_value": 38, "max_value": 39])
    #expect(figures(both["results"], "value") == [39, 38])
  }

  @Test func comparison() throws {
    let fixture = try hrv()
    func compare(_ a: String, _ b: String) throws -> JSONValue {
      let (from, to) = (a.split(separator: " "), b.split(separator: " "))
      return try call(
        fixture, "compare_periods",
        [
          "metric_type": "hrv", "period_a_start": .string(String(from[0])), "period_a_end": .string(String(from[1])),
          "period_b_start": .string(String(to[0])), "period_b_end": .string(String(to[1])),
        ])
    }
    let answer = try compare("2024-06-01 2024-06-04", "2024-06-05 2024-06-09")
    #expect(answer["period_a"]?["avg"]?.double == 32.5 && answer["period_b"]?["avg"]?.double == 37)
    #expect(
      answer["comparison"] == ["delta": .figure(4.5), "pct_change": .figure(13.846), "verdict": "B is higher than A"])
    #expect(try compare("2023-06-01 2023-06-04", "2024-06-05 2024-06-09")["comparison"]?["delta"] == .null)
    #expect(throws: QueryError.emptyRange(QueriesFixture.day(6, 4), QueriesFixture.day(6, 1))) {
      try compare("2024-06-04 2024-06-01", "2024-06-05 2024-06-09")
    }
    #expect(throws: ToolArgumentError.self) { try compare("2000-01-01 2024-06-01", "2024-06-05 2024-06-09") }
  }

  @Test func stepsByDayMonthAndSample() throws {
    let fixture = try QueriesFixture()
    try fixture.stepSummary("2024-05-31", sum: 4_000, count: 4)
    try fixture.stepSummary("2024-06-08", sum: 6_000, count: 5)
    // The Watch's 100, and the half of the Phone's 60 that it did not see.
    try fixture.steps("2024-06-10T08:00:00Z", value: 100)
    try fixture.steps("2024-06-10T08:05:00Z", value: 60, source: "Phone")
    let query = try call(fixture, "query_metric", ["metric_type": "steps", "limit": 1])
    #expect(figures(query["daily"], "value") == [130] && query["truncated"] == true && query["count"] == 2)
    #expect(query["total"]?.double == 6130 && query["avg"]?.double == 3065 && query["value_type"] == "total")
    #expect(figures(query["samples"], "value") == [60] && query["samples"]?.array?.first?["source_device"] == "Phone")
    let trend = try call(fixture, "get_long_term_trend", ["metric_type": "StepCount", "months": 2])
    #expect(trend["monthly_trend"]?.array?.map { $0["month"] } == ["2024-05", "2024-06"])
    #expect(figures(trend["monthly_trend"], "total") == [4000, 6130])
    #expect(figures(trend["monthly_trend"], "avg") == [4000, 3065])
    #expect(trend["monthly_trend"]?.array?.last?["sources"] == ["raw", "summary"])
    #expect(trend["first_day"] == "2024-05-01" && trend["months"] == 2)
  }

  @Test func sleepSnapshotAndSummary() throws {
    let fixture = try QueriesFixture()
    for (name, minutes) in [
      (Metric.sleep.identifier, 420.0), ("HKCategoryValueSleepAnalysisAsleepCore", 300),
      ("HKCategoryValueSleepAnalysisAsleepDeep", 120), ("HKCategoryValueSleepAnalysisAwake", 15),
      ("HKCategoryValueSleepAnalysisInBed", 450),
    ] {
      try fixture.summary(name, "2024-06-08", sum: minutes, unit: "min")
    }
    // A night of which only the time in bed is known.
    try fixture.summary("HKCategoryValueSleepAnalysisInBed", "2024-06-07", sum: 400, unit: "min")
    let sleep = try call(fixture, "get_sleep")
    #expect(
      sleep["nights"] == [
        [
          "date": "2024-06-08", "asleep_minutes": .number(420.0),
          "stages": ["core": .number(300.0), "deep": .number(120.0)],
          "awake_minutes": .number(15.0), "in_bed_minutes": .number(450.0), "source": "summary",
        ],
        [
          "date": "2024-06-07", "asleep_minutes": .null, "stages": [:], "awake_minutes": .null,
          "in_bed_minutes": .number(400.0), "source": "summary",
        ],
      ])
    #expect(sleep["avg_sleep_hours"]?.double == 7)

    try fixture.stepSummary("2024-06-08", sum: 6_000)
    try fixture.row(
      Metric.workouts.identifier, "2024-06-08T06:00:00Z", minutes: 40, value: 1800, unit: "seconds",
      metadata: #"{"workout_type": "HKWorkoutActivityTypeRunning", "total_energy_burned_cal": 250}"#)
    let day = try call(fixture, "get_daily_snapshot", ["date": "2024-06-08"])
    #expect(day["highlights"]?["steps"]?.double == 6000 && day["highlights"]?["asleep_minutes"]?.double == 420)
    #expect(day["sleep"]?["stages"]?["deep"]?.double == 120)
    #expect(figures(day["workouts"], "duration_minutes") == [30] && figures(day["workouts"], "energy_kcal") == [250])
    // Workouts of the day have no summary: their row was summed up.
    let metrics = day["metrics"]?.array?.compactMap { $0["metric"]?.string } ?? []
    #expect(
      metrics.sorted() == [
        "asleep-core", "asleep-deep", "awake", "in-bed", "sleep", "steps", "workout-running", "workouts",
      ])
    #expect(day["tier"] == ["summary": 6, "raw": 2])
    #expect(try call(fixture, "get_daily_snapshot")["count"] == 0)

    let summary = try call(fixture, "get_health_summary")
    #expect(summary["steps"]?["total"]?.double == 6000 && summary["sleep"]?["avg_hours"]?.double == 7)
    #expect(summary["workouts"] == ["count": 1, "minutes": .number(30.0), "by_activity": ["running": 1]])
    let workouts = try call(fixture, "get_workouts")
    #expect(workouts["by_activity"] == ["running": ["workouts": 1, "minutes": .number(30.0)]])
    #expect(workouts["workouts"]?.array?.first?["date"] == "2024-06-08")
  }

  @Test func metricsAreListed() throws {
    let fixture = try hrv()
    let answer = try call(fixture, "list_metrics")
    #expect(
      answer["metrics"] == [
        [
          "metric": "hrv", "metric_type": .string(QueriesFixture.hrv), "unit": "ms", "first_day": "2024-06-01",
          "last_day": "2024-06-10", "summarized_days": 9, "samples": 18, "has_raw_rows": true,
        ]
      ])
    #expect(answer["newest_export"] == "2024-06-09T16:00:00Z" && answer["zone"] == "Europe/Berlin")
  }

  // MARK: Connections

  @Test func aLostConnectionIsMadeAnew() throws {
    let fixture = try hrv()
    var opened = 0
    let runner = ToolRunner(
      open: {
        opened += 1
        return fixture.reader(QueriesFixture.user, try fixture.database.connect())
      }, describe: { "\($0)" }, isCancelled: { false })
    defer { runner.close() }
    let tool = HealthTools.heartRateVariability
    let first = runner.run(tool, [:])
    try fixture.database.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    #expect(runner.run(tool, [:]) == first)
    #expect(opened == 2)
    if case .failed(let words) = runner.run(tool, ["days": 0]) {
      #expect(words.contains("whole number"))
    } else {
      Issue.record("days 0 was taken")
    }
    // Tables that are made anew while the server runs.
    try fixture.database.execute(
      """
      ALTER TABLE healthkit_daily_summaries RENAME COLUMN summary_date TO date
      """)
    #expect(runner.run(tool, [:]) == first)
    #expect(opened == 3)
  }
}
