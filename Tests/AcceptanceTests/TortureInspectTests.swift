import BoundedQueues
import Foundation
import HealthModel
import TestSupport
import Testing

@testable import HK2PGCommand
@testable import ImportFlow

/// What `inspect` says of a small export, and that it leaves nothing behind; what the main XML may be called.
@Suite(.timeLimit(.minutes(20))) struct TortureInspectTests {
  private static func record(_ type: String, _ unit: String, _ start: String, _ more: String = "") -> String {
    #" <Record type="\#(type)" sourceName="Watch" unit="\#(unit)" startDate="\#(start) +0200" endDate="\#(start) +0200" "#
      + #"value="1"\#(more)/>"# + "\n"
  }

  /// ExportDate is 2024-06-01: the 30 days before it begin on 2 May.
  private static let body =
    record("HKQuantityTypeIdentifierBodyMass", "lb", "2024-05-01 10:00:00")
    + record("HKQuantityTypeIdentifierBodyMass", "kg", "2024-05-20 10:00:00", #" mood="calm""#)
    + record("HKQuantityTypeIdentifierBodyMass", "kg", "2024-05-20 10:00:00")
    + record("HKQuantityTypeIdentifierHeartRate", "count/min", "2024-05-21 10:00:00").replacing(
      "value=\"1\"/>", with: #"value="1"><MetadataEntry key="HKTimeZone" value="Asia/Kathmandu"/></Record>"#)
    + record("HKQuantityTypeIdentifierHeartRate", "count/min", "never")

  private func inspect(_ path: String, in files: TemporaryFolder) throws -> ImportReport {
    var settings = ImportSettings(exportPath: path, user: "anna", isUserExplicit: true, jobs: 2)
    settings.stagingPath = "\(files.path)/work"
    return try ImportFlow.inspect(settings, interruption: Interruption(), progress: { _ in })
  }

  @Test func saysWhatAnExportHoldsAndWritesNothing() throws {
    let files = try TemporaryFolder()
    let path = try files.write("export.xml", Array(TortureText.export(Self.body).utf8))
    let report = try inspect(path, in: files)
    #expect(report.database == nil && report.samples.isBalanced)
    #expect(
      report.samples.read == 5 && report.samples.written == 3 && report.samples.repeats == 1
        && report.samples.rejected == 1)
    #expect(report.zone?.name == "Asia/Kathmandu")
    let types = report.types.map { type in
      "\(type.metricType.dropFirst(24)) \(type.rows) \(type.first.formatted(.iso8601)) \(type.last.formatted(.iso8601)) "
        + type.units.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    }
    #expect(
      types == [
        "BodyMass 2 2024-05-01T08:00:00Z 2024-05-20T08:00:00Z kg=2,lb=1",
        "HeartRate 1 2024-05-21T08:00:00Z 2024-05-21T08:00:00Z count/min=1",
      ])
    #expect(report.sources.map { "\($0.name) \($0.samples)" } == ["Watch 4"])
    // Behind the head, and the indent of the first record.
    let offsets = Self.body.utf8.split(separator: UInt8(ascii: "\n")).reduce(into: [TortureText.head("").utf8.count + 1]
    ) {
      $0.append($0.last! + $1.count + 1)
    }
    #expect(
      report.problems.map { "\($0.kind.rawValue) \($0.count) \($0.firstOffset)" } == [
        "unknownAttribute 1 \(offsets[1])", "rejectedUnreadableStart 1 \(offsets[4])",
      ])
    #expect(report.unknownNames == ["Record/@mood": 1])
    // Three rows and three summaries; two of the rows lie in the last 30 days.
    #expect(report.sizes.forecastAllRows == 3 && report.sizes.forecastWindowRows == 2 && report.summaries.days == 3)
    #expect(report.sizes.forecastAllBytes == 3 * 430 + 3 * 330 && report.sizes.forecastWindowBytes == 2 * 430 + 3 * 330)
    let left = try FileManager.default.contentsOfDirectory(atPath: files.path)
    #expect(left.filter { $0 != "export.xml" && $0 != "work" } == [])
    #expect(((try? FileManager.default.contentsOfDirectory(atPath: "\(files.path)/work")) ?? []).isEmpty)

    let text = ReportText(report: report).text
    #expect(text.contains("export.xml holds 5 samples, 2024-05-01 to 2024-05-21"))
    #expect(text.contains("1  attribute nobody knows yet (first at byte \(offsets[1]))"))
    #expect(text.contains("2.3 kB in the database with all 3 raw rows, 1.9 kB with the 2 raw rows of --raw-window 30d"))
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(ReportJSON.text(report).utf8)) as? [String: Any])
    #expect((json["types"] as? [Any])?.count == 2 && (json["problems"] as? [Any])?.count == 2)
  }

  /// Every translation that is known (and some that are not), with and without the flag for UTF-8, composed or not.
  @Test(
    arguments: [
      "export.xml", "Export.xml", "Exportieren.xml", "exportation.xml", "exportar.xml", "exportación.xml",
      "esportazione.xml", "esporta.xml", "eksport.xml", "vienti.xml", "экспорт.xml", "書き出したデータ.xml", "エクスポート.xml",
      "내보내기.xml", "导出.xml", "輸出.xml", "ייצוא.xml", "dışa aktar.xml", "exporteren.xml",
    ])
  func theMainFileIsFoundUnderAnyName(name: String) throws {
    let files = try TemporaryFolder()
    let xml = Array(TortureText.export(TortureText.record).utf8)
    let clinical = Array(
      "<?xml version=\"1.0\"?>\n<ClinicalDocument>\(String(repeating: " ", count: 2000))</ClinicalDocument>".utf8)
    for (number, spelling) in [name, name.decomposedStringWithCanonicalMapping].enumerated() {
      for flags in [0, 0x800] {
        var entry = ZipBuilder.Entry("apple_health_export/\(spelling)", xml)
        entry.flags = flags
        let other = ZipBuilder.Entry("apple_health_export/\(spelling.replacing(".xml", with: "_cda.xml"))", clinical)
        let path = try files.write("\(number)-\(flags).zip", ZipBuilder([other, entry]).build())
        let report = try inspect(path, in: files)
        #expect(report.samples.read == 1 && report.samples.written == 1, "\(spelling) \(flags)")
      }
    }
  }
}
