import Foundation
import PostgresClient
import TestSupport
import Testing

/// `hk2pg run` with the files of pipelines/ as they are: only environment variables set.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct PipelineTests {
  private let programs: Programs
  private let database: TestDatabase

  init() throws {
    programs = try Programs()
    database = try TestDatabase()
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../pipelines")
    .standardized.path()

  private func file(_ name: String) -> String { PipelineTests.folder + "/" + name }

  private var variables: [String: String] {
    [
      "DATABASE_URL": database.conninfo, "HEALTHKIT_USER_ID": "anna", "HEALTH_EXPORTS": programs.path("exports"),
      "HEALTH_EXPORT": programs.path("export.zip"), "COHORT_EXPORTS": programs.path("cohort/{user}.zip"),
      "XDG_STATE_HOME": programs.path("state"),
    ]
  }

  private func run(_ words: [String], _ more: [String: String] = [:]) throws -> CommandRun {
    try programs.run(["run"] + words, adding: variables.merging(more) { $1 })
  }

  private func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: programs.path(name), withIntermediateDirectories: true)
  }

  private func imports() throws -> String? {
    guard try database.value("SELECT to_regclass('hk2pg.imports')") != nil else { return nil }
    return try database.value("SELECT count(*) FILTER (WHERE state = 'finished') FROM hk2pg.imports")
  }

  // MARK: As shipped

  @Test func backfillImportsLikeTheCommand() throws {
    defer { programs.remove() }
    let export = try programs.export("0.3MB")
    let report = programs.path("report.json")
    let piped = try run([file("backfill.json5")], ["HEALTH_REPORT": report])
    #expect(piped.status == 0, "\(piped.errors)")
    // One line, fit for cron mail, and nothing on stderr.
    #expect(piped.output.split(separator: "\n").count == 1 && piped.errors == "", "\(piped.output)\(piped.errors)")
    #expect(piped.output.hasPrefix("backfill: export.zip: "))
    let other = try TestDatabase()
    let typed = try programs.run(["import", export, "--database", other.conninfo, "--user", "anna"])
    #expect(typed.status == 0, "\(typed.errors)")
    #expect(try Contents.all(of: database.connection) == Contents.all(of: other.connection))
    let json = try Report(path: report).json
    let steps = try #require(json["steps"] as? [[String: Any]])
    let samples = (steps.first?["result"] as? [String: Any])?["samples"] as? [String: Int] ?? [:]
    #expect(samples["written", default: 0] > 100 && json["exit_code"] as? Int == 0)
  }

  @Test func reimportTakesTheNewestOnceAndRemembersIt() throws {
    defer { programs.remove() }
    try makeFolder("exports")
    let none = try run([file("reimport.json5")])
    #expect(none.status == 0 && none.output.contains("no export in"), "\(none.output)\(none.errors)")
    _ = try programs.export("0.3MB", named: "exports/Export älter.zip", extra: ["--end", "2023-01-01"])
    usleep(50_000)
    for name in [".new.zip.icloud", "new.zip.part", "new.zip.crdownload", "~$new.xml"] {
      try Data("x".utf8).write(to: URL(filePath: programs.path("exports/" + name)))
    }
    let first = try run([file("reimport.json5")])
    #expect(first.status == 0 && first.output.contains("Export älter.zip: "), "\(first.output)\(first.errors)")
    let rows = try database.value("SELECT count(*) FROM healthkit_metrics")
    let again = try run([file("reimport.json5")])
    #expect(again.status == 0 && again.output.contains("nothing new, imported on"), "\(again.output)\(again.errors)")
    #expect(try imports() == "1")
    #expect(try database.value("SELECT count(*) FROM healthkit_metrics") == rows)

    // Made later by its date inside, and older by its file's date.
    let newer = try programs.export("0.4MB", named: "exports/b.zip", extra: ["--end", "2024-06-01"])
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: newer)
    let next = try run([file("reimport.json5"), "--quiet"])
    #expect(next.status == 0 && next.output == "" && next.errors == "", "\(next.output)\(next.errors)")
    #expect(try imports() == "2")
    #expect(
      try database.value("SELECT export_name FROM hk2pg.imports ORDER BY import_id DESC LIMIT 1") == "b.zip")
  }

  /// The file is not read again: its digest is remembered. A table that was emptied is filled all the same.
  @Test func whatIsRememberedIsCheckedAgainstTheDatabase() throws {
    defer { programs.remove() }
    try makeFolder("exports")
    _ = try programs.export("0.3MB", named: "exports/a.zip")
    #expect(try run([file("reimport.json5")]).status == 0)
    let before = try Contents.all(of: database.connection)
    let state = try FileManager.default.contentsOfDirectory(atPath: programs.path("state/hk2pg"))
    let name = try #require(state.first { $0.hasSuffix(".json") })
    #expect(state == [name])
    // The digest is taken from there: with a wrong one the export counts as another one, and is read again.
    let memory = URL(filePath: programs.path("state/hk2pg/" + name))
    let text = String(decoding: try Data(contentsOf: memory), as: UTF8.self)
    let wrong = text.replacing(/"digest":"[0-9a-f]{32}"/, with: "\"digest\":\"\(String(repeating: "0", count: 32))\"")
    #expect(wrong != text)
    try Data(wrong.utf8).write(to: memory)
    let reread = try run([file("reimport.json5")])
    #expect(reread.status == 0 && reread.output.contains(": 0 new, "), "\(reread.output)\(reread.errors)")
    // And the right one is remembered again.
    #expect(String(decoding: try Data(contentsOf: memory), as: UTF8.self) == text)
    _ = try database.execute("TRUNCATE healthkit_metrics")
    let again = try run([file("reimport.json5")])
    #expect(again.status == 0, "\(again.errors)")
    #expect(try Contents.all(of: database.connection) == before)
  }

  @Test func aCohortWithABrokenExport() throws {
    defer { programs.remove() }
    try makeFolder("cohort")
    for number in 1...6 { _ = try programs.export("0.2MB", seed: number, named: "cohort/p-\(number).zip") }
    let broken = URL(filePath: programs.path("cohort/p-4.zip"))
    try Data(contentsOf: broken).prefix(9000).write(to: broken)
    let report = programs.path("cohort.json")
    let first = try run([file("cohort.json5"), "--jobs", "3"], ["COHORT_REPORT": report])
    #expect(first.status == 1, "\(first.output)\(first.errors)")
    let lines = first.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 8, "\(first.output)")
    for number in 1...6 {
      let line = try #require(lines.first { $0.hasPrefix("p-\(number) ") })
      #expect(line.contains(number == 4 ? "is damaged" : "done"), "\(line)")
    }
    #expect(lines.last?.hasPrefix("cohort: 5 of 6 exports done, 1 failed, ") == true, "\(lines)")
    #expect(
      try database.lines("SELECT user_id FROM healthkit_metrics GROUP BY 1 ORDER BY 1") == [
        "p-1", "p-2", "p-3", "p-5", "p-6",
      ])
    let json = try Report(path: report).json
    #expect((json["users"] as? [[String: Any]])?.compactMap { $0["exit_code"] as? Int } == [0, 0, 0, 1, 0, 0])

    let versions = "SELECT id::text || xmin::text FROM healthkit_metrics ORDER BY 1"
    let before = try database.lines(versions)
    let second = try run([file("cohort.json5"), "--jobs", "3"])
    #expect(second.status == 1 && second.output.contains("imported before"), "\(second.output)\(second.errors)")
    #expect(second.output.contains("0 new samples"))
    #expect(try database.lines(versions) == before)
    #expect(try imports() == "5")

    // One of them alone, as a task of a cluster would.
    let one = try run([file("cohort.json5"), "--user", "p-2"])
    #expect(one.status == 0 && one.output.hasPrefix("cohort: p-2.zip: nothing new"), "\(one.output)\(one.errors)")
    #expect(try run([file("cohort.json5"), "--user", "p-9"]).status == 2)
  }

  /// Small exports, so that the processes and the report are what takes the time.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["HK2PG_SOAK"] != nil, "a long test: HK2PG_SOAK=1"))
  func twoHundredExportsWithFiveBrokenOnes() throws {
    defer { programs.remove() }
    try makeFolder("cohort")
    let broken: Set<Int> = [3, 50, 99, 150, 200]
    for number in 1...200 {
      let text = """
        <HealthData locale="en_DE"><ExportDate value="2024-05-03 12:00:00 +0200"/>
        <Record type="HKQuantityTypeIdentifierStepCount" sourceName="W" unit="count" value="\(number)" \
        startDate="2024-05-01 10:00:00 +0000" endDate="2024-05-01 10:01:00 +0000"/></HealthData>
        """
      let zip = ZipBuilder([.init("apple_health_export/export.xml", Array(text.utf8))]).build()
      try Data(broken.contains(number) ? Array(zip.prefix(150)) : zip)
        .write(to: URL(filePath: programs.path("cohort/p-\(number).zip")))
    }
    for isSecond in [false, true] {
      let result = try run([file("cohort.json5")])
      #expect(result.status == 1, "\(result.errors)")
      #expect(result.output.split(separator: "\n").count == 202)
      #expect(
        result.output.contains("cohort: 195 of 200 exports done, 5 failed, \(isSecond ? "0" : "195") new samples"))
      let failed = result.output.split(separator: "\n").filter { $0.contains("is damaged") }
      #expect(Set(failed.compactMap { Int($0.dropFirst(2).prefix { $0.isNumber }) }) == broken)
      #expect(
        try database.value("SELECT count(*) || ' ' || sum(value) FROM healthkit_metrics")
          == "195 \((1...200).filter { !broken.contains($0) }.reduce(0, +))")
      #expect(try imports() == "195")
    }
  }

  /// SIGKILL leaves a cohort no time to stop its imports: they notice, and stop as if they were told to.
  @Test func importsOfACohortEndWithIt() throws {
    defer { programs.remove() }
    try makeFolder("cohort")
    for number in 1...3 { _ = try programs.export("0.2MB", seed: number, named: "cohort/p-\(number).zip") }
    #expect(try run([file("cohort.json5"), "--user", "p-1"]).status == 0)
    // Nobody gets past the ledger.
    let other = try database.connect()
    try other.execute("BEGIN; LOCK TABLE hk2pg.imports IN ACCESS EXCLUSIVE MODE")
    var children: [pid_t] = []
    let killed = try inBackground([file("cohort.json5"), "--jobs", "3"], endedBy: SIGKILL) { cohort throws in
      try until(60) {
        try other.query("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'hk2pg.imports'::regclass")[0]
          .int(0) == 3
      }
      let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(cohort)/task")
      for thread in threads {
        let text = try String(contentsOfFile: "/proc/\(cohort)/task/\(thread)/children", encoding: .utf8)
        children += text.split(separator: " ").compactMap { pid_t($0) }
      }
    }
    #expect(killed.status == 128 + SIGKILL)
    #expect(children.count == 3)
    try until(10) { children.allSatisfy { !PipelineTests.isRunning($0) } }
    try other.execute("ROLLBACK")
    #expect(try imports() == "1")
    let again = try run([file("cohort.json5"), "--jobs", "3"])
    #expect(again.status == 0 && again.output.contains("3 of 3 exports done"), "\(again.output)\(again.errors)")
    #expect(try imports() == "3")
  }

  /// Neither gone nor a zombie that nobody has waited for yet.
  private static func isRunning(_ process: pid_t) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
    return !text.contains(") Z ")
  }

  @Test func aCohortFromATable() throws {
    defer { programs.remove() }
    try makeFolder("study")
    _ = try programs.export("0.2MB", seed: 1, named: "study/one.zip")
    _ = try programs.export("0.2MB", seed: 2, named: "study/two.zip")
    let list = programs.path("study/list.csv")
    try Data("export,user,timezone\none.zip,u1,Asia/Tokyo\ntwo.zip,\"u,2\",\n".utf8).write(to: URL(filePath: list))
    let result = try run([file("cohort.json5")], ["COHORT_EXPORTS": list])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(try database.lines("SELECT DISTINCT user_id FROM healthkit_metrics ORDER BY 1") == ["u,2", "u1"])
    #expect(try database.value("SELECT zone FROM hk2pg.user_settings WHERE user_id = 'u1'") == "Asia/Tokyo")
  }

  @Test func migrateMovesAndASecondPassMovesNothing() throws {
    defer { programs.remove() }
    let export = try programs.export("0.3MB")
    #expect(try programs.run(["import", export, "--database", database.conninfo, "--user", "anna"]).status == 0)
    let target = try TestDatabase()
    let addresses = ["SOURCE_DATABASE_URL": database.conninfo, "TARGET_DATABASE_URL": target.conninfo]
    let check = try run([file("migrate.json5"), "--check"], addresses)
    #expect(check.status == 0 && check.output.contains("the first run makes the tables"), "\(check.errors)")
    #expect(try target.value("SELECT count(*) FROM pg_class WHERE relname ~ 'healthkit|hk2pg'") == "0")
    let rows = try database.value("SELECT count(*) FROM healthkit_metrics") ?? ""
    for moved in [rows, "0"] {
      let result = try run([file("migrate.json5")], addresses)
      #expect(result.status == 0, "\(result.errors)")
      #expect(
        result.output.replacing(",", with: "").hasPrefix("migrate: \(moved) rows of 1 user moved; "), "\(result.output)"
      )
      #expect(try Contents.all(of: target.connection) == Contents.all(of: database.connection))
    }
  }

  /// The step verify compares the database with the export of the pipeline, or with what it is told.
  @Test func verifyIsAStep() throws {
    defer { programs.remove() }
    let export = try programs.export("0.3MB")
    let pipeline = programs.path("checked.json5")
    let text = """
      { steps: ["import", "verify", { run: "verify", against: "${OTHER}" }], export: "\(export)", database: "${DATABASE_URL}" }
      """
    try Data(text.utf8).write(to: URL(filePath: pipeline))
    let other = try TestDatabase()
    let target = ["--database", other.conninfo, "--user", "anna"]
    #expect(try programs.run(["import", export] + target).status == 0)
    let equal = try run([pipeline], ["OTHER": other.conninfo])
    #expect(equal.status == 0, "\(equal.output)\(equal.errors)")
    #expect(equal.output.contains("new; verified, equal; verified, equal; "), "\(equal.output)")
    _ = try other.execute(
      "DELETE FROM healthkit_metrics WHERE id = (SELECT min(id::text)::uuid FROM healthkit_metrics)")
    let different = try run([pipeline], ["OTHER": other.conninfo])
    #expect(different.status == 1 && different.output.contains("verify found differences"), "\(different.output)")
  }

  // MARK: Check

  @Test func checkShowsEverythingAndWritesNothing() throws {
    defer { programs.remove() }
    try makeFolder("exports")
    _ = try programs.export("0.2MB", named: "exports/a.zip")
    sleep(4)
    let secret = ["DATABASE_URL": database.conninfo + " password=s3cr3t"]
    func files() throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: programs.folder.path).sorted()
    }
    let before = try files()
    let check = try run([file("reimport.json5"), "--check", "--raw-window", "30d"], secret)
    #expect(check.status == 0, "\(check.errors)")
    for (name, value, origin) in [
      ("folder", programs.path("exports"), "reimport.json5, line"), ("database", "***", "DATABASE_URL"),
      ("user", "anna", "HEALTHKIT_USER_ID"), ("raw_window", "30d", "--raw-window"), ("salvage", "false", "default"),
    ] {
      let line = check.output.split(separator: "\n").first { $0.trimmingCharacters(in: .whitespaces).hasPrefix(name) }
      #expect(line?.contains(value) == true && line?.contains(origin) == true, "\(name): \(line ?? "–")")
    }
    #expect(check.output.contains("a.zip") && check.output.contains("the first run makes the tables"))
    #expect(!(check.output + check.errors).contains("s3cr3t"))
    #expect(try files() == before)
    #expect(try database.value("SELECT count(*) FROM pg_class WHERE relname ~ 'healthkit|hk2pg'") == "0")
    #expect(try database.value("SELECT to_regnamespace('hk2pg')") == nil)

    #expect(try run([file("reimport.json5")]).status == 0)
    let later = try run([file("reimport.json5"), "--check"])
    #expect(later.output.contains("stored in the database") && later.output.contains("tables and rights are right"))
  }

  @Test func checkFindsWhatIsWrong() throws {
    defer { programs.remove() }
    _ = try programs.export("0.2MB", named: "export.zip")
    let nobody = try run(
      [file("backfill.json5"), "--check"], ["DATABASE_URL": "postgresql://nobody@127.0.0.1:1/x"])
    #expect(nobody.status == 4 && nobody.output.contains("raw_window"), "\(nobody.output)\(nobody.errors)")
    let missing = try run([file("reimport.json5"), "--check"])
    #expect(missing.status == 2 && missing.errors.contains("cannot look into the folder"), "\(missing.errors)")
    let unset = try programs.run(["run", file("reimport.json5"), "--check"])
    #expect(unset.status == 2 && unset.errors.contains("HEALTH_EXPORTS is not set"), "\(unset.errors)")
  }

  // MARK: Watch and lock

  /// A watch in the background; `body` gets its process. Returns how it ended after SIGTERM.
  private func watching(_ name: String, _ body: (pid_t) throws -> Void) throws -> CommandRun {
    try inBackground([file(name), "--watch"], endedBy: SIGTERM, body)
  }

  private func inBackground(
    _ words: [String], endedBy signal: Int32, _ body: (pid_t) throws -> Void
  ) throws -> CommandRun {
    let mark = programs.path("pid")
    let script = "echo $$ > \(mark).new; mv \(mark).new \(mark); exec \"$0\" \"$@\""
    let environment = programs.environment.merging(variables) { $1 }
    let words = ["-c", script, Programs.hk2pg, "run"] + words
    let (done, result) = (DispatchSemaphore(value: 0), Box())
    let thread = Thread {
      result.value = try? CommandRun("/bin/sh", words, environment: environment, killAfter: 300)
      done.signal()
    }
    thread.start()
    try until(10) { FileManager.default.fileExists(atPath: mark) }
    let text = try String(contentsOfFile: mark, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    let child = try #require(pid_t(text))
    do { try body(child) } catch {
      kill(child, SIGKILL)
      throw error
    }
    kill(child, signal)
    let start = ContinuousClock.now
    done.wait()
    #expect(ContinuousClock.now - start < .seconds(5))
    return try #require(result.value)
  }

  private final class Box: @unchecked Sendable {
    // @unchecked: written before the semaphore is signalled, read after it.
    var value: CommandRun?
  }

  private func until(_ seconds: Double, _ condition: () throws -> Bool) throws {
    let end = Date(timeIntervalSinceNow: seconds)
    while try !condition() {
      if Date() > end { throw Programs.Failure("nothing happened within \(seconds) s") }
      usleep(50_000)
    }
  }

  @Test func aFileCopiedInSlowlyIsImportedOnce() throws {
    defer { programs.remove() }
    try makeFolder("exports")
    let bytes = try Data(contentsOf: URL(filePath: programs.export("0.3MB")))
    let run = try watching("reimport.json5") { watch throws in
      let path = programs.path("exports/export.zip")
      try Data("x".utf8).write(to: URL(filePath: programs.path("exports/export.zip.part")))
      try Data().write(to: URL(filePath: path))
      let copy = try #require(FileHandle(forWritingAtPath: path))
      // Five pieces, with pauses on both sides of settle_seconds.
      for (number, pause) in [500_000, 4_000_000, 500_000, 500_000, 0].enumerated() {
        let (from, to) = (bytes.count * number / 5, bytes.count * (number + 1) / 5)
        try copy.write(contentsOf: bytes[from..<to])
        usleep(UInt32(pause))
      }
      try copy.close()
      #expect(try imports() == nil)
      try until(60) { try imports() == "1" }

      // While it runs, nobody else does.
      let second = try self.run([file("reimport.json5")])
      #expect(second.status == 5 && second.errors.contains("running already (process \(watch) "), "\(second.errors)")
      #expect(second.output == "")
      sleep(5)
    }
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("hk2pg: watching ") && run.errors.hasSuffix("hk2pg: watch ended\n"), "\(run.errors)")
    #expect(run.errors.components(separatedBy: "reimport: export.zip: ").count == 2, "\(run.errors)")
    #expect(try imports() == "1")
    #expect(try self.run([file("reimport.json5")]).status == 0)
  }

  @Test func watchNeedsAFolder() throws {
    defer { programs.remove() }
    #expect(try run([file("backfill.json5"), "--watch"]).status == 2)
    #expect(try run([file("reimport.json5"), "--watch"]).errors.contains("cannot look into the folder"))
  }

  // MARK: Schedules

  static let hasSystemd = FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")

  @Test(.enabled(if: hasSystemd, "systemd-analyze is not installed"))
  func unitsVerify() throws {
    defer { programs.remove() }
    let names = try FileManager.default.contentsOfDirectory(atPath: file("systemd")).sorted()
    #expect(names == ["hk2pg-reimport.service", "hk2pg-reimport.timer", "hk2pg-watch.service"])
    for name in names {
      // The program is looked for where it is now, not where it is to be installed.
      let text = try String(contentsOfFile: file("systemd/") + name, encoding: .utf8)
        .replacing("/usr/local/bin/hk2pg", with: Programs.hk2pg)
      try Data(text.utf8).write(to: URL(filePath: programs.path(name)))
    }
    let verify = try CommandRun(
      "/usr/bin/systemd-analyze", ["verify", "--man=no"] + names.map { programs.path($0) })
    #expect(verify.status == 0 && verify.errors == "" && verify.output == "", "\(verify.errors)")
  }

  /// systemd gives a folder to the user of the service that started last: with two users, the other one loses it.
  @Test func servicesThatShareFoldersShareTheirUser() throws {
    let services = try ["reimport", "watch"].map { name in
      try String(contentsOfFile: file("systemd/hk2pg-\(name).service"), encoding: .utf8).split(separator: "\n")
        .filter { line in
          ["User=", "DynamicUser=", "StateDirectory=", "CacheDirectory="].contains(where: line.hasPrefix)
        }
    }
    #expect(services[0] == ["StateDirectory=hk2pg", "CacheDirectory=hk2pg", "User=hk2pg", "DynamicUser=yes"])
    #expect(services[1] == services[0])
  }
}
