import Foundation
import PostgresClient
import TestSupport
import Testing

/// Runs that follow other runs: what the ledger and staged chunks may spare, and what they may not.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct RepeatedRunTests {
  private let programs: Programs
  private let database: TestDatabase

  init() throws {
    programs = try Programs()
    database = try TestDatabase()
  }

  private func importing(_ export: String, _ more: String...) -> [String] {
    ["import", export, "--database", database.conninfo, "--user", "anna"] + more
  }

  @Test(arguments: ["healthkit_metrics", "healthkit_daily_summaries"])
  func anEmptiedTableIsFilledAgain(table: String) throws {
    defer { programs.remove() }
    let export = try programs.export("0.5MB")
    #expect(try programs.run(importing(export)).status == 0)
    let before = try Contents.all(of: database.connection)
    _ = try database.execute("TRUNCATE \(table)")
    let again = try programs.run(importing(export))
    #expect(again.status == 0, "\(again.errors)")
    #expect(try Contents.all(of: database.connection) == before)
  }

  @Test func rejectsAreListedWhenAskedForLater() throws {
    defer { programs.remove() }
    let export = programs.path("export.xml")
    try Data(
      """
      <HealthData><Record type="HKQuantityTypeIdentifierStepCount" sourceName="W" unit="count" value="x" \
      startDate="2024-05-01 10:00:00 +0000" endDate="2024-05-01 10:01:00 +0000"/>
      <Record type="HKQuantityTypeIdentifierStepCount" sourceName="W" unit="count" value="5" \
      startDate="2024-05-01 10:00:00 +0000" endDate="2024-05-01 10:01:00 +0000"/></HealthData>
      """.utf8
    ).write(to: URL(fileURLWithPath: export))
    #expect(try programs.run(importing(export)).status == 3)
    let listed = try programs.run(importing(export, "--rejects", programs.path("rejects.jsonl")))
    #expect(listed.status == 3, "\(listed.errors)")
    let text = try String(contentsOfFile: programs.path("rejects.jsonl"), encoding: .utf8)
    #expect(text.contains("rejectedNotANumber"))
  }

  @Test func whatSalvageLeftOutIsNoSuccessForAStrictRun() throws {
    defer { programs.remove() }
    let whole = try Data(contentsOf: URL(fileURLWithPath: programs.export("0.3MB", named: "export.xml")))
    let cut = programs.path("cut.xml")
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: cut))
    #expect(try programs.run(importing(cut, "--salvage")).status == 3)
    #expect(try programs.run(importing(cut)).status == 1)
  }

  @Test func stagedChunksOfAnotherZoneAreNotUsed() throws {
    defer { programs.remove() }
    let first = try programs.export("0.3MB", seed: 1, named: "first.zip")
    let second = try programs.export("0.3MB", seed: 1, named: "second.zip", extra: ["--extra", "10"])
    #expect(try programs.run(importing(first, "--timezone", "UTC")).status == 0)
    // Staged for UTC, and killed before anything was loaded.
    #expect(try programs.run(importing(second), adding: ["HK2PG_FAULT": "after-lease"]).status == 137)
    #expect(try programs.run(importing(first, "--timezone", "Asia/Tokyo")).status == 0)
    let run = try programs.run(importing(second))
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("Asia/Tokyo"))
    #expect(try database.value("SELECT zone FROM hk2pg.user_settings") == "Asia/Tokyo")
  }

  /// The same file is done when it was imported as it is asked for now, and nothing has changed that since.
  @Test func whatWasChangedSinceIsNotTheSame() throws {
    defer { programs.remove() }
    let export = try programs.export("0.3MB")
    func isKnown(_ arguments: String...) throws -> Bool {
      let run = try programs.run(
        ["import", export, "--json", "--database", database.conninfo, "--user", "anna"] + arguments)
      #expect(run.status == 0, "\(run.errors)")
      let report = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
      return report?["same_as_import"] != nil
    }
    #expect(try !isKnown("--timezone", "Asia/Tokyo"))
    #expect(try isKnown("--timezone", "Asia/Tokyo"))
    #expect(try !isKnown("--timezone", "America/New_York"))
    #expect(try !isKnown("--timezone", "Asia/Tokyo"))
    #expect(try database.value("SELECT zone FROM hk2pg.user_settings") == "Asia/Tokyo")
    #expect(try isKnown())
    #expect(try !isKnown("--source-priority", "Nobody"))
    #expect(try isKnown())
    #expect(try !isKnown("--source-priority", ""))
    #expect(try isKnown("--source-priority", ""))
    try database.execute("UPDATE hk2pg.user_settings SET zone = 'Europe/Berlin'")
    #expect(try !isKnown())
    #expect(try isKnown())
  }

  @Test func theRawWindowIsOfLocalDays() throws {
    defer { programs.remove() }
    let export = try programs.export("0.5MB")
    let run = try programs.run(importing(export, "--raw-window", "3d", "--timezone", "America/New_York"))
    #expect(run.status == 0, "\(run.errors)")
    // Exported on 2026-01-15, so the 12th is the first day that is kept: of every type.
    for type in ["HKActivitySummaryTypeIdentifier", "HKQuantityTypeIdentifierActiveEnergyBurned"] {
      let sql =
        "SELECT min(started_at AT TIME ZONE 'America/New_York')::date FROM healthkit_metrics WHERE metric_type = $1"
      #expect(try database.value(sql, [type]) == "2026-01-12", "\(type)")
    }
  }
}
