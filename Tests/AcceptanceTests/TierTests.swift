import Foundation
import PostgresClient
import TestSupport
import Testing

/// Raw rows and daily summaries with the real programs (DESIGN §4).
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct TierTests {
  private func json(_ run: CommandRun) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any] ?? [:]
  }

  private func summaries(_ database: TestDatabase) throws -> [String] {
    try database.lines("SELECT (t.*)::text FROM (\(Contents.summaries)) t ORDER BY 1")
  }

  private func versions(_ database: TestDatabase) throws -> [String] {
    try database.lines("SELECT id::text || xmin::text || ctid::text FROM healthkit_daily_summaries ORDER BY 1")
  }

  // MARK: The same fold

  @Test func summarizeGivesWhatTheImportGaveAndBothAreTrue() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let export = try programs.export("6MB", seed: 7, extra: ["--truth", programs.path("truth.json")])
    let truth = try Truth(path: programs.path("truth.json"))
    let target = ["--database", database.conninfo, "--user", "anna"]
    let imported = try programs.run(["import", export, "--timezone", truth.zone] + target)
    #expect(imported.status == 0, "\(imported.errors)")

    for (type, key) in [
      ("HKQuantityTypeIdentifierStepCount", "steps"),
      ("HKQuantityTypeIdentifierActiveEnergyBurned", "active_energy_kcal"),
      ("HKCategoryTypeIdentifierSleepAnalysis", "asleep_min"),
    ] {
      let sums = try database.query(
        "SELECT summary_date::text AS day, sum_value FROM healthkit_daily_summaries WHERE metric_type = $1", [type])
      let found = Dictionary(
        uniqueKeysWithValues: try sums.rows.map { (try $0.text("day"), try $0.optionalDouble("sum_value") ?? 0) })
      let wrong = truth.days.filter { day, values in
        let expected = values[key] ?? 0
        return abs((found[day] ?? 0) - expected) > 0.01 * expected
      }
      #expect(truth.days.count > 5)
      #expect(wrong.isEmpty, "\(type): \(wrong.keys.sorted().prefix(3).map { "\($0): \(found[$0] ?? 0)" })")
    }

    let (before, known) = (try versions(database), try summaries(database))
    let run = try programs.run(["summarize", "--json"] + target)
    #expect(run.status == 0, "\(run.errors)")
    let report = try json(run)
    let counts = report["summaries"] as? [String: Int] ?? [:]
    #expect(counts["written"] == 0 && counts["removed"] == 0 && counts["kept"] == 0, "\(counts)")
    #expect(counts["recomputed"] == before.count)
    #expect(report["zone"] as? String == truth.zone)
    #expect(try versions(database) == before)

    // Everything anew from the raw rows, row for row.
    try database.execute("DELETE FROM healthkit_daily_summaries")
    let anew = try programs.run(["summarize"] + target)
    #expect(anew.status == 0, "\(anew.errors)")
    #expect(anew.output.contains("\(truth.zone) (from hk2pg.user_settings)"), "\(anew.output)")
    #expect(try summaries(database) == known)
  }

  // MARK: Source priority

  /// Steps of a Watch and an iPhone that overlap by half.
  private func twoDevices(_ programs: Programs) throws -> String {
    let path = programs.path("export.xml")
    let records = [
      ("Jane’s Watch", "Watch", "10:00:00", "10:10:00", 100), ("Jane’s iPhone", "iPhone", "10:05:00", "10:15:00", 60),
    ].map { name, device, start, end, steps in
      """
       <Record type="HKQuantityTypeIdentifierStepCount" sourceName="\(name)" unit="count" \
      device="&lt;&lt;HKDevice: 0x1&gt;, name:\(device), manufacturer:Apple Inc., model:\(device)&gt;" \
      startDate="2024-05-01 \(start) +0200" endDate="2024-05-01 \(end) +0200" value="\(steps)"/>
      """
    }
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <HealthData locale="en_DE">
       <ExportDate value="2024-05-03 12:00:00 +0200"/>
      \(records.joined(separator: "\n"))
      </HealthData>
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func sourcePriorityChangesSumsAndIsKeptAndShown() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let export = try twoDevices(programs)
    let target = ["--database", database.conninfo, "--user", "anna", "--timezone", "Europe/Berlin"]
    func sum() throws -> String? { try database.value("SELECT sum_value FROM healthkit_daily_summaries") }
    func stored() throws -> String? { try database.value("SELECT source_priority::text FROM hk2pg.user_settings") }

    let plain = try programs.run(["import", export] + target)
    #expect(plain.status == 0, "\(plain.errors)")
    // The Watch's 100, and the half of 60 that it did not see.
    #expect(try sum() == "130")
    #expect(plain.output.contains("Jane’s Watch > Jane’s iPhone"), "\(plain.output)")

    let other = try programs.run(
      ["import", export, "--source-priority", "Jane's iPhone,Jane’s iPhone", "--report", programs.path("r.json")]
        + target)
    #expect(other.status == 0, "\(other.errors)")
    // The iPhone's 60, and the half of 100 before it.
    #expect(try sum() == "110")
    let report = try Report(path: programs.path("r.json"))
    #expect(report.json["source_ranking"] as? [String] == ["Jane’s iPhone", "Jane’s Watch"])
    #expect(other.output.contains("Jane’s iPhone > Jane’s Watch"), "\(other.output)")
    // A straight apostrophe names nobody, and that is said.
    #expect(other.output.contains("“Jane's iPhone”"), "\(other.output)")
    #expect(try stored() == #"{"": ["Jane's iPhone", "Jane’s iPhone"]}"#)

    // The stored ranks hold from then on, until others are given; per type, too.
    #expect(try programs.run(["summarize"] + target).status == 0)
    #expect(try sum() == "110")
    let perType = "HKQuantityTypeIdentifierStepCount=Jane’s Watch"
    let changed = try programs.run(["summarize", "--source-priority", perType] + target)
    #expect(changed.status == 0, "\(changed.errors)")
    #expect(try sum() == "130")
    #expect(try stored() == #"{"HKQuantityTypeIdentifierStepCount": ["Jane’s Watch"]}"#)

    // An empty list empties them: the iPhone's list of the first import is not the one in force any more.
    #expect(try programs.run(["import", export, "--source-priority", "Jane’s iPhone"] + target).status == 0)
    #expect(try sum() == "110")
    let emptied = try programs.run(["import", export, "--source-priority", ""] + target)
    #expect(emptied.status == 0, "\(emptied.errors)")
    #expect(try sum() == "130")
    #expect(try stored() == "{}")
    #expect(try programs.run(["summarize", "--source-priority", "Jane’s iPhone"] + target).status == 0)
    #expect(try sum() == "110")
    #expect(try programs.run(["summarize", "--source-priority", ""] + target).status == 0)
    #expect(try sum() == "130")
    #expect(try stored() == "{}")
  }

  // MARK: Pruning

  @Test func prunedRowsStayAwayAndDailyFiguresStay() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let export = try programs.export("3MB", seed: 3)
    let target = ["--database", database.conninfo, "--user", "anna"]
    #expect(try programs.run(["import", export] + target).status == 0)
    let known = try summaries(database)
    let view = "SELECT (t.*)::text FROM v_healthkit_daily_quantity t ORDER BY 1"
    let days = try database.lines(view)
    let rows = try Int(database.value("SELECT count(*) FROM healthkit_metrics") ?? "") ?? 0

    let dry = try programs.run(["prune", "--older-than", "30d", "--dry-run", "--json"] + target)
    #expect(dry.status == 0, "\(dry.errors)")
    let planned = try json(dry)["rows"] as? Int ?? 0
    #expect(planned > rows / 2)
    #expect(try database.value("SELECT count(*) FROM healthkit_metrics") == "\(rows)")

    let run = try programs.run(["prune", "--older-than", "30d", "--json"] + target)
    #expect(run.status == 0, "\(run.errors)")
    let report = try json(run)
    #expect(report["rows"] as? Int == planned)
    #expect((report["skipped"] as? [Any])?.isEmpty == true, "\(run.output.prefix(2000))")
    #expect(report["vacuumed"] as? Bool == true)
    #expect(try database.value("SELECT count(*) FROM healthkit_metrics") == "\(rows - planned)")
    #expect(try database.lines(view) == days)
    #expect(
      try database.value(
        "SELECT count(*) FROM healthkit_metrics WHERE metric_type ~ '^HKCorrelation|Route|Electro|ActivitySummary'")
        != "0")

    // The same file again, looked at as if it were new.
    let again = try programs.run(["import", export, "--force", "--report", programs.path("r.json")] + target)
    #expect(again.status == 0, "\(again.errors)")
    let imported = try Report(path: programs.path("r.json"))
    #expect(imported.addsUp, "\(imported.json)")
    #expect(imported.samples("written") == 0)
    #expect(imported.samples("withheld") == planned)
    #expect(try database.value("SELECT count(*) FROM healthkit_metrics") == "\(rows - planned)")
    #expect(try summaries(database) == known)
    let summarized = try programs.run(["summarize", "--json"] + target)
    #expect((try json(summarized)["summaries"] as? [String: Int])?["written"] == 0, "\(summarized.output)")
    #expect(try summaries(database) == known)
    #expect(try database.lines(view) == days)
  }

  @Test func mistakesAreUsageErrors() throws {
    let programs = try Programs()
    defer { programs.remove() }
    for arguments in [
      ["prune"], ["prune", "--older-than", "all"], ["prune", "--older-than", "30"],
      ["summarize", "--days", "2024-01-01"],
      ["summarize", "--days", "2024-02-30..2024-03-01"], ["summarize", "--days", "2024-03-01..2024-02-01"],
      ["summarize", "--days", "2024-01-01..2024-01-02", "--timezone", "UTC"],
      ["summarize", "--timezone", "Mars/Phobos"],
    ] {
      let run = try programs.run(arguments + ["--user", "anna"])
      #expect(run.status == 2, "\(arguments): \(run.errors)")
    }
    // No database and no user were made to find that out.
    let nothing = try programs.run(["prune", "--older-than", "30d"])
    #expect(nothing.status == 2, "\(nothing.errors)")
    #expect(try programs.run(["summarize", "--user", "anna"]).status == 2)
    #expect(!FileManager.default.fileExists(atPath: programs.path("xdg_data_home/hk2pg")))
  }
}

/// What the generator knows of each day.
private struct Truth {
  let zone: String
  let days: [String: [String: Double]]

  init(path: String) throws {
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
    guard let json = object as? [String: Any], let zone = json["zone"] as? String,
      let days = json["days"] as? [[String: Any]]
    else { throw Programs.Failure("no truth in \(path)") }
    self.zone = zone
    self.days = Dictionary(
      uniqueKeysWithValues: days.compactMap { day in
        (day["day"] as? String).map { ($0, day.compactMapValues { ($0 as? NSNumber)?.doubleValue }) }
      })
  }
}
