import Foundation
import PostgresClient
import TestSupport
import Testing

/// DESIGN §7.5: kill it at any moment and run it again; the database ends equal to an uninterrupted run.
///
/// Four random moments of each kind by default, fifty with HK2PG_SOAK. HK2PG_TEST_SEED repeats a run.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct CrashTests {
  private static let rounds = ProcessInfo.processInfo.environment["HK2PG_SOAK"] == nil ? 4 : 50
  private static let size = "2MB"

  /// One command, what an undisturbed run of it comes to, and how long that takes.
  private struct Step {
    var arguments: [String]
    var contents: [String] = []
    var seconds = 0.0

    func run(
      _ programs: Programs, _ database: ConnectionSettings, adding variables: [String: String] = [:],
      killAfter moment: Double? = nil
    ) throws -> CommandRun {
      try programs.run(
        arguments + ["--database", database.address.description, "--user", "anna"], adding: variables, killAfter: moment
      )
    }
  }

  /// An import, one with a thousand more records, and a prune.
  private func steps(_ programs: Programs) throws -> [Step] {
    let old = try programs.export(CrashTests.size, named: "old.zip")
    let new = try programs.export(CrashTests.size, named: "new.zip", extra: ["--extra", "1000"])
    var steps = [["import", old], ["import", new], ["prune", "--older-than", "10d"]].map { Step(arguments: $0) }
    let database = try TestDatabase()
    for index in steps.indices {
      let start = Date()
      let run = try steps[index].run(programs, database.settings)
      #expect(run.status == 0, "\(run.errors)")
      steps[index].seconds = Date().timeIntervalSince(start)
      steps[index].contents = try contents(database.connection)
    }
    // The prune has something to do.
    #expect(steps[2].contents.count < steps[1].contents.count)
    #expect(steps[2].contents != steps[1].contents)
    return steps
  }

  private func contents(_ connection: PostgresConnection) throws -> [String] {
    let pruned = """
      SELECT (user_id, metric_type, day, starts_at, ends_at, row_count)::text FROM hk2pg.pruned_days ORDER BY 1
      """
    return try Contents.all(of: connection) + connection.query(pruned).rows.map { try $0.text(0) }
  }

  /// Any moment from before the start to after the end of a step, as parts of how long it takes.
  private func moments(_ name: String) -> [Double] {
    var random = SplitMix(printing: name)
    return (0..<CrashTests.rounds).map { _ in Double.random(in: 0..<1.1, using: &random) }
  }

  @Test func theProgramIsKilled() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let steps = try steps(programs)
    for moment in moments("theProgramIsKilled") {
      let database = try TestDatabase()
      for step in steps {
        _ = try step.run(programs, database.settings, killAfter: moment * step.seconds)
        let again = try step.run(programs, database.settings)
        #expect(again.status == 0, "killed at \(moment): \(again.errors)")
        #expect(try contents(database.connection) == step.contents, "\(step.arguments[0]) killed at \(moment)")
      }
      #expect(try database.value("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'incoming%'") == "0")
    }
  }

  @Test(arguments: [
    "after-lease", "in-chunk", "after-chunk-1", "after-chunks", "after-index-1", "before-publish", "in-publish",
    "after-compare", "before-insert", "after-publish", "before-prune", "in-prune",
  ])
  func theProgramIsKilledAt(point: String) throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    var killed = 0
    for step in try steps(programs) {
      let first = try step.run(programs, database.settings, adding: ["HK2PG_FAULT": point])
      #expect([0, 137].contains(first.status), "\(first.errors)")
      if first.status == 137 { killed += 1 }
      let again = try step.run(programs, database.settings)
      #expect(again.status == 0, "\(again.errors)")
      #expect(try contents(database.connection) == step.contents)
    }
    #expect(killed > 0, "no command passes \(point)")
  }

  @Test func theServerIsKilled() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let steps = try steps(programs)
    let server = try TestServer()
    defer { try? server.stop() }
    for (number, moment) in moments("theServerIsKilled").enumerated() {
      _ = try PostgresConnection(server.settings).execute("CREATE DATABASE crash_\(number)")
      let settings = server.settings.replacing(database: "crash_\(number)")
      for step in steps {
        let killer = Thread {
          Thread.sleep(forTimeInterval: moment * step.seconds)
          try? server.stop()
        }
        killer.start()
        let first = try step.run(programs, settings)
        while !killer.isFinished { Thread.sleep(forTimeInterval: 0.02) }
        #expect([0, 1, 4].contains(first.status), "\(first.errors)")
        try server.start()
        let again = try step.run(programs, settings)
        #expect(again.status == 0, "server killed at \(moment): \(again.errors)")
        let connection = try PostgresConnection(settings)
        #expect(try contents(connection) == step.contents, "\(step.arguments[0]), server killed at \(moment)")
      }
      _ = try PostgresConnection(server.settings).execute("DROP DATABASE crash_\(number) WITH (FORCE)")
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalEndsItSafely(signal: Int32) throws {
    let programs = try Programs()
    defer { programs.remove() }
    let export = try programs.export("20MB")
    let database = try TestDatabase()
    let arguments = ["import", export, "--database", database.conninfo, "--user", "anna"]
    let run = try programs.run(arguments, killAfter: 0.15, signal: signal)
    #expect(run.status == 128 + signal, "\(run.errors)")
    #expect(run.errors.contains("safe to run"), "\(run.errors)")
    #expect(try programs.run(arguments).status == 0)
    let clean = try TestDatabase()
    #expect(
      try programs.run(["import", export, "--database", clean.conninfo, "--user", "anna"]).status == 0)
    #expect(try Contents.all(of: database.connection) == Contents.all(of: clean.connection))
  }
}
