import Foundation
import HealthModel
import Testing

@testable import HK2PGCommand
@testable import ImportFlow

@Suite struct ReportTextTests {
  @Test func importGolden() throws {
    var text = ReportText(report: madeUpReport())
    text.psql = "hk2pg db psql"
    try expectGolden(text.text, "report-import.txt")
  }

  @Test func inspectGolden() throws {
    var report = madeUpReport("inspect")
    report.database = nil
    report.user = nil
    report.sizes = .init()
    withoutDatabase(&report)
    report.sizes.forecastAllBytes = 1_150_000_000
    report.sizes.forecastWindowBytes = 61_000_000
    report.sizes.forecastAllRows = 2_400_113
    report.sizes.forecastWindowRows = 30_123
    var text = ReportText(report: report)
    text.exportPath = "My Export.zip"
    try expectGolden(text.text, "report-inspect.txt")
  }

  @Test func stageGolden() throws {
    var report = madeUpReport("stage")
    report.database = nil
    report.sizes = .init()
    withoutDatabase(&report)
    report.sizes.stagedBytes = 150_000_000
    var text = ReportText(report: report)
    text.chunkFolder = "chunks"
    try expectGolden(text.text, "report-stage.txt")
  }

  /// Figures that only a database can give.
  private func withoutDatabase(_ report: inout ImportReport) {
    report.samples.read -= report.samples.alreadyThere + report.samples.asideForLive
    report.samples.alreadyThere = 0
    report.samples.asideForLive = 0
    report.changes.changed = 0
    report.changes.removed = 0
    report.changes.keptMissing = 0
    report.summaries.unchanged = 0
    report.notes = []
  }

  @Test func theSameFileAgain() throws {
    var report = ImportReport(
      command: "import", hk2pgVersion: "0.1.0", export: .init(name: "export.zip", byteCount: 1_000))
    report.sameAsImport = .init(importNumber: 12, finishedAt: date(2025, 11, 30, 13), written: 2_400_113)
    try expectGolden(ReportText(report: report).text, "report-same.txt")
  }

  @Test func anExportWithoutSamplesIsSaidPlainly() {
    let report = ImportReport(
      command: "import", hk2pgVersion: "0.1.0", export: .init(name: "export.zip", byteCount: 1_000))
    #expect(ReportText(report: report).text.hasPrefix("Loaded export.zip: a whole export, without any sample\n"))
  }

  @Test func aSumThatDoesNotAddUpIsLoud() {
    var report = madeUpReport()
    #expect(report.samples.isBalanced)
    #expect(ReportText(report: report).text.contains("  = 2,611,004  read"))
    report.samples.written += 1
    #expect(ReportText(report: report).text.contains("do not add up"))
  }

  @Test func noLineEndsInBlanksOrObeysTheExport() {
    let text = ReportText(report: madeUpReport()).text
    for line in text.split(separator: "\n") {
      #expect(!line.hasSuffix(" "), "\(line)")
      #expect(line.count <= 110, "\(line)")
    }
    #expect(!text.contains("\u{1B}"))
    #expect(text.contains("?[31mTrap"))
  }

  @Test func colourIsForTerminals() {
    let text = ReportText(report: madeUpReport(), paint: Paint(isOn: true)).text
    #expect(text.contains("\u{1B}[1mSamples\u{1B}[0m"))
    #expect(text.contains("\u{1B}[33mRejected\u{1B}[0m"))
  }
}
