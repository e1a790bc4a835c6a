import Foundation
import HealthModel
import Staging
import SyntheticExport
import TestSupport
import Testing

@testable import HK2PGCommand
@testable import ImportFlow

/// One export in every container it comes in: always the same rows, points and voltages.
@Suite(.timeLimit(.minutes(20))) struct TortureContainerTests {
  private static let xml = Array(
    TortureText.export(
      TortureText.record + TortureText.route("/workout-routes/route_1.gpx", from: "10:00:00", to: "10:01:00")
        + TortureText.clinical("Condition", "a.json")
    ).utf8)
  private static let sideFiles: [(name: String, content: [UInt8])] = [
    ("workout-routes/route_1.gpx", Array(TortureText.gpx(seconds: [1, 2, 70]).utf8)),
    ("electrocardiograms/ecg_2024-05-03.csv", Array(TortureText.germanECG.utf8)),
    ("clinical-records/a.json", Array(#"{"resourceType":"Condition"}"#.utf8)),
  ]
  private static let clinical = Array("<?xml version=\"1.0\"?><ClinicalDocument/><component/>".utf8)

  private static func entries(
    _ folder: String, main: String = "export.xml", _ change: (inout ZipBuilder.Entry) -> Void = { _ in }
  ) -> [ZipBuilder.Entry] {
    let files = [(main, xml), ("export_cda.xml", clinical)] + sideFiles
    return files.map { name, content in
      var entry = ZipBuilder.Entry(folder + name, content)
      change(&entry)
      return entry
    }
  }

  private static func zip(_ entries: [ZipBuilder.Entry], zip64: Bool = false) -> [UInt8] {
    var builder = ZipBuilder(entries)
    builder.hasZip64End = zip64
    return builder.build()
  }

  private static let litter = [
    ZipBuilder.Entry("__MACOSX/apple_health_export/._export.xml", Array("Mac".utf8)),
    ZipBuilder.Entry("apple_health_export/.DS_Store", [0]),
  ]

  static let containers: [(String, [UInt8])] = [
    ("deflated", zip(entries("apple_health_export/"))),
    ("stored", zip(entries("apple_health_export/") { $0.method = 0 })),
    ("data descriptors", zip(entries("apple_health_export/") { $0.descriptor = .signed })),
    (
      "data descriptors, stored",
      zip(
        entries("apple_health_export/") {
          $0.descriptor = .bare
          $0.method = 0
        })
    ),
    ("ZIP64", zip(entries("apple_health_export/") { $0.isZip64 = true }, zip64: true)),
    ("flat", zip(entries(""))),
    ("deeper", zip(entries("Downloads/apple_health_export/"))),
    ("with __MACOSX", zip(litter + entries("apple_health_export/"))),
    ("English name", zip(entries("apple_health_export/", main: "Export.xml"))),
    ("Chinese names", zip(entries("apple_health_export/", main: "导出.xml"))),
    ("Japanese names, flagged", zip(entries("apple_health_export/", main: "エクスポート.xml") { $0.flags = 0x800 })),
    ("Japanese names, decomposed", zip(entries("ヘルスケア/", main: "書き出したデータ.xml".decomposedStringWithCanonicalMapping))),
    ("German name", zip(entries("apple_health_export/", main: "Exportieren.xml"))),
    (
      "names that lead out",
      zip([.init("../../etc/evil.gpx", [1]), .init("/abs.csv", [1])] + entries("apple_health_export/"))
    ),
  ]

  private func expectAll(_ staged: StagedExport, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let digest = try staged.pointDigests.first ?? "?"
    let expected: [String] = [
      """
      HKClinicalTypeIdentifierConditionRecord|||Clinic|2024-05-02T07:00:00Z||{"fhir_version":"4.0.1","identifier":"a.json",\
      "resource":{"resourceType":"Condition"},"source_url":"https://clinic.example/1"}
      """,
      """
      HKDataTypeIdentifierElectrocardiogram|||Watch6,7|2024-05-03T05:00:00Z|2024-05-03T05:00:00.007805Z|\
      {"classification":"Sinusrhythmus","device":"Watch6,7","lead":"Ableitung I","sample_rate_hz":512.5,"software_version":"2.10"}
      """,
      TortureText.row,
      """
      HKWorkoutRouteTypeIdentifier|2|count|Watch|2024-05-01T08:00:00Z|2024-05-01T08:01:00Z|\
      {"bounds":[8.001,50,8.002,50],"distance_meters":71.47,"file":"/workout-routes/route_1.gpx","file_digest":"\(digest)"}
      """,
      """
      HKWorkoutTypeIdentifier|120|seconds|Watch|2024-05-01T08:00:00Z|2024-05-01T08:01:00Z|\
      {"duration_seconds":120,"routes":[{"ended_at":"2024-05-01T08:01:00Z","file":"/workout-routes/route_1.gpx",\
      "started_at":"2024-05-01T08:00:00Z"}],"workout_type":"HKWorkoutActivityTypeWalking"}
      """,
    ]
    #expect(staged.rows == expected, sourceLocation: sourceLocation)
    #expect(try staged.routePoints.count == 3 && staged.recordings.count == 1, sourceLocation: sourceLocation)
    #expect(staged.problems.isEmpty && staged.exitCode == .done, sourceLocation: sourceLocation)
  }

  @Test(arguments: containers) func holdsTheSameRows(name: String, bytes: [UInt8]) throws {
    let files = try TemporaryFolder()
    try expectAll(StagedExport(files.write("export.zip", bytes), in: files))
    // Content tells, not the name.
    try expectAll(StagedExport(files.write("export.xml", bytes), in: files))
  }

  @Test func foldersAndFilesBesideAnXMLDoAsWell() throws {
    let files = try TemporaryFolder()
    for (name, content) in Self.sideFiles + [("Export.xml", Self.xml), ("export_cda.xml", Self.clinical)] {
      _ = try files.write("apple_health_export/\(name)", content)
    }
    try expectAll(StagedExport("\(files.path)/apple_health_export", in: files))
    try expectAll(StagedExport("\(files.path)/apple_health_export/Export.xml", in: files))
  }

  @Test func theXMLAloneLoadsWithoutItsFiles() throws {
    let staged = try StagedExport.xml(Self.xml)
    #expect(staged.rows.count == 4 && staged.problems == [.missingSideFile: 2] && staged.exitCode == .done)
    #expect(staged.report.sideFiles == ImportReport.SideFiles())
  }

  @Test func theSampleAndALargerExportDoNotDependOnJobs() throws {
    let files = try TemporaryFolder()
    let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("samples/export.zip").path
    // The comparison is in `StagedExport`.
    #expect(try StagedExport(sample, in: files).rows.count > 10_000)
    let path = "\(files.path)/synthetic.zip"
    _ = try SyntheticExport(ExportRequest(byteCount: 5_000_000, seed: 7)).writeZip(
      path: path, level: 1, sideFiles: true)
    let staged = try StagedExport(path, in: files)
    #expect(staged.rows.count > 5_000)
    let sides = try #require(staged.report.sideFiles)
    #expect(sides.routes.found == sides.routes.used && sides.electrocardiograms.found == sides.electrocardiograms.used)
  }
}
