import Foundation
import Testing

@testable import HK2PGCommand
@testable import Loading

@Suite struct StatusReportTests {
  private func record(_ number: Int, _ state: ImportRecord.State) -> ImportRecord {
    var record = ImportRecord(
      importID: number, userID: "6f1c2a34-0000-4000-8000-00000000000a", state: state, exportName: "export.zip",
      exportDate: "2025-11-30T13:00:00Z", zone: "Europe/Berlin", startedAt: "2025-11-30T14:00:12Z", copiedRows: 0)
    if state == .finished {
      record.finishedAt = "2025-11-30T14:01:17Z"
      var outcome = LoadOutcome()
      outcome.new = 2_400_113
      outcome.changed = 12
      record.outcome = outcome
    } else {
      record.copiedRows = 1_310_720
    }
    return record
  }

  private let leftover = Leftover(importID: 13, tables: ["incoming_13", "incoming_13_days"], byteCount: 810_000_000)

  private var report: StatusReport {
    StatusReport(
      of: "health on localhost:5432 as ann",
      imports: [record(14, .running), record(13, .broken), record(12, .finished), record(11, .abandoned)],
      leftovers: [leftover], cleaned: nil)
  }

  @Test func golden() throws { try expectGolden(report.text(), "status.txt") }

  @Test func jsonGolden() throws { try expectGolden(try ReportJSON.text(report), "status.json") }

  @Test func cleaningIsTold() {
    var report = report
    report.cleaned = [StatusReport.Remains(leftover)]
    #expect(report.text().hasSuffix("Removed 810 MB of work tables: import 13.\n"))
    report.cleanedFolders = ["/c/import-1"]
    #expect(report.text().hasSuffix("import 13.\nRemoved the work folder /c/import-1.\n"))
    report.cleanedFolders = []
    report.cleaned = []
    #expect(report.text().hasSuffix("Nothing was left to clean up.\n"))
  }

  @Test func anEmptyLedgerIsSaidPlainly() {
    let report = StatusReport(of: "d", imports: [], leftovers: [], cleaned: nil)
    #expect(report.text() == "Database: d\n\nNo imports yet: hk2pg import EXPORT\n")
  }

  @Test func manyImportsAreCutShort() {
    let report = StatusReport(
      of: "d", imports: (1...25).map { record($0, .finished) }, leftovers: [], cleaned: nil)
    #expect(report.text().contains("  and 5 more: see --json\n"))
  }
}
