import Foundation
import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// A database that an earlier version of hk2pg made is brought up to date by whatever writes next.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct SchemaUpgradeTests {
  private let fixture: LoadingFixture

  private typealias F = LoadingFixture

  /// Tables, view and settings of version 1, with rows of hk2pg in them.
  init() throws {
    fixture = try LoadingFixture()
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Fixtures/schema-1.sql"
    try fixture.database.execute(String(contentsOfFile: path, encoding: .utf8))
    try fixture.database.execute(
      """
      INSERT INTO hk2pg.user_settings (user_id, zone, server_zone, source_priority, newest_export_date)
      VALUES ('\(F.user)', 'Europe/Berlin', 'Europe/Berlin', '{"": ["Scale"]}', '2024-05-03T10:00:00Z');
      CREATE VIEW weekly AS SELECT user_id, sum(sum_value) FROM v_healthkit_daily_quantity GROUP BY 1;
      """)
    try fixture.insertLive("2024-05-01T22:30:00Z", value: 5)
  }

  private static let writers: [String] = ["import", "summarize", "prune", "schema --apply"]

  private func write(_ writer: String) throws {
    switch writer {
    case "import": try fixture.load(F.export(10))
    case "summarize": _ = try fixture.summarize(priority: ["": ["Scale"]])
    case "prune": _ = try fixture.prune(today: "2024-05-10")
    default: try Schema.apply(fixture.database.connection)
    }
  }

  /// Columns, comments, indexes and triggers of our schema and the view, by name.
  private func contents(_ database: TestDatabase) throws -> [String] {
    try database.lines(
      """
      SELECT 'column', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        col_description(a.attrelid, a.attnum)
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relnamespace = 'hk2pg'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY 2, 3
      """)
      + database.lines(
        """
        SELECT 'comment', c.oid::regclass, obj_description(c.oid, 'pg_class') FROM pg_class c
        WHERE c.relnamespace = 'hk2pg'::regnamespace AND c.relkind = 'r' ORDER BY 2
        """)
      + database.lines("SELECT 'index', indexdef FROM pg_indexes WHERE schemaname = 'hk2pg' ORDER BY 2")
      + database.lines(
        """
        SELECT 'trigger', pg_get_triggerdef(oid) FROM pg_trigger
        WHERE NOT tgisinternal AND tgrelid::regclass::text LIKE 'hk2pg.%' ORDER BY 2
        """)
      + database.lines("SELECT 'function', prosrc FROM pg_proc WHERE pronamespace = 'hk2pg'::regnamespace ORDER BY 2")
      + database.lines("SELECT 'view', pg_get_viewdef('v_healthkit_daily_quantity'::regclass)")
  }

  @Test(arguments: writers) func isAsGoodAsNew(_ writer: String) throws {
    let fresh = try TestDatabase()
    try Schema.apply(fresh.connection)
    #expect(try contents(fixture.database) != contents(fresh))
    try write(writer)
    #expect(try contents(fixture.database) == contents(fresh))
    #expect(try fixture.database.lines("SELECT version FROM hk2pg.schema_versions ORDER BY 1") == ["1", "3"])
    // What others have built on the view is still there.
    #expect(try fixture.count("weekly") == 1)
    // Again: nothing is left to do.
    let versions = try fixture.database.lines("SELECT xmin, ctid FROM hk2pg.metric_types ORDER BY 2")
    try write("summarize")
    #expect(try fixture.database.lines("SELECT xmin, ctid FROM hk2pg.metric_types ORDER BY 2") == versions)
  }

  @Test func aDryRunWritesNothingToAnOldDatabase() throws {
    let before = try contents(fixture.database)
    #expect(try fixture.prune(today: "2024-09-10", isDryRun: true).zone == "Europe/Berlin")
    #expect(try contents(fixture.database) == before)
  }

  /// The zone that summaries were made by is that of the settings at the time of the upgrade.
  @Test func settingsAreRemembered() throws {
    #expect(try Ledger(fixture.database.connection).settings(of: F.user)?.summarizedZones == ["Europe/Berlin"])
    #expect(try Ledger(fixture.database.connection).settings(of: F.user)?.summarizedPriority == ["": ["Scale"]])
    try Schema.apply(fixture.database.connection)
    try fixture.database.execute("UPDATE hk2pg.user_settings SET zone = 'Asia/Tokyo', source_priority = NULL")
    let settings = try #require(try Ledger(fixture.database.connection).settings(of: F.user))
    #expect(settings.zone == "Asia/Tokyo" && settings.sourcePriority.isEmpty)
    #expect(settings.summarizedZones == ["Europe/Berlin"] && settings.summarizedPriority == ["": ["Scale"]])
    // Nor does the next program that runs these statements forget it.
    try Schema.apply(fixture.database.connection)
    #expect(try Ledger(fixture.database.connection).settings(of: F.user) == settings)
  }

  @Test func whoMayNotAlterItIsToldWho() throws {
    let role = "reader_\(fixture.database.name)"
    try fixture.database.execute(
      """
      CREATE ROLE \(role) LOGIN;
      GRANT USAGE, CREATE ON SCHEMA hk2pg, public TO \(role);
      GRANT ALL ON ALL TABLES IN SCHEMA hk2pg, public TO \(role)
      """)
    defer { _ = try? fixture.database.execute("DROP OWNED BY \(role); DROP ROLE \(role)") }
    let owner = try #require(try fixture.database.value("SELECT current_user"))
    #expect(throws: LoadError.olderSchema(found: 1, owner: owner)) {
      try fixture.load(F.export(10), settings: fixture.database.settings.replacing("user", role))
    }
    try Schema.apply(fixture.database.connection)
    let outcome = try fixture.load(F.export(10), settings: fixture.database.settings.replacing("user", role))
    #expect(outcome.new == 10)
  }
}
