import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct SchemaTests {
  @Test func theScriptMakesWhatApplyMakes() throws {
    let (printed, applied) = (try TestDatabase(), try TestDatabase())
    try printed.execute(Schema.script())
    // Twice is as good as once.
    try printed.execute(Schema.script())
    try Schema.apply(applied.connection)
    try Schema.apply(applied.connection)
    let catalogue = """
      SELECT table_schema, table_name, column_name, data_type, is_nullable, column_default
      FROM information_schema.columns WHERE table_schema IN ('public', 'hk2pg') ORDER BY 1, 2, ordinal_position
      """
    #expect(try printed.lines(catalogue) == applied.lines(catalogue))
    let indexes = "SELECT indexdef FROM pg_indexes WHERE schemaname IN ('public', 'hk2pg') ORDER BY 1"
    #expect(try printed.lines(indexes) == applied.lines(indexes))
    let owned = "SELECT table_schema, table_name FROM hk2pg.owned_tables ORDER BY 1, 2"
    #expect(
      try printed.lines(owned) == [
        "public|healthkit_daily_summaries", "public|healthkit_metrics", "public|v_healthkit_daily_quantity",
      ])
    #expect(try applied.lines(owned) == printed.lines(owned))
  }

  @Test func everyTableAndColumnOfOursHasAComment() throws {
    let database = try TestDatabase()
    try Schema.apply(database.connection)
    let bare = try database.lines(
      """
      SELECT c.oid::regclass, a.attname FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND (a.attnum > 0 OR a.attname = 'ctid') AND NOT a.attisdropped
      WHERE c.relnamespace = 'hk2pg'::regnamespace AND c.relkind = 'r'
        AND CASE WHEN a.attnum > 0 THEN col_description(c.oid, a.attnum) ELSE obj_description(c.oid, 'pg_class') END
          IS NULL
      """)
    #expect(bare.isEmpty)
  }

  @Test func anImportAfterApplyIsAsGoodAsWithout() throws {
    let (applied, plain) = (try LoadingFixture(), try LoadingFixture())
    try Schema.apply(applied.database.connection)
    let export = LoadingFixture.export(100)
    try applied.load(export)
    try plain.load(export)
    #expect(try applied.rows() == plain.rows())
  }

  @Test func aForeignViewOfThatNameStays() throws {
    let fixture = try LoadingFixture()
    try fixture.database.execute("CREATE VIEW v_healthkit_daily_quantity AS SELECT 42 AS answer")
    try fixture.load(LoadingFixture.export(10))
    #expect(try fixture.database.value("SELECT answer FROM v_healthkit_daily_quantity") == "42")
    #expect(try fixture.count("hk2pg.v_healthkit_daily_quantity") == 1)
    try fixture.load(LoadingFixture.export(12, date: "2024-07-01T00:00:00Z"))
    #expect(try fixture.count("hk2pg.v_healthkit_daily_quantity") == 1)
  }

  // MARK: The view

  private func summary(_ type: String, _ day: Int, _ sum: Double) -> DailySummary {
    DailySummary(
      metricType: type, day: CivilDay(year: 2024, month: 5, day: day), average: 1, minimum: 1, maximum: 1, sum: sum,
      sampleCount: 3, unit: "count")
  }

  private let viewRows = """
    SELECT metric_type, day, sum_value, sample_count, source FROM v_healthkit_daily_quantity ORDER BY 1, 2
    """

  @Test func theViewTakesSummariesBeforeTheExportsDayAndRawRowsFromThen() throws {
    let fixture = try LoadingFixture()
    // Exported on 3 May, 01:30 in Berlin, which is 2 May in UTC.
    var export = LoadingFixture.export(0, date: "2024-05-02T23:30:00Z")
    for day in 1...3 {
      export.rows += LoadingFixture.rows(2, from: "2024-05-0\(day)T10:00:00Z", source: "Apple Watch", value: 10)
      export.rows += LoadingFixture.rows(2, from: "2024-05-0\(day)T10:00:00Z", source: "iPhone", value: 7)
    }
    // 23:00 UTC is the next day in Berlin; it has no summary, so raw rows stand for it.
    export.rows += LoadingFixture.rows(2, from: "2024-05-03T23:00:00Z", type: LoadingFixture.heartRate, value: 60)
    export.rows += LoadingFixture.rows(1, from: "2024-04-20T10:00:00Z", type: "HKCategoryTypeIdentifierMindfulSession")
    export.summaries = [1, 2, 3, 9].map { summary(LoadingFixture.steps, $0, Double(100 * $0)) }
    export.summaries.append(summary("HKCategoryTypeIdentifierMindfulSession", 1, 5))
    try fixture.load(export)
    #expect(
      try fixture.database.lines(viewRows) == [
        "\(LoadingFixture.heartRate)|2024-05-04|121|2|raw",
        "\(LoadingFixture.steps)|2024-05-01|100|3|summary",
        "\(LoadingFixture.steps)|2024-05-02|200|3|summary",
        // The source with the largest sum alone.
        "\(LoadingFixture.steps)|2024-05-03|21|2|raw",
        // No raw rows, so the summary.
        "\(LoadingFixture.steps)|2024-05-09|900|3|summary",
      ])
  }

  @Test func withoutSettingsDaysAreThoseOfUTCAndRawRowsComeFirst() throws {
    let fixture = try LoadingFixture()
    try Schema.apply(fixture.database.connection)
    try fixture.database.execute(
      """
      INSERT INTO healthkit_metrics (user_id, metric_type, value, started_at)
        VALUES ('x', '\(LoadingFixture.steps)', 5, '2024-05-01T23:59:59Z');
      INSERT INTO healthkit_daily_summaries (user_id, metric_type, summary_date, sum_value, sample_count)
        VALUES ('x', '\(LoadingFixture.steps)', '2024-05-01', 50, 9), ('x', '\(LoadingFixture.steps)', '2024-04-01', 40, 8)
      """)
    #expect(
      try fixture.database.lines(viewRows) == [
        "\(LoadingFixture.steps)|2024-04-01|40|8|summary", "\(LoadingFixture.steps)|2024-05-01|5|1|raw",
      ])
  }

  @Test func aQueryOfOneUserAndTypeUsesTheIndex() throws {
    let fixture = try LoadingFixture()
    try fixture.load(LoadingFixture.export(5000))
    try fixture.database.execute("SET enable_seqscan = off")
    let plan = try fixture.database.lines(
      """
      EXPLAIN SELECT * FROM v_healthkit_daily_quantity WHERE user_id = '\(LoadingFixture.user)'
      AND metric_type = '\(LoadingFixture.steps)' AND day > '2024-05-01'
      """)
    // The condition reaches the raw rows inside the grouping.
    #expect(plan.contains { $0.contains("metric_type = '\(LoadingFixture.steps)'") && $0.contains("Cond") }, "\(plan)")
  }
}
