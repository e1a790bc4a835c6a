import HealthModel
import Loading
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Transfer

/// Tables of somebody else, in shapes of the field (DESIGN §2.1).
struct Shapes: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var user = "text NOT NULL"
  var source = "source_device text"
  var rawKey = "UNIQUE (user_id, metric_type, started_at)"
  var rawPrimary = "PRIMARY KEY (id)"
  var partitions = ""
  var day = "summary_date"
  var unit = "unit text"
  var summaryKey = "UNIQUE (user_id, metric_type, summary_date)"

  static let published = Shapes(testDescription: "published")
  static let all = [
    published,
    Shapes(testDescription: "uuid user", user: "uuid NOT NULL"),
    Shapes(
      testDescription: "keyed by source", source: "source_device text NOT NULL DEFAULT ''",
      rawKey: "UNIQUE (user_id, metric_type, started_at, source_device)"),
    Shapes(
      testDescription: "date, unit, partitions", user: "uuid NOT NULL", rawPrimary: "PRIMARY KEY (user_id, id)",
      partitions: "PARTITION BY HASH (user_id)", day: "date", unit: "unit text NOT NULL DEFAULT ''",
      summaryKey: "UNIQUE (user_id, metric_type, date, unit)"),
  ]

  var statements: [String] {
    [
      """
      CREATE TABLE healthkit_metrics (note text, id uuid DEFAULT gen_random_uuid(), user_id \(user),
        metric_type text NOT NULL, value float8, \(unit), \(source), started_at timestamptz NOT NULL,
        ended_at timestamptz, metadata jsonb, synced_at timestamptz NOT NULL DEFAULT now(), \(rawPrimary), \(rawKey))
        \(partitions)
      """,
      """
      CREATE TABLE healthkit_daily_summaries (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id \(user),
        metric_type text NOT NULL, \(day) date NOT NULL, avg_value float8, min_value float8, max_value float8,
        sum_value float8, sample_count int, \(unit), created_at timestamptz DEFAULT now(), \(summaryKey))
      """,
    ]
      + (partitions.isEmpty
        ? []
        : (0..<2).map {
          "CREATE TABLE part_\($0) PARTITION OF healthkit_metrics FOR VALUES WITH (MODULUS 2, REMAINDER \($0))"
        })
  }
}

@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct ShapeTests {
  private typealias F = TransferFixture

  /// From every shape into every shape; a copy into the published one and back is the rows themselves.
  @Test(arguments: Shapes.all, Shapes.all) func convert(_ from: Shapes, _ to: Shapes) throws {
    let fixture = try F()
    for statement in from.statements { try fixture.source.execute(statement) }
    for statement in to.statements { try fixture.target.execute(statement) }
    try fixture.load(F.export(F.rows(120)), into: fixture.source)
    try F.insertLive(
      fixture.source, id: "0f8fad5b-d9cb-469f-a165-70867728950e", at: "2024-05-02T08:00:00.5Z", value: 7)
    let outcome = try fixture.copy()
    #expect(outcome.rows.new == 121 && outcome.rows.isBalanced)
    #expect(outcome.summaries.written == 1)
    #expect(try F.rows(fixture.target) == F.rows(fixture.source))
    #expect(try fixture.verify().isEqual)
    #expect(try fixture.copy().rows.same == 121)
    let imported = try fixture.load(F.export(F.rows(120)), into: fixture.target)
    #expect(imported.new == 0 && imported.changed == 0 && imported.removed == 0)
  }

  /// Two programs' rows of one start fit where the source is part of the key. Elsewhere one of them moves.
  @Test func rowsOfOneStartSpread() throws {
    let fixture = try F()
    for statement in Shapes.all[2].statements { try fixture.source.execute(statement) }
    let start = "2024-05-02T08:00:00Z"
    try F.insertLive(
      fixture.source, id: "0f8fad5b-d9cb-469f-a165-70867728950e", at: start, value: 7, source: "A", user: "u")
    try F.insertLive(
      fixture.source, id: "1f8fad5b-d9cb-469f-a165-70867728950e", at: start, value: 8, source: "B", user: "u")
    #expect(try fixture.copy(user: "u").rows.new == 2)
    #expect(
      try fixture.target.lines("SELECT value, extract(microseconds FROM started_at) FROM healthkit_metrics ORDER BY 1")
        == ["7|0", "8|1"])
    #expect(try fixture.verify(user: "u").isEqual)
    #expect(try fixture.copy(user: "u").rows.same == 2)
  }
}
