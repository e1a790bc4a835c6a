import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// `hk2pg summarize` (DESIGN §4.6, §4.7).
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct SummarizerTests {
  private let fixture: LoadingFixture

  init() throws { fixture = try LoadingFixture() }

  private typealias F = LoadingFixture

  /// Two days with overlapping sources, a spill-over, heart rate, sleep and a workout.
  private func mixed() throws -> ChunkFolderFixture {
    var export = F.export(0, date: "2024-06-01T12:00:00Z")
    export.rows = [
      F.row(F.steps, "2024-05-01T08:00:00Z", minutes: 10, value: 100),
      F.row(F.steps, "2024-05-01T08:05:00Z", minutes: 10, value: 60, source: "iPhone"),
      // 23:30 to 00:30 in Berlin.
      F.row(F.steps, "2024-05-01T21:30:00Z", minutes: 60, value: 40),
      F.row(F.heartRate, "2024-05-01T08:00:00Z", value: 60, unit: "count/min"),
      F.row(F.heartRate, "2024-05-01T08:00:30Z", value: 80, unit: "count/min"),
      F.night("2024-05-01T21:00:00Z", minutes: 120), F.night("2024-05-01T23:30:00Z", minutes: 300),
      F.row(
        F.workout, "2024-05-02T08:00:00Z", minutes: 30, value: 1500, unit: "seconds",
        metadata: #"{"workout_type":"HKWorkoutActivityTypeRunning"}"#),
    ]
    return try F.summed(export)
  }

  @Test func nothingChangesAfterAnImport() throws {
    try fixture.load(mixed())
    // By hand: 100 + the second half of 60 + half of 40; the other half is the next day's.
    #expect(try fixture.sums() == ["2024-05-01|150|3", "2024-05-02|20|0"])
    #expect(try fixture.sums(F.sleep) == ["2024-05-02|420|2"])
    #expect(try fixture.sums("HKWorkoutActivityTypeRunning") == ["2024-05-02|25|1"])
    let versions = try fixture.versions()
    let outcome = try fixture.summarize()
    #expect(try fixture.versions() == versions)
    #expect(outcome.rows == 8)
    #expect(outcome.types == 4)
    #expect(outcome.recomputed == outcome.unchanged)
    #expect(outcome.recomputed == (try fixture.count("healthkit_daily_summaries")))
    #expect(outcome.sourceRanking == ["Apple Watch", "iPhone"])
  }

  @Test func rowsOfOtherProgramsAreSummedUp() throws {
    try Schema.apply(fixture.database.connection)
    try fixture.insertLive("2024-05-01T08:00:00.25Z", value: 30, source: "Pedometer")
    try fixture.insertLive("2024-05-01T09:00:00.5Z", value: 40, source: "Pedometer")
    try fixture.insertLive("2024-05-01T09:00:00Z", type: F.heartRate, value: .nan, unit: "count/min")
    let outcome = try fixture.summarize()
    #expect(try fixture.sums() == ["2024-05-01|70|2"])
    #expect(outcome.written == 1)
    #expect(outcome.leftOutRows == 1)
    #expect(
      try fixture.database.lines("SELECT zone, server_zone FROM hk2pg.user_settings") == ["\(F.berlin)|\(F.berlin)"])
    #expect(
      try fixture.database.value("SELECT sum_value FROM v_healthkit_daily_quantity WHERE metric_type = '\(F.steps)'")
        == "70")
    #expect(try fixture.count("pg_class", "relname LIKE 'recompute%'") == 0)
  }

  @Test func changedAndEmptiedSummariesAreMended() throws {
    try fixture.load(mixed())
    try fixture.database.execute(
      """
      UPDATE healthkit_daily_summaries SET sum_value = 1 WHERE metric_type = '\(F.steps)';
      DELETE FROM healthkit_daily_summaries WHERE metric_type = '\(F.heartRate)'
      """)
    // A stage that no row has any more.
    try fixture.database.query(
      """
      INSERT INTO healthkit_daily_summaries (id, user_id, metric_type, summary_date, sum_value, sample_count, unit)
      VALUES ('00000000-0000-8000-8000-000000000001', $1, 'HKCategoryValueSleepAnalysisAwake', '2024-05-02', 1, 1, 'min')
      """, [F.user])
    let outcome = try fixture.summarize()
    #expect(outcome.written == 3)
    #expect(outcome.removed == 1)
    #expect(try fixture.sums() == ["2024-05-01|150|3", "2024-05-02|20|0"])
    #expect(try fixture.sums(F.heartRate) == ["2024-05-01|140|2"])
  }

  @Test func summariesWithoutRawRowsStay() throws {
    try fixture.load(mixed())
    try fixture.database.query(
      """
      INSERT INTO healthkit_daily_summaries (id, user_id, metric_type, summary_date, sum_value, sample_count, unit)
      VALUES ('00000000-0000-8000-8000-000000000001', $1, $2, '2020-01-01', 7, 3, 'count')
      """, [F.user, F.steps])
    // A day whose own rows are gone, with a spill-over from the day before: what summed them up stays.
    try fixture.database.execute(
      """
      UPDATE healthkit_daily_summaries SET sum_value = 900, sample_count = 12
      WHERE metric_type = '\(F.steps)' AND summary_date = '2024-05-02'
      """)
    try _ = fixture.summarize()
    #expect(try fixture.sums() == ["2020-01-01|7|3", "2024-05-01|150|3", "2024-05-02|900|12"])
  }

  @Test func prunedDaysAreNeverTouched() throws {
    try fixture.load(mixed())
    try fixture.database.execute(
      """
      UPDATE healthkit_daily_summaries SET sum_value = 1 WHERE summary_date = '2024-05-01';
      INSERT INTO hk2pg.pruned_days (user_id, metric_type, day, starts_at, ends_at, row_count)
      VALUES ('\(F.user)', '\(F.steps)', '2024-05-01', '2024-04-30 22:00Z', '2024-05-01 22:00Z', 10)
      """)
    var outcome = try fixture.summarize()
    #expect(outcome.prunedDays == 1)
    #expect(try fixture.sums() == ["2024-05-01|1|3", "2024-05-02|20|0"])
    #expect(try fixture.sums(F.heartRate) == ["2024-05-01|140|2"])
    // In Tokyo, 2 May begins at 15:00 UTC on 1 May. What is before 22:00 UTC stands in the pruned day of Berlin.
    try fixture.insertLive("2024-05-02T05:00:00Z", value: 9)
    outcome = try fixture.summarize(zone: "Asia/Tokyo")
    #expect(try fixture.sums() == ["2024-05-01|1|3", "2024-05-02|29|1"])
    #expect(outcome.prunedDays == 1)
  }

  @Test func daysBeforeARawWindowStay() throws {
    // Staging would have withheld what starts before 2 May.
    var export = try mixed()
    export.rows.removeAll { $0.start < F.time("2024-05-01T22:00:00Z") }
    export.exportDate = F.time("2024-06-01T12:00:00Z")
    try fixture.load(export)
    try fixture.database.execute("UPDATE hk2pg.imports SET options = '{\"rawWindowDays\": 30}'")
    let before = try fixture.summaries()
    try fixture.insertLive("2024-04-20T08:00:00Z", value: 5)
    try fixture.insertLive("2024-05-01T08:00:00Z", value: 5)
    let outcome = try fixture.summarize()
    // A live row where no import has a summary is summed up, and nothing else changed.
    #expect(outcome.written == 1)
    #expect(try fixture.sums() == ["2024-04-20|5|1", "2024-05-01|150|3", "2024-05-02|20|0"])
    #expect(Set(before).isSubset(of: try fixture.summaries()))
    #expect(outcome.withheldDays > 0)
  }

  @Test func aNewZoneMovesDays() throws {
    try fixture.load(mixed())
    let outcome = try fixture.summarize(zone: "America/New_York")
    #expect(outcome.formerZone == F.berlin)
    // 21:30 UTC is 17:30 on 1 May; nothing is left on 2 May.
    #expect(try fixture.sums() == ["2024-05-01|170|3"])
    #expect(outcome.removed == 1)
    // The night ends at 04:30 UTC, half past midnight in New York.
    #expect(try fixture.sums(F.sleep) == ["2024-05-02|420|2"])
    #expect(
      try fixture.database.lines("SELECT zone, server_zone FROM hk2pg.user_settings") == [
        "America/New_York|America/New_York"
      ])
    let versions = try fixture.versions()
    #expect(try fixture.summarize(zone: "America/New_York").written == 0)
    #expect(try fixture.versions() == versions)
    // And back, by an import of the same export with the zone it had.
    try fixture.load(mixed())
    #expect(try fixture.sums() == ["2024-05-01|150|3", "2024-05-02|20|0"])
  }

  @Test func ranksChangeSums() throws {
    try fixture.load(mixed())
    let outcome = try fixture.summarize(priority: ["": ["iPhone"]])
    // Now the iPhone's 60 count whole, and half of the Watch's 100.
    #expect(try fixture.sums() == ["2024-05-01|130|3", "2024-05-02|20|0"])
    #expect(outcome.sourceRanking == ["iPhone", "Apple Watch"])
    #expect(
      try fixture.database.value("SELECT source_priority::text FROM hk2pg.user_settings") == #"{"": ["iPhone"]}"#)
    #expect(try fixture.summarize(priority: [F.heartRate: ["Nobody"]]).unmatchedNames == ["Nobody"])
    #expect(try fixture.sums() == ["2024-05-01|150|3", "2024-05-02|20|0"])
  }

  @Test func onlyTheDaysWanted() throws {
    try fixture.load(mixed())
    try fixture.database.execute("UPDATE healthkit_daily_summaries SET sum_value = 1")
    let day = CivilDay(year: 2024, month: 5, day: 2)
    _ = try fixture.summarize(days: day...day)
    #expect(try fixture.sums() == ["2024-05-01|1|3", "2024-05-02|20|0"])
    #expect(try fixture.sums(F.sleep) == ["2024-05-02|420|2"])
    #expect(try fixture.sums(F.heartRate) == ["2024-05-01|1|2"])
  }

  /// Days in a zone or by ranks that somebody wrote into the settings would not fit those beside them.
  @Test func someDaysByOtherSettingsAreRefused() throws {
    try fixture.load(mixed())
    let before = try fixture.summaries()
    let day = CivilDay(year: 2024, month: 5, day: 2)
    try fixture.database.execute("UPDATE hk2pg.user_settings SET zone = 'America/New_York'")
    #expect(throws: LoadError.daysOfOtherZone(summaries: F.berlin, wanted: "America/New_York")) {
      try fixture.summarize(zone: "America/New_York", days: day...day)
    }
    #expect(throws: LoadError.daysByOtherRanks) {
      try fixture.summarize(priority: ["": ["iPhone"]], days: day...day)
    }
    #expect(try fixture.summaries() == before)
    _ = try fixture.summarize(zone: "America/New_York")
    _ = try fixture.summarize(zone: "America/New_York", days: day...day)
    #expect(try fixture.sums() == ["2024-05-01|170|3"])
  }

  @Test func anotherProgramsBetterSummaryStays() throws {
    try fixture.load(mixed())
    try fixture.database.query(
      """
      UPDATE healthkit_daily_summaries SET id = gen_random_uuid(), sum_value = 5, sample_count = 9
      WHERE metric_type = $1 AND summary_date = '2024-05-01'
      """, [F.steps])
    let outcome = try fixture.summarize()
    #expect(outcome.kept == 1)
    #expect(try fixture.sums() == ["2024-05-01|5|9", "2024-05-02|20|0"])
    try fixture.database.execute("UPDATE healthkit_daily_summaries SET sample_count = 2 WHERE sample_count = 9")
    #expect(try fixture.summarize().written == 1)
    #expect(try fixture.sums() == ["2024-05-01|150|3", "2024-05-02|20|0"])
  }

  @Test func withoutTablesThereIsNothingToDo() throws {
    let outcome = try fixture.summarize()
    #expect(outcome.rows == 0)
    #expect(try fixture.database.value("SELECT to_regclass('healthkit_daily_summaries') IS NULL") == "t")
  }

  @Test(arguments: TableShapeTests.shapes) func everyShapeIsServed(_ shape: TableShapeTests.Shape) throws {
    for statement in shape.statements { try fixture.database.execute(statement) }
    var export = F.export(50)
    export.rows += F.rows(50, from: "2024-05-01T08:00:00Z", source: "iPhone", value: 3)
    export = try F.summed(export)
    try fixture.load(export)
    let sums = try fixture.sums(day: shape.day)
    #expect(sums.count == 1)
    let versions = try fixture.versions()
    #expect(try fixture.summarize().written == 0)
    #expect(try fixture.versions() == versions)
    try fixture.database.execute("UPDATE healthkit_daily_summaries SET sum_value = 1")
    #expect(try fixture.summarize().written == 1)
    #expect(try fixture.sums(day: shape.day) == sums)
    let outcome = try fixture.prune(today: "2024-08-01")
    #expect(outcome.rows == 100)
    #expect(try fixture.count() == 0)
    #expect(try fixture.load(export).withheld == 100)
    #expect(try fixture.count() == 0)
    #expect(try fixture.database.lines("SELECT day, source FROM v_healthkit_daily_quantity") == ["2024-05-01|summary"])
  }
}
