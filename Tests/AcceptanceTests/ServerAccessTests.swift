import Foundation
import PostgresClient
import TestSupport
import Testing

/// Servers, poolers and roles that allow less than all, with the real program (DESIGN §5, §6).
@Suite(
  .serialized, .enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20))
)
struct ServerAccessTests {
  private let programs: Programs
  private let database: TestDatabase
  private let role: String

  init() throws {
    programs = try Programs()
    database = try TestDatabase()
    role = "writer_\(database.name)"
    try database.execute("CREATE ROLE \(role) LOGIN")
  }

  private func finish() {
    programs.remove()
    _ = try? database.execute("DROP OWNED BY \(role); DROP ROLE \(role)")
  }

  private var conninfo: String { database.settings.replacing("user", role).address.description }

  private func importing(_ export: String, _ conninfo: String) throws -> CommandRun {
    try programs.run(["import", export, "--database", conninfo, "--user", "anna"])
  }

  /// What an import by the owner comes to.
  private func expectAll(_ export: String, in connection: PostgresConnection) throws {
    let clean = try TestDatabase()
    #expect(try importing(export, clean.conninfo).status == 0)
    #expect(try Contents.all(of: connection) == Contents.all(of: clean.connection))
  }

  /// The statements that an error tells the owner to run.
  private func statementsForOwner(_ errors: String) throws -> String {
    let lines = errors.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let start = try #require(lines.firstIndex { $0.contains("Its owner can run:") }, "\(errors)")
    return lines[start...].joined(separator: "\n").replacing(/(?s)^.*Its owner can run:/, with: "")
  }

  @Test func aRoleThatMayNotCreateTheSchemaIsToldWhatTheOwnerHasToRun() throws {
    defer { finish() }
    let export = try programs.export("0.5MB")
    let refused = try importing(export, conninfo)
    #expect(refused.status == 4, "\(refused.errors)")
    try database.execute(statementsForOwner(refused.errors))
    let run = try importing(export, conninfo)
    #expect(run.status == 0, "\(run.errors)")
    try expectAll(export, in: database.connection)
    #expect(try importing(export, conninfo).status == 0)
  }

  @Test func aRoleThatOwnsNothingWritesUnderRowLevelSecurity() throws {
    defer { finish() }
    let export = try programs.export("0.5MB")
    // Tables of the owner, with policies; the schema hk2pg as well.
    #expect(try programs.run(["schema", "--apply", "--database", database.conninfo]).status == 0)
    try database.execute(
      """
      ALTER TABLE healthkit_metrics ENABLE ROW LEVEL SECURITY; ALTER TABLE healthkit_metrics FORCE ROW LEVEL SECURITY;
      CREATE POLICY anna ON healthkit_metrics TO \(role) USING (user_id = 'anna') WITH CHECK (user_id = 'anna');
      ALTER TABLE healthkit_daily_summaries ENABLE ROW LEVEL SECURITY;
      CREATE POLICY anna ON healthkit_daily_summaries TO \(role) USING (user_id = 'anna')
      """)
    let refused = try importing(export, conninfo)
    #expect(refused.status == 4, "\(refused.errors)")
    try database.execute(statementsForOwner(refused.errors))
    let run = try importing(export, conninfo)
    #expect(run.status == 0, "\(run.errors)")
    try expectAll(export, in: database.connection)
    let other = try programs.run(["import", export, "--database", conninfo, "--user", "ben"])
    #expect(other.status != 0)
    #expect(try database.value("SELECT count(*) FROM healthkit_metrics WHERE user_id = 'ben'") == "0")
  }

  @Test func shortTimeLimitsOfARoleDoNotHurt() throws {
    defer { finish() }
    let export = try programs.export("0.5MB")
    #expect(try programs.run(["schema", "--apply", "--database", database.conninfo]).status == 0)
    try database.execute(statementsForOwner(importing(export, conninfo).errors))
    // A server on which writing takes longer than the role may take.
    try database.execute(
      """
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(2.5); RETURN NULL; END';
      CREATE TRIGGER slow AFTER INSERT OR UPDATE ON healthkit_metrics EXECUTE FUNCTION slow();
      CREATE TRIGGER slow AFTER INSERT OR UPDATE ON healthkit_daily_summaries EXECUTE FUNCTION slow();
      ALTER ROLE \(role) SET statement_timeout = '2s'; ALTER ROLE \(role) SET lock_timeout = '1s';
      ALTER ROLE \(role) SET idle_in_transaction_session_timeout = '1s'
      """)
    let run = try importing(export, conninfo)
    #expect(run.status == 0, "\(run.errors)")
    let written = try database.connect()
    try expectAll(export, in: written)
    // The limit does hold for others.
    let app = try PostgresConnection(database.settings.replacing("user", role))
    #expect(throws: PostgresError.self) {
      try app.execute("INSERT INTO healthkit_metrics (user_id, metric_type, started_at) VALUES ('x', 't', now())")
    }
  }

  @Test func aReadOnlyDatabaseIsRefused() throws {
    defer { finish() }
    let export = try programs.export("0.2MB")
    try database.execute("ALTER ROLE \(role) SET default_transaction_read_only = on")
    let run = try importing(export, conninfo)
    #expect(run.status == 4, "\(run.errors)")
    #expect(run.errors.contains("read-only"), "\(run.errors)")
    #expect(try database.value("SELECT to_regnamespace('hk2pg') IS NULL") == "t")
  }

  @Test func aStandbyIsRefused() throws {
    defer { finish() }
    let export = try programs.export("0.2MB")
    let server = try TestServer()
    defer { try? server.stop() }
    try server.stop(mode: "fast")
    // In recovery without anything to recover from: what a replica is.
    let signal = server.dataFolder + "/standby.signal"
    #expect(FileManager.default.createFile(atPath: signal, contents: nil))
    if let user = TestServer.serverUser { #expect(try CommandRun("/bin/chown", [user, signal]).status == 0) }
    try server.start()
    let run = try importing(export, server.settings.address.description)
    #expect(run.status == 4, "\(run.errors)")
    #expect(run.errors.contains("read-only"), "\(run.errors)")
  }

  @Test(.enabled(if: PgBouncer.isAvailable, Comment(rawValue: PgBouncer.missing)))
  func throughATransactionPooler() throws {
    defer { finish() }
    let bouncer = try PgBouncer(before: database)
    let (old, new) = (
      try programs.export("2MB", named: "old.zip"),
      try programs.export("2MB", named: "new.zip", extra: ["--extra", "500"])
    )
    for export in [old, new, new] {
      let run = try importing(export, bouncer.settings.address.description)
      #expect(run.status == 0, "\(run.errors)")
    }
    try expectAll(new, in: database.connection)
    let pruned = try programs.run([
      "prune", "--older-than", "10d", "--database", bouncer.settings.address.description, "--user", "anna",
    ])
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(try database.value("SELECT count(*) > 0 FROM hk2pg.pruned_days") == "t")
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "openssl is not installed"))
  func aServerThatTakesEncryptedConnectionsAlone() throws {
    defer { finish() }
    let export = try programs.export("0.5MB")
    let (key, certificate) = ("/tmp/hk2pg-key-\(UUID().uuidString)", "/tmp/hk2pg-crt-\(UUID().uuidString)")
    defer { for path in [key, certificate] { try? FileManager.default.removeItem(atPath: path) } }
    let made = try CommandRun(
      "/usr/bin/openssl",
      [
        "req", "-new", "-x509", "-days", "2", "-nodes", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
      ])
    try #require(made.status == 0, "\(made.errors)")
    if let user = TestServer.serverUser { #expect(try CommandRun("/bin/chown", [user, key, certificate]).status == 0) }
    let server = try TestServer(
      hba: ["hostnossl all all 127.0.0.1/32 reject", "hostssl all all 127.0.0.1/32 trust"],
      configuration: ["ssl = on", "ssl_key_file = '\(key)'", "ssl_cert_file = '\(certificate)'"], overTCP: true)
    defer { try? server.stop() }
    let port = try #require(server.tcpPort)
    let url = "postgres://postgres@127.0.0.1:\(port)/postgres"
    let plain = try importing(export, url + "?sslmode=disable")
    #expect(plain.status == 4, "\(plain.errors)")
    // The certificate is nobody's that this machine trusts.
    let checked = try importing(export, url + "?sslmode=verify-full")
    #expect(checked.status == 4, "\(checked.errors)")
    let run = try importing(export, url + "?sslmode=require")
    #expect(run.status == 0, "\(run.errors)")
    try expectAll(export, in: PostgresConnection(server.settings))
  }
}
