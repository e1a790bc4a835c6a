import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct NewTableTests {
  @Test func anAbsentTableIsMadeExactlyAsPublished() throws {
    let fixture = try LoadingFixture()
    var export = LoadingFixture.export(500)
    export.rows += LoadingFixture.rows(300, from: "2024-05-02T08:00:00Z", type: LoadingFixture.heartRate)
    export.summaries = [
      DailySummary(
        metricType: LoadingFixture.steps, day: CivilDay(year: 2024, month: 5, day: 1), average: 12, minimum: 10,
        maximum: 16, sum: 6000, sampleCount: 500, unit: "count")
    ]
    let outcome = try fixture.load(export)
    #expect(outcome.new == 800)
    #expect(outcome.staged == 800)
    #expect(outcome.isBalanced)
    #expect(outcome.rowsInTable == 800)
    #expect(outcome.summaries.written == 1)
    #expect(try fixture.count() == 800)
    #expect(try fixture.leftovers().isEmpty)

    // The same tables by the DDL of DESIGN §2.1 in another schema give the same catalogue entries.
    try fixture.database.execute(
      """
      CREATE SCHEMA contract; SET search_path = contract;
      CREATE TABLE healthkit_metrics(
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id text NOT NULL, metric_type text NOT NULL, value float8,
        unit text, source_device text, started_at timestamptz NOT NULL, ended_at timestamptz, metadata jsonb,
        synced_at timestamptz NOT NULL DEFAULT now(), UNIQUE (user_id, metric_type, started_at));
      CREATE INDEX healthkit_metrics_user_time ON healthkit_metrics (user_id, started_at DESC);
      CREATE INDEX healthkit_metrics_user_type_time ON healthkit_metrics (user_id, metric_type, started_at DESC);
      CREATE INDEX healthkit_metrics_metadata ON healthkit_metrics USING GIN (metadata);
      CREATE TABLE healthkit_daily_summaries(
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id text NOT NULL, metric_type text NOT NULL,
        summary_date date NOT NULL, avg_value float8, min_value float8, max_value float8, sum_value float8,
        sample_count int, unit text, created_at timestamptz DEFAULT now(),
        UNIQUE (user_id, metric_type, summary_date));
      CREATE INDEX healthkit_daily_summaries_user_date ON healthkit_daily_summaries (user_id, summary_date DESC);
      RESET search_path
      """)
    func definition(_ schema: String) throws -> [String] {
      let columns = try fixture.database.lines(
        """
        SELECT table_name, ordinal_position, column_name, data_type, is_nullable, column_default
        FROM information_schema.columns WHERE table_schema = '\(schema)' AND table_name NOT LIKE 'v_%' ORDER BY 1, 2
        """)
      let indexes = try fixture.database.lines(
        "SELECT replace(indexdef, '\(schema).', '') FROM pg_indexes WHERE schemaname = '\(schema)' ORDER BY indexname")
      let constraints = try fixture.database.lines(
        """
        SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = '\(schema)'::regnamespace
        ORDER BY 1
        """)
      return columns + indexes + constraints
    }
    #expect(try definition("public") == definition("contract"))
  }

  @Test func everyValueArrives() throws {
    let fixture = try LoadingFixture()
    var export = ChunkFolderFixture(user: LoadingFixture.user)
    let start = LoadingFixture.time("2024-05-01T08:00:00Z")
    export.rows = [
      .init(
        type: LoadingFixture.steps, source: "Tom’s Watch", start: start,
        end: LoadingFixture.time("2024-05-01T08:05:00Z"),
        value: 0.1, unit: "count", metadata: #"{"a": 1}"#),
      .init(type: "HKCorrelationTypeIdentifierFood", source: "", start: start, end: nil, value: nil, unit: ""),
    ]
    export.me = ["HKCharacteristicTypeIdentifierBloodType": "HKBloodTypeOPositive"]
    try fixture.load(export)
    let user = LoadingFixture.user
    #expect(
      try fixture.rows() == [
        "\(export.id(of: export.rows[1]))|\(user)|HKCorrelationTypeIdentifierFood|∅|||2024-05-01 08:00:00+00|∅|∅",
        "\(export.id(of: export.rows[0]))|\(user)|\(LoadingFixture.steps)|0.1|count|Tom’s Watch|2024-05-01 08:00:00+00"
          + #"|2024-05-01 08:05:00+00|{"a": 1}"#,
      ])
    #expect(
      try fixture.database.lines("SELECT user_id, characteristic, value FROM hk2pg.profiles") == [
        "\(user)|HKCharacteristicTypeIdentifierBloodType|HKBloodTypeOPositive"
      ])
    #expect(
      try fixture.database.lines("SELECT name, class, sample_count FROM hk2pg.sources ORDER BY 1") == [
        "|other|1", "Tom’s Watch|watch|1",
      ])
    #expect(try fixture.database.value("SELECT zone FROM hk2pg.user_settings") == "Europe/Berlin")
  }

  @Test func anEmptyExportMakesEmptyTables() throws {
    let fixture = try LoadingFixture()
    let outcome = try fixture.load(ChunkFolderFixture(user: LoadingFixture.user))
    #expect(outcome.new == 0)
    #expect(outcome.isBalanced)
    #expect(try fixture.count() == 0)
    #expect(try fixture.count("healthkit_daily_summaries") == 0)
  }

  @Test func indexNamesOfARenamedOldTableAreNoHindrance() throws {
    let fixture = try LoadingFixture()
    try fixture.load(LoadingFixture.export(10))
    try fixture.database.execute("DROP VIEW v_healthkit_daily_quantity")
    try fixture.database.execute("ALTER TABLE healthkit_metrics RENAME TO old_metrics")
    try fixture.database.execute("ALTER TABLE healthkit_daily_summaries RENAME TO old_summaries")
    try fixture.load(LoadingFixture.export(20))
    #expect(try fixture.count() == 20)
    #expect(try fixture.count("old_metrics") == 10)
  }

  @Test func defaultPrivilegesApplyAsIfTheTableWereCreatedInPlace() throws {
    let fixture = try LoadingFixture()
    let reader = "reader_\(fixture.database.name)"
    try fixture.database.execute(
      "CREATE ROLE \(reader); ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO \(reader)")
    defer { _ = try? fixture.database.execute("DROP OWNED BY \(reader); DROP ROLE \(reader)") }
    try fixture.load(LoadingFixture.export(10))
    for table in ["healthkit_metrics", "healthkit_daily_summaries", "v_healthkit_daily_quantity"] {
      #expect(
        try fixture.database.value("SELECT has_table_privilege('\(reader)', '\(table)', 'SELECT')") == "t", "\(table)")
    }
    try fixture.database.execute("SET ROLE \(reader)")
    #expect(try fixture.count("v_healthkit_daily_quantity") == 1)
    try fixture.database.execute("RESET ROLE")
  }
}
