import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// Summaries where the table holds more than the export (DESIGN §4.6, §4.7).
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct UnionDaysTests {
  private let fixture: LoadingFixture

  init() throws { fixture = try LoadingFixture() }

  private func day(_ month: Int, _ day: Int) -> CivilDay { CivilDay(year: 2024, month: month, day: day) }

  private func summary(
    _ day: CivilDay, sum: Double, count: Int, type: String = LoadingFixture.steps
  ) -> DailySummary {
    DailySummary(
      metricType: type, day: day, average: sum / Double(count), minimum: 1, maximum: 1, sum: sum, sampleCount: count,
      unit: "count")
  }

  private func sums(_ type: String = LoadingFixture.steps) throws -> [String] {
    try fixture.database.lines(
      """
      SELECT summary_date, sum_value, sample_count FROM healthkit_daily_summaries WHERE metric_type = '\(type)' ORDER BY 1
      """)
  }

  /// Ten minutes of ten steps each.
  private func walk(_ start: String, _ source: String) -> [ChunkFolderFixture.Row] {
    LoadingFixture.rows(10, from: start, source: source, value: 10).map { row in
      var row = row
      row.value = 10
      return row
    }
  }

  @Test func keptHistoryOfAnotherSourceCounts() throws {
    var old = LoadingFixture.export(0)
    old.rows = walk("2024-05-01T08:00:00Z", "Old Watch") + walk("2024-05-02T08:00:00Z", "Old Watch")
    old.summaries = [summary(day(5, 1), sum: 100, count: 10), summary(day(5, 2), sum: 100, count: 10)]
    try fixture.load(old)
    // A new phone has only its own samples of the first day.
    var new = LoadingFixture.export(0, date: "2024-07-01T00:00:00Z")
    new.rows = walk("2024-05-01T12:00:00Z", "New Watch")
    new.summaries = [summary(day(5, 1), sum: 100, count: 10)]
    let outcome = try fixture.load(new)
    #expect(outcome.keptMissing.groupNotInExport == 20)
    // The next day too: where exactly days meet depends on the zone.
    #expect(outcome.summaries.recomputed == 2)
    #expect(try sums() == ["2024-05-01|200|20", "2024-05-02|100|10"])
    // The same again: nothing is written, though the day is recomputed.
    let versions = try fixture.versions()
    #expect(try fixture.load(new).summaries.written == 0)
    #expect(try fixture.versions() == versions)
  }

  @Test func liveRowsOfTheDayCount() throws {
    try Schema.apply(fixture.database.connection)
    try fixture.database.query(
      """
      INSERT INTO healthkit_metrics (user_id, metric_type, value, unit, source_device, started_at, ended_at)
      VALUES ($1, $2, 50, 'count', 'Apple Watch', '2024-05-01T20:00:00.5Z', '2024-05-01T20:05:00.5Z')
      """, [LoadingFixture.user, LoadingFixture.steps])
    var export = LoadingFixture.export(0)
    export.rows = walk("2024-05-01T08:00:00Z", "Apple Watch")
    export.summaries = [summary(day(5, 1), sum: 100, count: 10)]
    try fixture.load(export)
    #expect(try sums() == ["2024-05-01|150|11"])
  }

  @Test func daysThatLoseTheirLastSampleLoseTheirSummary() throws {
    // 23:00 UTC is the next day in Berlin, so the samples of one UTC day are on two local days.
    var export = LoadingFixture.export(0)
    export.rows = walk("2024-05-01T08:00:00Z", "Apple Watch") + walk("2024-05-01T23:00:00Z", "Apple Watch")
    for number in 10...28 { export.rows += walk("2024-05-\(number)T08:00:00Z", "Apple Watch") }
    export.summaries = [summary(day(5, 1), sum: 100, count: 10), summary(day(5, 2), sum: 100, count: 10)]
    try fixture.load(export)
    #expect(try sums().count == 2)
    export.rows.removeSubrange(10..<20)
    export.summaries.removeLast()
    export.exportDate = Instant(iso8601: "2024-06-02T00:00:00Z")
    let outcome = try fixture.load(export)
    #expect(outcome.removed == 10)
    #expect(outcome.summaries.removed == 1)
    #expect(try sums() == ["2024-05-01|100|10"])
  }

  @Test func anOlderExportsGroupsAreAddedToTheirDay() throws {
    var newer = LoadingFixture.export(0, date: "2024-06-10T00:00:00Z")
    newer.rows = walk("2024-05-01T08:00:00Z", "Watch")
    newer.summaries = [summary(day(5, 1), sum: 100, count: 10)]
    try fixture.load(newer)
    var older = LoadingFixture.export(0, date: "2024-06-01T00:00:00Z")
    older.rows = walk("2024-05-01T12:00:00Z", "Other") + walk("2024-04-01T12:00:00Z", "Other")
    older.summaries = [summary(day(5, 1), sum: 77, count: 7), summary(day(4, 1), sum: 100, count: 10)]
    try fixture.load(older)
    #expect(try sums() == ["2024-04-01|100|10", "2024-05-01|200|20"])
  }

  @Test func anotherZoneMovesDaysWithTheirRows() throws {
    var export = LoadingFixture.export(0)
    // 1 May 23:00 UTC: 2 May in Berlin, 1 May in New York.
    export.rows = walk("2024-05-01T23:00:00Z", "Watch")
    export.summaries = [summary(day(5, 2), sum: 100, count: 10)]
    try fixture.load(export)
    // Pruned long ago: no rows, but a summary that has to stay.
    try fixture.database.query(
      """
      INSERT INTO healthkit_daily_summaries (id, user_id, metric_type, summary_date, sum_value, sample_count, unit)
      VALUES ('00000000-0000-8000-8000-000000000001', $1, $2, '2020-01-01', 1, 1, 'count')
      """, [LoadingFixture.user, LoadingFixture.steps])
    export.zone = "America/New_York"
    export.summaries = [summary(day(5, 1), sum: 100, count: 10)]
    try fixture.load(export)
    #expect(try sums() == ["2020-01-01|1|1", "2024-05-01|100|10"])
    #expect(try fixture.database.value("SELECT zone FROM hk2pg.user_settings") == "America/New_York")
  }

  @Test func prunedDaysKeepTheBetterSummary() throws {
    var export = LoadingFixture.export(0)
    export.rows = walk("2024-05-01T08:00:00Z", "Watch") + walk("2024-05-02T08:00:00Z", "Watch")
    export.summaries = [summary(day(5, 1), sum: 100, count: 10), summary(day(5, 2), sum: 100, count: 10)]
    try fixture.load(export)
    try fixture.database.execute(
      """
      DELETE FROM healthkit_metrics WHERE started_at < '2024-05-02';
      INSERT INTO hk2pg.pruned_days (user_id, metric_type, day, starts_at, ends_at, row_count)
      VALUES ('\(LoadingFixture.user)', '\(LoadingFixture.steps)', '2024-05-01', '2024-04-30 22:00Z', '2024-05-01 22:00Z', 10)
      """)
    export.exportDate = Instant(iso8601: "2024-06-02T00:00:00Z")
    export.rows.removeFirst(4)
    export.summaries[0] = summary(day(5, 1), sum: 60, count: 6)
    var outcome = try fixture.load(export)
    #expect(outcome.withheld == 6)
    #expect(outcome.summaries.kept == 1)
    #expect(try sums() == ["2024-05-01|100|10", "2024-05-02|100|10"])
    export.summaries[0] = summary(day(5, 1), sum: 130, count: 13)
    outcome = try fixture.load(export)
    #expect(outcome.summaries.written == 1)
    #expect(try sums() == ["2024-05-01|130|13", "2024-05-02|100|10"])
  }

  @Test func somebodyElsesBetterSummaryStays() throws {
    try Schema.apply(fixture.database.connection)
    for (number, count) in [(1, 11), (2, 10), (3, 3)] {
      try fixture.database.query(
        """
        INSERT INTO healthkit_daily_summaries (user_id, metric_type, summary_date, sum_value, sample_count, unit)
        VALUES ($1, $2, $3::date, 5, $4::int, 'count')
        """, [LoadingFixture.user, LoadingFixture.steps, "2024-05-0\(number)", String(count)])
    }
    var export = LoadingFixture.export(0)
    export.rows = (1...3).flatMap { walk("2024-05-0\($0)T08:00:00Z", "Watch") }
    export.summaries = (1...3).map { summary(day(5, $0), sum: 100, count: 10) }
    let outcome = try fixture.load(export)
    #expect(outcome.summaries.written == 2)
    #expect(outcome.summaries.kept == 1)
    #expect(try sums() == ["2024-05-01|5|11", "2024-05-02|100|10", "2024-05-03|100|10"])
    let versions = try fixture.versions()
    try fixture.load(export)
    #expect(try fixture.versions() == versions)
  }

  @Test func sleepIsRecomputedBySession() throws {
    let sleep = "HKCategoryTypeIdentifierSleepAnalysis"
    func night(_ start: String, _ hours: Int64, _ source: String) -> ChunkFolderFixture.Row {
      let begin = LoadingFixture.time(start)
      return .init(
        type: sleep, source: source, start: begin, end: Instant(seconds: begin.seconds + hours * 3600), value: 3,
        unit: "category", metadata: #"{"sleep_stage":"HKCategoryValueSleepAnalysisAsleepCore"}"#)
    }
    var old = LoadingFixture.export(0)
    old.rows = [night("2024-05-01T20:00:00Z", 3, "Watch")]
    try fixture.load(old)
    var new = LoadingFixture.export(0, date: "2024-07-01T00:00:00Z")
    new.rows = [night("2024-05-02T00:00:00Z", 5, "Watch")]
    new.summaries = [summary(day(5, 2), sum: 300, count: 1, type: sleep)]
    try fixture.load(new)
    // Kept: 1 May 20–23 h UTC; new: from midnight. One session of 8 hours that ends on 2 May.
    #expect(try sums(sleep) == ["2024-05-02|480|2"])
    #expect(try sums("HKCategoryValueSleepAnalysisAsleepCore") == ["2024-05-02|480|2"])
  }
}
