import Foundation
import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// Roles that may do less, and Supabase-like databases (DESIGN §7.8).
@Suite(.serialized, .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct RightsTests {
  private let fixture: LoadingFixture
  private let role: String

  init() throws {
    fixture = try LoadingFixture()
    role = "writer_\(fixture.database.name)"
    try fixture.database.execute("CREATE ROLE \(role) LOGIN")
  }

  private func dropRole() {
    _ = try? fixture.database.execute("RESET ROLE; DROP OWNED BY \(role); DROP ROLE \(role)")
  }

  private var settings: ConnectionSettings { fixture.database.settings.replacing("user", role) }

  private func sqlForOwner(_ body: () throws -> Void) -> String? {
    do { try body() } catch LoadError.missingRights(_, let sql) { return sql } catch { return "\(error)" }
    return nil
  }

  @Test func whatTheOwnerHasToRunIsSaid() throws {
    defer { dropRole() }
    let sql = sqlForOwner { _ = try fixture.load(LoadingFixture.export(1), settings: settings) }
    #expect(
      sql == """
        CREATE SCHEMA hk2pg;
        GRANT USAGE, CREATE ON SCHEMA hk2pg TO "\(role)";
        GRANT USAGE, CREATE ON SCHEMA "public" TO "\(role)";
        """)
    try fixture.database.execute(try #require(sql))
    #expect(try fixture.load(LoadingFixture.export(10), settings: settings).new == 10)
    #expect(try fixture.load(LoadingFixture.export(10), settings: settings).alreadyThere == 10)
  }

  @Test func aTableOfSomebodyElseIsWrittenWithRightsAlone() throws {
    defer { dropRole() }
    for statement in TableShapeTests.shapes[0].statements { try fixture.database.execute(statement) }
    let sql = sqlForOwner { _ = try fixture.load(LoadingFixture.export(1), settings: settings) }
    try fixture.database.execute(try #require(sql))
    let outcome = try fixture.load(LoadingFixture.export(100), settings: settings)
    #expect(outcome.new == 100)
    #expect(outcome.notes.contains(.vacuumSkipped))
    // No right to create in public: the view is in our schema.
    #expect(try fixture.count("hk2pg.v_healthkit_daily_quantity") > 0)
  }

  @Test func rowLevelSecurityOfSomebodyElseHolds() throws {
    defer { dropRole() }
    for statement in TableShapeTests.shapes[0].statements { try fixture.database.execute(statement) }
    try fixture.database.execute(
      try #require(sqlForOwner { _ = try fixture.load(LoadingFixture.export(1), settings: settings) }))
    try fixture.database.execute(
      """
      ALTER TABLE healthkit_metrics ENABLE ROW LEVEL SECURITY;
      CREATE POLICY writer ON healthkit_metrics TO \(role) USING (user_id = '\(LoadingFixture.user)')
      """)
    var export = LoadingFixture.export(100)
    #expect(try fixture.load(export, settings: settings).new == 100)
    export.rows.removeLast(3)
    export.exportDate = Instant(iso8601: "2024-07-01T00:00:00Z")
    #expect(try fixture.load(export, settings: settings).removed == 3)
    #expect(throws: PostgresError.self) {
      try fixture.load(LoadingFixture.export(5, user: "somebody else"), settings: settings)
    }
    #expect(try fixture.count() == 97)
  }

  @Test func aShortStatementTimeoutDoesNotHurt() throws {
    defer { dropRole() }
    try fixture.database.execute(
      """
      ALTER ROLE \(role) SET statement_timeout = '150ms'; ALTER ROLE \(role) SET lock_timeout = '100ms';
      ALTER ROLE \(role) SET idle_in_transaction_session_timeout = '100ms';
      CREATE SCHEMA hk2pg AUTHORIZATION \(role); GRANT CREATE ON SCHEMA public TO \(role)
      """)
    var options = LoadOptions()
    options.faults = FaultPoints { point in
      // Idle in the transaction for longer than the role may be.
      if point == "in-publish" { Thread.sleep(forTimeInterval: 0.3) }
    }
    #expect(try fixture.load(LoadingFixture.export(3000), settings: settings, options).new == 3000)
  }

  @Test func aReadOnlyServerIsRefused() throws {
    defer { dropRole() }
    try fixture.database.execute("ALTER ROLE \(role) SET default_transaction_read_only = on")
    #expect(throws: LoadError.readOnly) { try fixture.load(LoadingFixture.export(1), settings: settings) }
  }

  @Test func anotherEncodingIsRefused() throws {
    defer { dropRole() }
    let latin = try TestDatabase(options: "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'")
    #expect(throws: LoadError.encoding("LATIN1")) { try Loader(latin.settings, user: "x") }
  }

  /// On a server of its own: these roles would change what other tests' imports do.
  @Test func signedInUsersSeeTheirRowsAndAnonNone() throws {
    defer { dropRole() }
    let server = try TestServer()
    let fixture = try LoadingFixture(on: server.settings)
    let database = fixture.database
    try database.execute(
      """
      CREATE ROLE anon; CREATE ROLE authenticated;
      CREATE SCHEMA auth; GRANT USAGE ON SCHEMA auth TO anon, authenticated;
      CREATE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE AS
        $$ SELECT nullif(current_setting('test.uid', true), '')::uuid $$;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated
      """)
    let other = "11111111-2222-4333-8444-555555555555"
    try fixture.load(LoadingFixture.export(10))
    try fixture.load(LoadingFixture.export(20, user: other))
    let (metrics, view, settings) = ("healthkit_metrics", "v_healthkit_daily_quantity", "hk2pg.user_settings")
    try database.execute("SET ROLE authenticated; SET test.uid = '\(other)'")
    #expect(try fixture.count() == 20)
    #expect(try fixture.count(view) == 1)
    #expect(try fixture.count(settings) == 1)
    #expect(try fixture.count("hk2pg.sources") == 1)
    #expect(throws: PostgresError.self) { try fixture.count("hk2pg.imports") }
    try database.execute(
      "INSERT INTO healthkit_metrics (user_id, metric_type, started_at) VALUES ('\(other)', 't', now())")
    #expect(throws: PostgresError.self) {
      try database.execute("INSERT INTO healthkit_metrics (user_id, metric_type, started_at) VALUES ('x', 't', now())")
    }
    try database.execute("SET test.uid = ''")
    #expect(try fixture.count() == 0)
    try database.execute("SET ROLE anon")
    for table in [metrics, "healthkit_daily_summaries", view, settings] {
      #expect(throws: PostgresError.self, "\(table)") { try fixture.count(table) }
    }
    try database.execute("RESET ROLE")
    #expect(try fixture.count() == 31)
  }
}
