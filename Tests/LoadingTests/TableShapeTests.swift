import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// Tables that are there already, in each shape of the field (DESIGN §2.1), and others that are refused.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct TableShapeTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    var name: String
    var user = "text NOT NULL"
    var source = "source_device text"
    var rawKey = "UNIQUE (user_id, metric_type, started_at)"
    var rawPrimary = "PRIMARY KEY (id)"
    var partitions = ""
    var extra = ""
    var day = "summary_date"
    var unit = "unit text"
    var summaryKey = "UNIQUE (user_id, metric_type, summary_date)"
    var testDescription: String { name }

    var statements: [String] {
      [
        """
        CREATE TABLE healthkit_metrics (\(extra) id uuid DEFAULT gen_random_uuid(), user_id \(user),
          metric_type text NOT NULL, value float8, unit text, \(source), started_at timestamptz NOT NULL,
          ended_at timestamptz, metadata jsonb, synced_at timestamptz NOT NULL DEFAULT now(), \(rawPrimary), \(rawKey))
        \(partitions.isEmpty ? "" : "PARTITION BY \(partitions) (user_id)")
        """,
        """
        CREATE TABLE healthkit_daily_summaries (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id \(user),
          metric_type text NOT NULL, \(day) date NOT NULL, avg_value float8, min_value float8, max_value float8,
          sum_value float8, sample_count int, \(unit), created_at timestamptz DEFAULT now(), \(summaryKey))
        """,
      ] + partitionStatements
    }

    private var partitionStatements: [String] {
      switch partitions {
      case "HASH":
        (0..<3).map {
          "CREATE TABLE part_\($0) PARTITION OF healthkit_metrics FOR VALUES WITH (MODULUS 3, REMAINDER \($0))"
        }
      case "LIST":
        [
          "CREATE TABLE part_user PARTITION OF healthkit_metrics FOR VALUES IN ('\(LoadingFixture.user)')",
          "CREATE TABLE part_rest PARTITION OF healthkit_metrics DEFAULT",
        ]
      default: []
      }
    }
  }

  static let shapes = [
    Shape(name: "published"),
    Shape(name: "uuid user", user: "uuid NOT NULL"),
    Shape(
      name: "keyed by source", source: "source_device text NOT NULL DEFAULT ''",
      rawKey: "UNIQUE (user_id, metric_type, started_at, source_device)"),
    Shape(
      name: "date and unit", day: "date", unit: "unit text NOT NULL DEFAULT ''",
      summaryKey: "UNIQUE (user_id, metric_type, date, unit)"),
    Shape(name: "hash partitions", rawPrimary: "PRIMARY KEY (user_id, id)", partitions: "HASH"),
    Shape(
      name: "list partitions, uuid", user: "uuid NOT NULL", rawPrimary: "PRIMARY KEY (user_id, id)", partitions: "LIST"),
    Shape(
      name: "extra columns", extra: "note text, tenant int NOT NULL DEFAULT 7, n bigint GENERATED ALWAYS AS IDENTITY,"),
    everything("HASH"), everything("LIST"),
    Shape(
      name: "uuid user, keyed by source", user: "uuid NOT NULL", source: "source_device text NOT NULL DEFAULT ''",
      rawKey: "UNIQUE (user_id, metric_type, started_at, source_device)"),
    Shape(
      name: "hash partitions, keyed by source, extra columns", source: "source_device text NOT NULL DEFAULT ''",
      rawKey: "UNIQUE (user_id, metric_type, started_at, source_device)", rawPrimary: "PRIMARY KEY (user_id, id)",
      partitions: "HASH", extra: "note text, tenant int NOT NULL DEFAULT 7,"),
    Shape(
      name: "uuid user, date and unit", user: "uuid NOT NULL", day: "date", unit: "unit text NOT NULL DEFAULT ''",
      summaryKey: "UNIQUE (user_id, metric_type, date, unit)"),
  ]

  /// All that is allowed at once.
  private static func everything(_ partitions: String) -> Shape {
    Shape(
      name: "everything, \(partitions)", user: "uuid NOT NULL", source: "source_device text NOT NULL DEFAULT ''",
      rawKey: "UNIQUE (user_id, metric_type, started_at, source_device)", rawPrimary: "PRIMARY KEY (user_id, id)",
      partitions: partitions, extra: "note text, tenant int NOT NULL DEFAULT 7,", day: "date",
      unit: "unit text NOT NULL DEFAULT ''", summaryKey: "UNIQUE (user_id, metric_type, date, unit)")
  }

  private static func export(_ date: String) -> ChunkFolderFixture {
    var export = LoadingFixture.export(200, date: date)
    export.rows += LoadingFixture.rows(200, from: "2024-05-01T08:00:00Z", source: "iPhone", value: 3)
    export.rows += LoadingFixture.rows(3, from: "2024-05-01T08:00:00Z", type: "HKActivitySummaryTypeIdentifier")
    export.summaries = [
      DailySummary(
        metricType: LoadingFixture.steps, day: CivilDay(year: 2024, month: 5, day: 20), average: 12, minimum: 10,
        maximum: 16, sum: 6000, sampleCount: 400, unit: "count")
    ]
    return export
  }

  @Test(arguments: shapes) func isServedAsItIs(_ shape: Shape) throws {
    let fixture = try LoadingFixture()
    for statement in shape.statements { try fixture.database.execute(statement) }
    try addWhatOthersMayHave(to: fixture.database)
    let before = try fixture.database.foreignSchema()

    var export = TableShapeTests.export("2024-06-01T12:00:00Z")
    let first = try fixture.load(export)
    #expect(first.new == 403)
    #expect(first.isBalanced)
    #expect(first.summaries.written == 1)
    let versions = try fixture.database.lines("SELECT xmin, id FROM healthkit_metrics ORDER BY id")
    let again = try fixture.load(export)
    #expect(again.new == 0)
    #expect(again.alreadyThere == 403)
    #expect(again.summaries.unchanged == 1)
    #expect(try fixture.database.lines("SELECT xmin, id FROM healthkit_metrics ORDER BY id") == versions)

    // More, fewer, changed, renamed, and a live row.
    export.exportDate = Instant(iso8601: "2024-06-02T12:00:00Z")
    export.rows.remove(at: 5)
    export.rows[6].value = 500
    for index in export.rows.indices where export.rows[index].source == "iPhone" { export.rows[index].source = "Phone" }
    export.rows += LoadingFixture.rows(10, from: "2024-05-02T08:00:00Z")
    export.summaries[0].sum = 7000
    try fixture.database.query(
      """
      INSERT INTO healthkit_metrics (user_id, metric_type, value, started_at, source_device)
      SELECT user_id, metric_type, 888, '2024-05-02T08:03:00Z', 'Other' FROM healthkit_metrics LIMIT 1
      """)
    let type = try fixture.database.value("SELECT metric_type FROM healthkit_metrics WHERE value = 888")
    let third = try fixture.load(export)
    #expect(third.new == 10)
    #expect(third.changed == 201)
    #expect(third.removed == 1)
    #expect(third.isBalanced)
    #expect(try fixture.count() == 403 - 1 + 10 + 1)
    #expect(try fixture.count("healthkit_metrics", "source_device = 'iPhone'") == 0)
    if type == LoadingFixture.steps {
      #expect(try fixture.count("healthkit_metrics", "started_at = '2024-05-02T08:03:00.000001Z'") == 1)
    }
    #expect(
      try fixture.database.value("SELECT sum_value FROM healthkit_daily_summaries WHERE sample_count = 400") == "7000")
    #expect(try fixture.database.foreignSchema() == before)
    #expect(try fixture.count("hk2pg.owned_tables", "table_name LIKE 'healthkit%'") == 0)
    // The view works on every shape.
    #expect(try fixture.count("v_healthkit_daily_quantity") > 0)
  }

  /// Objects on the tables that are nobody's business but their owner's.
  private func addWhatOthersMayHave(to database: TestDatabase) throws {
    try database.execute(
      """
      CREATE INDEX by_source ON healthkit_metrics (source_device);
      CREATE VIEW latest AS SELECT user_id, max(started_at) AS at FROM healthkit_metrics GROUP BY 1;
      CREATE TABLE audit (metric_id uuid);
      CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO audit VALUES (NEW.id); RETURN NULL; END';
      CREATE TRIGGER watch AFTER INSERT ON healthkit_metrics FOR EACH ROW EXECUTE FUNCTION watch();
      ALTER TABLE healthkit_metrics ENABLE ROW LEVEL SECURITY;
      CREATE POLICY readers ON healthkit_metrics FOR SELECT USING (user_id IS NOT NULL);
      ALTER TABLE healthkit_daily_summaries ADD CONSTRAINT sane CHECK (sample_count >= 0);
      COMMENT ON TABLE healthkit_metrics IS 'of the app'; COMMENT ON COLUMN healthkit_metrics.value IS 'theirs';
      GRANT SELECT ON healthkit_metrics TO PUBLIC; GRANT UPDATE (value) ON healthkit_metrics TO PUBLIC
      """)
  }

  @Test func aUserThatIsNoUUIDCannotGoIntoAColumnOfUUIDs() throws {
    let fixture = try LoadingFixture()
    for statement in TableShapeTests.shapes[1].statements { try fixture.database.execute(statement) }
    #expect(throws: LoadError.userIsNoUUID) { try fixture.load(LoadingFixture.export(1, user: "study-42")) }
  }

  struct Alien: Sendable, CustomTestStringConvertible {
    var change: String
    var difference: ShapeDifference
    var testDescription: String { change }
  }

  static let aliens = [
    Alien(
      change: "ALTER COLUMN value TYPE numeric",
      difference: .columnType("value", expected: "double precision", found: "numeric")),
    Alien(change: "ALTER COLUMN value SET NOT NULL", difference: .notNull("value")),
    Alien(change: "DROP COLUMN metadata", difference: .missingColumn("metadata")),
    Alien(change: "ADD COLUMN tenant int NOT NULL", difference: .extraColumnWithoutDefault("tenant")),
    Alien(
      change: "DROP CONSTRAINT healthkit_metrics_user_id_metric_type_started_at_key",
      difference: .missingKey(["user_id", "metric_type", "started_at"])),
    Alien(change: "DROP CONSTRAINT healthkit_metrics_pkey", difference: .missingKey(["id"])),
    Alien(
      change: "ADD CONSTRAINT one UNIQUE (user_id, started_at)",
      difference: .extraKey("one", ["started_at", "user_id"])),
  ]

  @Test(arguments: aliens) func anyOtherIsRefused(_ alien: Alien) throws {
    let fixture = try LoadingFixture()
    for statement in TableShapeTests.shapes[0].statements { try fixture.database.execute(statement) }
    try fixture.database.execute("ALTER TABLE healthkit_metrics \(alien.change)")
    #expect(throws: LoadError.alienShape(table: #""public"."healthkit_metrics""#, differences: [alien.difference])) {
      try fixture.load(LoadingFixture.export(1))
    }
    #expect(try fixture.count("pg_namespace", "nspname = 'hk2pg'") == 0)
  }

  @Test func aViewIsNoTable() throws {
    let fixture = try LoadingFixture()
    try fixture.database.execute("CREATE VIEW healthkit_metrics AS SELECT 1 AS id")
    #expect(throws: LoadError.self) { try fixture.load(LoadingFixture.export(1)) }
  }
}
