import Foundation
import PostgresClient
import TestSupport
import Testing

/// DESIGN §7.5: kill it at any moment and run it again; the database ends equal to an uninterrupted run.
///
/// Four random moments of each kind by default, fifty with HK2PG_SOAK. HK2PG_TEST_SEED repeats a run.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(60)))
struct CrashTests {
  private static let rounds = ProcessInfo.processInfo.environment["HK2PG_SOAK"] == nil ? 4 : 50
  private static let size = "2MB"

  /// What an undisturbed import of `old`, then `new` (a thousand more records), comes to, and how long each takes.
  private struct Clean {
    var old: String
    var new: String
    var contents: [String: [String]] = [:]
    var seconds: [String: Double] = [:]
  }

  private func clean(_ programs: Programs) throws -> Clean {
    var clean = Clean(
      old: try programs.export(CrashTests.size, named: "old.zip"),
      new: try programs.export(CrashTests.size, named: "new.zip", extra: ["--extra", "1000"]))
    let database = try TestDatabase()
    for export in [clean.old, clean.new] {
      let start = Date()
      let run = try programs.run(["import", export, "--database", database.conninfo, "--user", "anna"])
      #expect(run.status == 0, "\(run.errors)")
      clean.seconds[export] = Date().timeIntervalSince(start)
      clean.contents[export] = try Contents.all(of: database.connection)
    }
    return clean
  }

  private func moments(_ name: String, within seconds: Double) -> [Double] {
    let seed =
      ProcessInfo.processInfo.environment["HK2PG_TEST_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0 ... .max)
    print("\(name): HK2PG_TEST_SEED=\(seed)")
    var state = seed
    return (0..<CrashTests.rounds).map { _ in
      // SplitMix64: any moment from before the start to after the end.
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      z ^= z >> 31
      return Double(z >> 11) / Double(1 << 53) * seconds * 1.1
    }
  }

  @Test func theProgramIsKilled() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let clean = try clean(programs)
    for moment in moments("theProgramIsKilled", within: clean.seconds[clean.old] ?? 1) {
      let database = try TestDatabase()
      for export in [clean.old, clean.new] {
        let arguments = ["import", export, "--database", database.conninfo, "--user", "anna"]
        _ = try programs.run(arguments, killAfter: moment)
        let again = try programs.run(arguments)
        #expect(again.status == 0, "killed after \(moment) s: \(again.errors)")
        #expect(try Contents.all(of: database.connection) == clean.contents[export], "killed after \(moment) s")
      }
      #expect(try database.value("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'incoming%'") == "0")
    }
  }

  @Test(arguments: [
    "after-lease", "in-chunk", "after-chunk-1", "after-chunks", "after-index-1", "before-publish", "in-publish",
    "after-compare", "before-insert", "after-publish",
  ])
  func theProgramIsKilledAt(point: String) throws {
    let programs = try Programs()
    defer { programs.remove() }
    let clean = try clean(programs)
    let database = try TestDatabase()
    for export in [clean.old, clean.new] {
      let arguments = ["import", export, "--database", database.conninfo, "--user", "anna"]
      _ = try programs.run(arguments, adding: ["HK2PG_FAULT": point])
      let again = try programs.run(arguments)
      #expect(again.status == 0, "\(again.errors)")
      #expect(try Contents.all(of: database.connection) == clean.contents[export])
    }
  }

  @Test func theServerIsKilled() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let clean = try clean(programs)
    let server = try TestServer()
    defer { try? server.stop() }
    for moment in moments("theServerIsKilled", within: clean.seconds[clean.old] ?? 1) {
      let name = "crash_\(UInt32.random(in: 0 ... .max))"
      _ = try PostgresConnection(server.settings).execute("CREATE DATABASE \(name)")
      let settings = server.settings.replacing(database: name)
      let arguments = ["import", clean.old, "--database", settings.address.description, "--user", "anna"]
      let killer = Thread {
        Thread.sleep(forTimeInterval: moment)
        try? server.stop()
      }
      killer.start()
      let first = try programs.run(arguments)
      while !killer.isFinished { Thread.sleep(forTimeInterval: 0.02) }
      #expect([0, 1, 4].contains(first.status), "\(first.errors)")
      try server.start()
      let again = try programs.run(arguments)
      #expect(again.status == 0, "server killed after \(moment) s: \(again.errors)")
      #expect(
        try Contents.all(of: PostgresConnection(settings)) == clean.contents[clean.old],
        "server killed after \(moment) s")
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
