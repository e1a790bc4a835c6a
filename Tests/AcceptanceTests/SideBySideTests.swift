import Foundation
import PostgresClient
import Synchronization
import TestSupport
import Testing

/// Several imports at once: one user's come one after the other, many users' side by side (DESIGN §7.7).
@Suite(
  .serialized, .enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20))
)
struct SideBySideTests {
  private let programs: Programs
  private let database: TestDatabase

  init() throws {
    programs = try Programs()
    database = try TestDatabase()
  }

  private func importing(_ export: String, user: String = "anna", _ more: String...) -> [String] {
    ["import", export, "--database", database.conninfo, "--user", user] + more
  }

  /// A process of another machine holds anna's lease while `body` runs.
  private func whileAnotherImports(_ body: () throws -> Void) throws {
    try database.execute(
      """
      INSERT INTO hk2pg.leases (user_id, token, host, process_id, process_start, acquired_at, expires_at)
      VALUES ('anna', gen_random_uuid(), 'elsewhere', 4711, '1', now(), now() + interval '1 hour')
      """)
    defer { _ = try? database.execute("DELETE FROM hk2pg.leases") }
    try body()
  }

  @Test func withNoWaitASecondImportGivesUpAtOnce() throws {
    defer { programs.remove() }
    let export = try programs.export("0.3MB")
    #expect(try programs.run(["schema", "--apply", "--database", database.conninfo]).status == 0)
    try whileAnotherImports {
      let run = try programs.run(importing(export, "--no-wait"))
      #expect(run.status == 4, "\(run.errors)")
      #expect(run.errors.contains("another import of this user runs on elsewhere"), "\(run.errors)")
      // Another user's business it is not.
      #expect(try programs.run(importing(export, user: "ben", "--no-wait")).status == 0)
    }
    let left = try FileManager.default.subpathsOfDirectory(atPath: programs.folder.path).filter { $0.contains(".zst") }
    #expect(left == [])
    #expect(try programs.run(importing(export, "--no-wait")).status == 0)
  }

  @Test func aSecondImportWaitsAndSaysSo() throws {
    defer { programs.remove() }
    let export = try programs.export("0.3MB")
    #expect(try programs.run(["schema", "--apply", "--database", database.conninfo]).status == 0)
    let settings = database.settings
    let released = Mutex(false)
    try whileAnotherImports {
      let releaser = Thread {
        Thread.sleep(forTimeInterval: 2)
        released.withLock { $0 = true }
        _ = try? PostgresConnection(settings).execute("DELETE FROM hk2pg.leases")
      }
      releaser.start()
      let run = try programs.run(importing(export, "--progress", "plain"))
      #expect(run.status == 0, "\(run.errors)")
      #expect(released.withLock { $0 })
      #expect(run.errors.contains("Waiting for another import of this user"), "\(run.errors)")
    }
  }

  @Test func eightUsersAtOnceAreAllRight() throws {
    defer { programs.remove() }
    let users = (1...8).map { "participant-\($0)" }
    let exports = try users.indices.map { try programs.export("0.5MB", seed: $0 + 1, named: "\($0).zip") }
    let runs = Mutex<[Int: CommandRun]>([:])
    let runner = programs
    let arguments = users.indices.map { importing(exports[$0], user: users[$0], "--jobs", "1") }
    DispatchQueue.concurrentPerform(iterations: users.count) { index in
      let run = try? runner.run(arguments[index])
      runs.withLock { $0[index] = run }
    }
    for (index, user) in users.enumerated() {
      let run = runs.withLock { $0[index] }
      #expect(run?.status == 0, "\(run?.errors ?? "did not run")")
      let clean = try TestDatabase()
      #expect(
        try programs.run(["import", exports[index], "--database", clean.conninfo, "--user", user]).status == 0)
      let rows = "SELECT (t.*)::text FROM (\(Contents.metrics) WHERE user_id = $1) t ORDER BY 1"
      #expect(try database.lines(rows, [user]) == clean.lines(rows, [user]))
    }
    #expect(try database.lines("SELECT relname FROM pg_class WHERE relname ~ '^incoming'") == [])
  }
}
