import Foundation
import PostgresClient
import TestSupport
import Testing

/// A newer, an older, a renamed and a restored export after a first one (DESIGN §3.3, §3.9, §7.6).
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct ReimportTests {
  private let programs: Programs
  private let database: TestDatabase

  init() throws {
    programs = try Programs()
    database = try TestDatabase()
  }

  /// A month of 20 heart rates a day, written by hand.
  private struct Phone {
    var watch = "Anna’s Apple Watch"
    var date = "2024-06-01 12:00:00 +0200"
    var created = "2024-05-01 09:00:00 +0200"
    var device = "0x600000aa"
    var firstDay = 1
    /// Minutes that are left out, and values that are others, by day and minute.
    var without: Set<Int> = []
    var others: [Int: Int] = [:]

    func write(to path: String) throws {
      var text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <HealthData locale="en_DE">
         <ExportDate value="\(date)"/>

        """
      for day in firstDay...30 {
        for minute in 0..<20 where !without.contains(day * 100 + minute) {
          let clock = "2024-05-\(day < 10 ? "0" : "")\(day) 10:\(minute < 10 ? "0" : "")\(minute)"
          text += """
             <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="\(watch)" unit="count/min" \
            device="&lt;&lt;HKDevice: \(device)&gt;, name:Apple Watch, hardware:Watch6,2&gt;" \
            creationDate="\(created)" startDate="\(clock):00 +0200" endDate="\(clock):05 +0200" \
            value="\(others[day * 100 + minute] ?? 60 + minute)"/>

            """
        }
      }
      text += "</HealthData>\n"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
  }

  private func importing(_ phone: Phone, _ more: String...) throws -> (run: CommandRun, report: Report) {
    let path = programs.path("export-\(UUID().uuidString).xml")
    try phone.write(to: path)
    let report = path + ".json"
    let run = try programs.run(
      ["import", path, "--database", database.conninfo, "--user", "anna", "--timezone", "Europe/Berlin", "--report"]
        + [report] + more)
    return (run, try Report(path: report))
  }

  private func versions() throws -> [String] {
    try database.lines("SELECT id::text || xmin::text || ctid::text FROM healthkit_metrics ORDER BY 1")
      + database.lines("SELECT id::text || xmin::text || ctid::text FROM healthkit_daily_summaries ORDER BY 1")
  }

  @Test func theReportSaysWhatBecameOfTheRows() throws {
    defer { programs.remove() }
    #expect(try importing(Phone()).run.status == 0)
    // Two days are gone, two samples deleted, one corrected, a day of 25 new ones.
    var phone = Phone(date: "2024-06-08 12:00:00 +0200", firstDay: 3, without: [1000, 1001], others: [1105: 99])
    let (run, report) = try importing(phone)
    #expect(run.status == 0, "\(run.errors)")
    #expect(report.addsUp)
    #expect(report.samples("written") == 0)
    #expect(report.samples("already_there") == 28 * 20 - 2)
    #expect(report.changes("changed") == 1)
    #expect(report.changes("removed") == 2)
    #expect(report.changes("kept_missing") == 40)
    for line in [
      "558  already there", "1  of those already there rewritten, since it differed",
      "2  rows removed that the export no longer has", "40  rows kept that the export no longer has",
    ] {
      #expect(run.output.contains(line), "\(line) in \(run.output)")
    }
    #expect(try database.value("SELECT count(*) FROM healthkit_metrics") == "598")
    // What is new is counted as written.
    phone.without = []
    phone.date = "2024-06-09 12:00:00 +0200"
    #expect(try importing(phone).report.samples("written") == 2)
  }

  /// What an import of this export, killed before it published, has staged lacks what the database held.
  private func killedBesidePartialChunks(_ arguments: [String]) throws {
    // On a busy machine the table may be read later than the export: then the chunks are whole.
    for _ in 0..<10 {
      try? FileManager.default.removeItem(atPath: programs.path("staging"))
      #expect(try programs.run(arguments, adding: ["HK2PG_FAULT": "after-chunks"]).status != 0)
      if try manifest().contains("hk2pg.unchanged_groups") { return }
    }
    throw Programs.Failure("ten times the chunks were whole")
  }

  private func manifest() throws -> String {
    try String(contentsOfFile: programs.path("staging") + "/manifest.json", encoding: .utf8)
  }

  private func stagingArguments(_ export: String) -> [String] {
    [
      "import", export, "--database", database.conninfo, "--user", "anna", "--force", "--staging",
      programs.path("staging"),
    ]
  }

  /// The import is killed, the database loses rows that were left out, and the same command goes on: the export is read
  /// once more.
  @Test func whatTheDatabaseLosesBetweenStagingAndLoadingComesBack() throws {
    defer { programs.remove() }
    let arguments = stagingArguments(try programs.export("20MB"))
    #expect(try programs.run(arguments).status == 0)
    let rows = try database.lines("SELECT id, value, started_at FROM healthkit_metrics ORDER BY id")
    try killedBesidePartialChunks(arguments)
    let lost = try database.execute(
      "DELETE FROM healthkit_metrics WHERE metric_type = 'HKQuantityTypeIdentifierHeartRate' AND value > 90"
    ).affectedRows
    #expect(lost > 100)
    let again = try programs.run(arguments)
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.errors.contains("the export is read once more"), "\(again.errors)")
    #expect(try database.lines("SELECT id, value, started_at FROM healthkit_metrics ORDER BY id") == rows)
    #expect(try database.value("SELECT count(*) FROM hk2pg.imports WHERE state = 'loading'") == "0")
  }

  /// Neither are they compared with, nor kept: the same command with `--keep-chunks` stages all rows.
  @Test func partialChunksDoNotPassForWholeOnes() throws {
    defer { programs.remove() }
    let arguments = stagingArguments(try programs.export("20MB"))
    #expect(try programs.run(arguments).status == 0)
    try killedBesidePartialChunks(arguments)
    let verified = try programs.run(
      ["verify", programs.path("staging"), "--database", database.conninfo, "--user", "anna"])
    #expect(verified.status == 2 && verified.errors.contains("lack what the database"), "\(verified.errors)")
    let kept = try programs.run(arguments + ["--keep-chunks"])
    #expect(kept.status == 0, "\(kept.errors)")
    #expect(try !manifest().contains("hk2pg.unchanged_groups"))
    let whole = try programs.run(
      ["verify", programs.path("staging"), "--database", database.conninfo, "--user", "anna"])
    #expect(whole.status == 0, "\(whole.output)\(whole.errors)")
  }

  @Test func theSameFileIsRecognised() throws {
    defer { programs.remove() }
    let path = programs.path("export.xml")
    try Phone().write(to: path)
    let arguments = ["import", path, "--database", database.conninfo, "--user", "anna"]
    #expect(try programs.run(arguments).status == 0)
    let before = try versions()
    // Under another name.
    try FileManager.default.moveItem(atPath: path, toPath: programs.path("other.xml"))
    let again = try programs.run(["import", programs.path("other.xml")] + arguments.dropFirst(2))
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output.contains("import 1"), "\(again.output)")
    #expect(try database.value("SELECT count(*) FROM hk2pg.imports") == "1")
    #expect(try programs.run(["import", programs.path("other.xml"), "--force"] + arguments.dropFirst(2)).status == 0)
    #expect(try database.value("SELECT count(*) FROM hk2pg.imports") == "2")
    #expect(try versions() == before)
  }

  @Test func aRenamedWatchIsRenamedInPlace() throws {
    defer { programs.remove() }
    #expect(try importing(Phone()).run.status == 0)
    let ids = try database.lines("SELECT id, started_at FROM healthkit_metrics ORDER BY 1")
    let (run, report) = try importing(Phone(watch: "Anna’s Ultra", date: "2024-06-08 12:00:00 +0200"))
    #expect(run.status == 0, "\(run.errors)")
    #expect((report.samples("written"), report.changes("changed"), report.changes("removed")) == (0, 600, 0))
    #expect(report.changes("kept_missing") == 0)
    #expect(try database.lines("SELECT id, started_at FROM healthkit_metrics ORDER BY 1") == ids)
    #expect(try database.lines("SELECT DISTINCT source_device FROM healthkit_metrics") == ["Anna’s Ultra"])
  }

  @Test func aRestoredPhoneChangesNothing() throws {
    defer { programs.remove() }
    #expect(try importing(Phone()).run.status == 0)
    let before = try versions()
    // New creation dates, other memory addresses, and exported in another zone and season.
    let (run, report) = try importing(
      Phone(date: "2024-12-01 03:00:00 -0800", created: "2024-11-30 20:00:00 -0800", device: "0x6000bbbb"))
    #expect(run.status == 0, "\(run.errors)")
    #expect(report.samples("already_there") == 600)
    #expect((report.samples("written"), report.changes("changed"), report.changes("removed")) == (0, 0, 0))
    #expect(try versions() == before)
  }

  @Test func anOlderExportAddsOnlyWhatIsAbsent() throws {
    defer { programs.remove() }
    #expect(
      try importing(Phone(date: "2024-06-08 12:00:00 +0200", firstDay: 3, without: [1000], others: [1105: 99])).run
        .status
        == 0)
    let (run, report) = try importing(Phone())
    #expect(run.status == 0, "\(run.errors)")
    // Two days are absent; of the others one sample was deleted and one corrected since.
    #expect(report.samples("written") == 40)
    #expect(report.samples("superseded") == 2)
    #expect(report.samples("already_there") == 558)
    #expect((report.changes("changed"), report.changes("removed")) == (0, 0))
    #expect(report.addsUp)
    #expect(run.output.contains("older than the newest one"), "\(run.output)")
    #expect(try database.value("SELECT count(*) FROM healthkit_metrics WHERE value = 99") == "1")
    #expect(try database.value("SELECT count(*) FROM healthkit_metrics") == "599")
  }

  @Test func whatIsRefusedLeavesNothingBehind() throws {
    defer { programs.remove() }
    #expect(try importing(Phone()).run.status == 0)
    let before = try versions()
    let path = programs.path("thin.xml")
    try Phone(date: "2024-06-08 12:00:00 +0200", firstDay: 5).write(to: path)
    let arguments = ["--database", database.conninfo, "--user", "anna"]
    let run = try programs.run(["import", path, "--missing-rows", "remove"] + arguments)
    #expect(run.status == 1, "\(run.errors)")
    #expect(run.errors.contains("80 of 600 rows"), "\(run.errors)")
    #expect(try versions() == before)
    #expect(try database.lines("SELECT relname FROM pg_class WHERE relname ~ '^incoming'") == [])
    #expect(try database.lines("SELECT state FROM hk2pg.imports ORDER BY import_id") == ["finished", "abandoned"])
    #expect(try stagedFiles() == [])
    let forced = try programs.run(["import", path, "--missing-rows", "remove", "--force"] + arguments)
    #expect(forced.status == 0, "\(forced.errors)")
    #expect(try database.value("SELECT count(*) FROM healthkit_metrics") == "520")
  }

  private func stagedFiles() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: programs.folder.path).filter { $0.contains(".zst") }
  }

  @Test func chunksThatAreToBeKeptAreKeptWhenRefused() throws {
    defer { programs.remove() }
    #expect(try importing(Phone()).run.status == 0)
    let path = programs.path("thin.xml")
    try Phone(date: "2024-06-08 12:00:00 +0200", firstDay: 5).write(to: path)
    let run = try programs.run([
      "import", path, "--missing-rows", "remove", "--database", database.conninfo, "--user", "anna", "--keep-chunks",
      "--staging", programs.path("chunks"),
    ])
    #expect(run.status == 1, "\(run.errors)")
    #expect(try !stagedFiles().isEmpty)
  }
}
