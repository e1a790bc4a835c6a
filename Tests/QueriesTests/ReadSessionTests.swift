import HealthModel
import Loading
import PostgresClient
import TestSupport
import Testing

@testable import Queries

@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct ReadSessionTests {
  private let june = QueriesFixture.day(6, 1)...QueriesFixture.day(6, 30)

  // MARK: Tiers

  @Test func eachDayIsFromOneTier() throws {
    let fixture = try QueriesFixture()
    // Before the export: the summary, whatever rows there are; where it lacks, rows.
    try fixture.stepSummary("2024-06-01", sum: 500)
    try fixture.steps("2024-06-01T10:00:00Z", value: 3)
    try fixture.steps("2024-06-02T10:00:00Z", value: 20)
    // The export's day: its rows and later ones of a live app. 16:00Z is 18:00 in Berlin.
    try fixture.stepSummary("2024-06-09", sum: 100)
    try fixture.steps("2024-06-09T10:00:00Z", value: 100)
    try fixture.steps("2024-06-09T18:00:00Z", value: 11, isOurs: false)
    // After it: the app alone.
    try fixture.steps("2024-06-10T07:00:00Z", value: 7, isOurs: false)
    #expect(
      try fixture.lines(QueriesFixture.steps, june) == [
        "06-01 500.0 summary", "06-02 20.0 raw", "06-09 111.0 raw", "06-10 7.0 raw",
      ])
    let narrow = QueriesFixture.day(6, 2)...QueriesFixture.day(6, 9)
    #expect(try fixture.lines(QueriesFixture.steps, narrow) == ["06-02 20.0 raw", "06-09 111.0 raw"])
  }

  @Test func aSummaryOfMoreSamplesThanThereAreRowsStays() throws {
    let fixture = try QueriesFixture()
    // Another program has summed the day up and deleted a part of its rows.
    try fixture.stepSummary("2024-06-10", sum: 900, count: 3)
    try fixture.steps("2024-06-10T07:00:00Z", value: 7, isOurs: false)
    #expect(try fixture.lines(QueriesFixture.steps, june) == ["06-10 900.0 summary"])
    try fixture.steps("2024-06-10T08:00:00Z", value: 8, isOurs: false)
    try fixture.steps("2024-06-10T09:00:00Z", value: 9, isOurs: false)
    #expect(try fixture.lines(QueriesFixture.steps, june) == ["06-10 24.0 raw"])
  }

  @Test func prunedDaysAreNeverSummedUpAgain() throws {
    let fixture = try QueriesFixture()
    try fixture.database.execute("UPDATE hk2pg.user_settings SET newest_export_date = '2024-06-01T00:00:00Z'")
    try fixture.stepSummary("2024-06-03", sum: 100)
    try fixture.steps("2024-06-03T10:00:00Z", value: 5, isOurs: false)
    #expect(try fixture.lines(QueriesFixture.steps, june) == ["06-03 5.0 raw"])
    try fixture.prunedDay(QueriesFixture.steps, "2024-06-03")
    #expect(try fixture.lines(QueriesFixture.steps, june) == ["06-03 100.0 summary"])
  }

  /// Neighbouring pruned days are one stretch, and end where they end.
  @Test func daysBesidePrunedOnesAreSummedUp() throws {
    let fixture = try QueriesFixture()
    for day in ["2024-06-03", "2024-06-04", "2024-06-06"] {
      try fixture.stepSummary(day, sum: 100)
      try fixture.prunedDay(QueriesFixture.steps, day)
      try fixture.prunedDay(QueriesFixture.hrv, day)
    }
    // 00:00 and 23:59 in Berlin, of a live app that sent old samples.
    for day in 2...7 {
      try fixture.steps("2024-06-0\(day - 1)T22:00:00Z", minutes: 1, value: 5, isOurs: false)
      try fixture.steps("2024-06-0\(day)T21:59:00Z", minutes: 1, value: 5, isOurs: false)
    }
    try fixture.database.execute("UPDATE hk2pg.user_settings SET newest_export_date = '2024-06-01T00:00:00Z'")
    #expect(
      try fixture.lines(QueriesFixture.steps, june) == [
        "06-02 10.0 raw", "06-03 100.0 summary", "06-04 100.0 summary", "06-05 10.0 raw", "06-06 100.0 summary",
        "06-07 10.0 raw",
      ])
    for (day, line) in [(4, "06-04 100.0 summary"), (5, "06-05 10.0 raw")] {
      let one = QueriesFixture.day(6, day)
      #expect(try fixture.lines(QueriesFixture.steps, one...one) == [line])
      #expect(
        try fixture.read { try $0.snapshot(one) }.values.map { QueriesFixture.line($0, .total) } == [line])
    }
  }

  @Test func withoutSettingsRowsComeFirstAndDaysAreUTC() throws {
    let fixture = try QueriesFixture()
    try fixture.stepSummary("2024-06-01", sum: 500)
    try fixture.steps("2024-06-01T23:30:00Z", value: 3, isOurs: false)
    try fixture.stepSummary("2024-06-02", sum: 600)
    // 23:30Z is the 2nd in Berlin.
    #expect(try fixture.lines(QueriesFixture.steps, june) == ["06-01 500.0 summary", "06-02 600.0 summary"])
    try fixture.database.execute("DROP SCHEMA hk2pg CASCADE")
    #expect(try fixture.lines(QueriesFixture.steps, june) == ["06-01 3.0 raw", "06-02 600.0 summary"])
  }

  // MARK: The fold

  @Test func overlappingSourcesCountOnce() throws {
    let fixture = try QueriesFixture()
    // The Watch's 100, and the half of the Phone's 60 that it did not see.
    try fixture.steps("2024-06-10T08:00:00Z", value: 100)
    try fixture.steps("2024-06-10T08:05:00Z", value: 60, source: "Phone")
    #expect(try fixture.lines(QueriesFixture.steps, june) == ["06-10 130.0 raw"])
    try fixture.database.execute(#"UPDATE hk2pg.user_settings SET source_priority = '{"": ["Phone"]}'"#)
    // The Phone's 60, and the half of 100 before it.
    #expect(try fixture.lines(QueriesFixture.steps, june) == ["06-10 110.0 raw"])
  }

  @Test func aRowOverMidnightIsSplitBetweenDays() throws {
    let fixture = try QueriesFixture()
    // 23:45 to 00:15 in Berlin.
    try fixture.steps("2024-06-10T21:45:00Z", minutes: 30, value: 60, isOurs: false)
    #expect(try fixture.lines(QueriesFixture.steps, june) == ["06-10 30.0 raw", "06-11 30.0 raw"])
    let second = QueriesFixture.day(6, 11)...QueriesFixture.day(6, 11)
    #expect(try fixture.lines(QueriesFixture.steps, second) == ["06-11 30.0 raw"])
  }

  @Test func sleepHasItsStagesOnTheDayOfWaking() throws {
    let fixture = try QueriesFixture()
    func stage(_ start: String, _ minutes: Int, _ name: String, _ value: Double, source: String = "Watch") throws {
      try fixture.row(
        Metric.sleep.identifier, start, minutes: minutes, value: value, source: source, unit: "category",
        metadata: #"{"sleep_stage": "HKCategoryValueSleepAnalysis\#(name)"}"#)
    }
    // Berlin: in bed from 22:45 of the 9th, asleep 23:00 to 05:30 of the 10th.
    try stage("2024-06-09T20:45:00Z", 420, "InBed", 0, source: "Phone")
    try stage("2024-06-09T21:00:00Z", 240, "AsleepCore", 3)
    try stage("2024-06-10T01:00:00Z", 60, "AsleepDeep", 4)
    try stage("2024-06-10T02:00:00Z", 30, "Awake", 2)
    try stage("2024-06-10T02:30:00Z", 60, "AsleepREM", 5)
    let today = QueriesFixture.day(6, 10)...QueriesFixture.day(6, 10)
    let family = try fixture.read { try $0.dailyFamily(.sleep, today) }
    let minutes = family.mapValues { $0.map { QueriesFixture.line($0, .total) } }
    #expect(
      minutes == [
        "HKCategoryTypeIdentifierSleepAnalysis": ["06-10 360.0 raw"],
        "HKCategoryValueSleepAnalysisAsleepCore": ["06-10 240.0 raw"],
        "HKCategoryValueSleepAnalysisAsleepDeep": ["06-10 60.0 raw"],
        "HKCategoryValueSleepAnalysisAsleepREM": ["06-10 60.0 raw"],
        "HKCategoryValueSleepAnalysisAwake": ["06-10 30.0 raw"],
        "HKCategoryValueSleepAnalysisInBed": ["06-10 420.0 raw"],
      ])
    #expect(try fixture.lines("HKCategoryValueSleepAnalysisAsleepDeep", june) == ["06-10 60.0 raw"])
    // The night that began on the 9th is no sleep of the 9th.
    let before = QueriesFixture.day(6, 9)...QueriesFixture.day(6, 9)
    #expect(try fixture.lines(Metric.sleep.identifier, before).isEmpty)
  }

  @Test func workoutsHaveAnActivityEach() throws {
    let fixture = try QueriesFixture()
    for (start, activity, seconds) in [
      ("2024-06-10T06:00:00Z", "Running", 1800.0), ("2024-06-10T08:00:00Z", "Yoga", 600),
    ] {
      try fixture.row(
        Metric.workouts.identifier, start, minutes: 30, value: seconds, unit: "seconds",
        metadata: #"{"workout_type": "HKWorkoutActivityType\#(activity)", "total_distance_meters": 5000}"#)
    }
    try fixture.summary("HKWorkoutActivityTypeRunning", "2024-06-01", sum: 45, unit: "min")
    try fixture.summary(Metric.workouts.identifier, "2024-06-01", sum: 45, unit: "min")
    let family = try fixture.read { try $0.dailyFamily(.workouts, june) }
      .mapValues { $0.map { QueriesFixture.line($0, .total) } }
    #expect(
      family == [
        "HKWorkoutTypeIdentifier": ["06-01 45.0 summary", "06-10 40.0 raw"],
        "HKWorkoutActivityTypeRunning": ["06-01 45.0 summary", "06-10 30.0 raw"],
        "HKWorkoutActivityTypeYoga": ["06-10 10.0 raw"],
      ])
    let rows = try fixture.read { try $0.workouts(june, limit: 1) }
    #expect(rows.map(\.activity) == ["HKWorkoutActivityTypeYoga"])
    #expect(rows[0].seconds == 600 && rows[0].distanceMeters == 5000 && rows[0].energyKilocalories == nil)
    #expect(rows[0].start == QueriesFixture.time("2024-06-10T08:00:00Z"))
  }

  // MARK: Whose rows, which tables

  @Test func nobodyElsesRowsAreSeenAndNothingIsWritten() throws {
    let fixture = try QueriesFixture()
    try fixture.steps("2024-06-10T07:00:00Z", value: 7, user: "somebody else")
    try fixture.stepSummary("2024-06-01", sum: 500, user: "somebody else")
    #expect(try fixture.lines(QueriesFixture.steps, june).isEmpty)
    #expect(try fixture.read { try $0.overview() }.isEmpty)
    #expect(try fixture.read { try $0.samples(QueriesFixture.steps, june, limit: 10) }.isEmpty)
    let error = #expect(throws: PostgresError.self) {
      try fixture.read { try $0.connection.execute("DELETE FROM healthkit_metrics") }
    }
    #expect(error?.sqlState == SQLState.readOnlyTransaction)
    #expect(try fixture.database.value("SELECT count(*) FROM healthkit_metrics") == "1")
    // Nothing stays in the session.
    #expect(try fixture.database.value("SHOW statement_timeout") == "0")
  }

  @Test func statementsHaveATimeLimit() throws {
    let fixture = try QueriesFixture()
    let reader = HealthReader(
      fixture.database.connection, user: QueriesFixture.user, statementTimeout: 50, now: { [now = fixture.now] in now })
    let error = #expect(throws: PostgresError.self) {
      try reader.read { try $0.connection.execute("SELECT pg_sleep(5)") }
    }
    #expect(error?.sqlState == SQLState.queryCanceled)
  }

  /// `user_id uuid`, the day called `date`, a summary for each unit: another program's tables.
  @Test func otherShapesAreRead() throws {
    let fixture = try QueriesFixture()
    try fixture.database.execute(
      """
      DROP VIEW v_healthkit_daily_quantity;
      DROP TABLE healthkit_metrics, healthkit_daily_summaries;
      CREATE TABLE healthkit_metrics (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL, metric_type text NOT NULL, value float8,
        unit text, source_device text NOT NULL DEFAULT '', started_at timestamptz NOT NULL, ended_at timestamptz,
        metadata jsonb, synced_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (user_id, metric_type, started_at, source_device));
      CREATE TABLE healthkit_daily_summaries (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL, metric_type text NOT NULL,
        date date NOT NULL, avg_value float8, min_value float8, max_value float8, sum_value float8, sample_count int,
        unit text NOT NULL DEFAULT '', created_at timestamptz DEFAULT now(), UNIQUE (user_id, metric_type, date, unit));
      INSERT INTO healthkit_metrics (user_id, metric_type, value, unit, source_device, started_at)
        VALUES ('\(QueriesFixture.user)', '\(QueriesFixture.hrv)', 40, 'ms', 'Watch', '2024-06-10T07:00:00Z');
      INSERT INTO healthkit_daily_summaries (user_id, metric_type, date, avg_value, sum_value, sample_count, unit)
        VALUES ('\(QueriesFixture.user)', '\(QueriesFixture.hrv)', '2024-06-01', 50, 100, 2, 'ms'),
          ('\(QueriesFixture.user)', '\(QueriesFixture.hrv)', '2024-06-01', 0.05, 0.05, 1, 's')
      """)
    #expect(try fixture.lines(QueriesFixture.hrv, june) == ["06-01 50.0 summary", "06-10 40.0 raw"])
    #expect(throws: LoadError.userIsNoUUID) { try fixture.reader("anna").read { try $0.overview() } }
  }

  @Test func missingTablesAreSaid() throws {
    let fixture = try QueriesFixture()
    try fixture.database.execute("DROP VIEW v_healthkit_daily_quantity; DROP TABLE healthkit_daily_summaries")
    try fixture.steps("2024-06-10T07:00:00Z", value: 7)
    #expect(try fixture.lines(QueriesFixture.steps, june) == ["06-10 7.0 raw"])
    try fixture.database.execute("DROP TABLE healthkit_metrics")
    #expect(throws: QueryError.noTables) { try fixture.read { $0.today } }
  }

  /// A role that may read the published tables only.
  @Test func theSchemaOfOurOwnIsNotNeeded() throws {
    let fixture = try QueriesFixture()
    try fixture.steps("2024-06-10T07:00:00Z", value: 7)
    let role = "reader_\(fixture.database.name)"
    try fixture.database.execute(
      """
      CREATE ROLE \(role); GRANT USAGE ON SCHEMA public TO \(role);
      REVOKE ALL ON SCHEMA hk2pg FROM PUBLIC;
      GRANT SELECT ON healthkit_metrics, healthkit_daily_summaries TO \(role); SET ROLE \(role)
      """)
    defer {
      _ = try? fixture.database.execute("RESET ROLE; DROP OWNED BY \(role); DROP ROLE \(role)")
    }
    #expect(try fixture.lines(QueriesFixture.steps, june) == ["06-10 7.0 raw"])
  }

  /// Somebody wrote the ranks by hand.
  @Test(arguments: [#"["Watch"]"#, #"{"": "Watch"}"#, #"{"": [1]}"#, "7"])
  func ranksThatAreNoListsAreSaid(_ ranks: String) throws {
    let fixture = try QueriesFixture()
    try fixture.database.query("UPDATE hk2pg.user_settings SET source_priority = $1::jsonb", [ranks])
    let error = LoadError.malformedRanks(column: "source_priority", user: QueriesFixture.user)
    #expect(throws: error) { try fixture.lines(QueriesFixture.steps, june) }
    #expect(throws: error) { try Ledger(fixture.database.connection).settings(of: QueriesFixture.user) }
  }

  @Test func whatHasNoDaysSaysSo() throws {
    let fixture = try QueriesFixture()
    #expect(throws: QueryError.noDailyValues("HKCorrelationTypeIdentifierFood")) {
      try fixture.lines("HKCorrelationTypeIdentifierFood", june)
    }
  }

  // MARK: What is there

  @Test func overviewJoinsTheTiers() throws {
    let fixture = try QueriesFixture()
    try fixture.stepSummary("2024-06-01", sum: 500, count: 4)
    try fixture.stepSummary("2024-06-03", sum: 500, count: 5)
    try fixture.steps("2024-06-10T22:30:00Z", value: 7, isOurs: false)
    try fixture.row("HKCorrelationTypeIdentifierFood", "2024-06-02T07:00:00Z", value: 1)
    let overview = try fixture.read { try $0.overview() }
    #expect(
      overview == [
        StoredMetric(
          metric: Metric("HKCorrelationTypeIdentifierFood"), days: QueriesFixture.day(6, 2)...QueriesFixture.day(6, 2),
          summarizedDayCount: nil, sampleCount: nil, hasRawRows: true),
        StoredMetric(
          metric: .steps, days: QueriesFixture.day(6, 1)...QueriesFixture.day(6, 11), summarizedDayCount: 2,
          sampleCount: 9, hasRawRows: true),
      ])
  }

  @Test func samplesComeNewestFirstWithTheirExportedStarts() throws {
    let fixture = try QueriesFixture()
    try fixture.steps("2024-06-09T10:00:00.000001Z", value: 2, source: "Phone")
    try fixture.steps("2024-06-09T10:00:00Z", value: 1)
    try fixture.steps("2024-06-09T10:00:00.5Z", value: 3, isOurs: false)
    let samples = try fixture.read { try $0.samples(QueriesFixture.steps, june, limit: 10) }
    #expect(samples.map(\.value) == [3, 2, 1])
    #expect(
      samples.map(\.start.iso8601) == [
        "2024-06-09T10:00:00.500000Z", "2024-06-09T10:00:00Z", "2024-06-09T10:00:00Z",
      ])
    #expect(samples[1].source == "Phone" && samples[1].end == QueriesFixture.time("2024-06-09T10:10:00Z"))
    #expect(try fixture.read { try $0.samples(QueriesFixture.steps, june, limit: 2) }.map(\.value) == [3, 2])
  }

  @Test func namesOfStoredTypesAreKnown() throws {
    let fixture = try QueriesFixture()
    try fixture.row("HKQuantityTypeIdentifierMoodScore", "2024-06-09T10:00:00Z", value: 2)
    try fixture.read { session in
      let metric = try session.metric(named: "mood-score")
      #expect(metric.identifier == "HKQuantityTypeIdentifierMoodScore")
      #expect(throws: QueryError.unknownMetric("mood-scroe", nearest: "mood-score")) {
        try session.metric(named: "mood-scroe")
      }
    }
  }
}
