import Foundation
import HealthModel
import TestSupport
import Testing

@testable import HK2PGCommand
@testable import ImportFlow

/// What no export is, and what is only left of one: the exact message, nothing written (DESIGN §7.2); with `--salvage`
/// exactly the rows that are whole.
@Suite(.timeLimit(.minutes(20))) struct TortureRefusalTests {
  private static let whole = TortureText.export(TortureText.record)
  /// First byte after `</HealthData>` and its line end.
  private static let end = whole.utf8.count

  static let refusals: [(String, String, String)] = [
    (
      "lfs.xml", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n",
      "lfs.xml is a Git LFS pointer, a stand-in for the real file"
    ),
    ("empty.xml", "", "empty.xml is empty"),
    ("notes.txt", "Dear diary\n", "notes.txt is neither XML nor a zip"),
    (
      "other.xml", "<?xml version=\"1.0\"?>\n<plist a=\"b\"/>",
      "other.xml is XML, but no Health export: its root is <plist>"
    ),
    (
      "export_cda.xml", "<?xml version=\"1.0\"?>\n<ClinicalDocument xmlns=\"urn:hl7-org:v3\"><a/></ClinicalDocument>",
      "export_cda.xml holds the clinical document (export_cda.xml) alone"
    ),
    (
      "latin.xml", whole.replacing("UTF-8", with: "ISO-8859-1"),
      "latin.xml is encoded as ISO-8859-1, and exports are UTF-8"
    ),
    (
      "two.xml", whole + whole,
      // Another XML declaration is passed over, 39 bytes.
      "a second document begins in two.xml, at byte \(end + 39) (line 7)"
    ),
    (
      "roots.xml", whole + "<Record/>\n",
      "a second document begins in roots.xml, at byte \(end) (line 6)"
    ),
    ("after.xml", whole + "lost text", "there is text after the end of after.xml, at byte \(end) (line 6)"),
    (
      "cut.xml", String(whole.dropLast(20)),
      "cut.xml ends too early, at byte \(end - 20) (line 4): it has no </HealthData>"
    ),
    (
      "text.xml", "<?xml version=\"1.0\"?>\n<HealthData>nothing but text</HealthData>",
      "text.xml has text in it, but nothing that could be loaded"
    ),
    (
      "nested.xml", whole.replacing("/>\n</HealthData>", with: "></Workout>\n</HealthData>"),
      "nested.xml is damaged at byte \(end - 16) (line 4): an end tag does not match its start tag"
    ),
  ]

  @Test(arguments: refusals) func isRefusedWithItsReason(name: String, text: String, message: String) throws {
    #expect(try StagedExport.message(name, Array(text.utf8)) == message)
  }

  @Test func otherEncodingsAreNamed() throws {
    let bytes = try #require(Self.whole.data(using: .utf16))
    #expect(
      try StagedExport.message("wide.xml", Array(bytes)) == "wide.xml is encoded as UTF-16, and exports are UTF-8")
  }

  @Test func zipsWithoutAnExportSayWhatTheyHold() throws {
    let clinical = Array("<?xml version=\"1.0\"?>\n<ClinicalDocument><a/></ClinicalDocument>".utf8)
    let cda = ZipBuilder([.init("apple_health_export/export_cda.xml", clinical)]).build()
    #expect(
      try StagedExport.message("cda.zip", cda) == "cda.zip holds the clinical document (export_cda.xml) alone")
    let other = ZipBuilder([.init("a.txt", [1]), .init("b.txt", [2])]).build()
    #expect(
      try StagedExport.message("other.zip", other) == "other.zip is a zip without a Health export among its 2 entries")
    let zip = ZipBuilder([.init("export.xml", Array(Self.whole.utf8))]).build()
    #expect(
      try StagedExport.message("cut.zip", Array(zip.dropLast(30)))
        == "the zip cut.zip is damaged: it ends before its directory")
    var wrong = ZipBuilder.Entry("export.xml", Array(Self.whole.utf8))
    wrong.checksum = 1
    #expect(
      try StagedExport.message("crc.zip", ZipBuilder([wrong]).build())
        == "the zip crc.zip is damaged, entry export.xml: the entry's checksum (CRC) is wrong")
  }

  /// Names are kept in memory, so there is an end to them: the same one for sources, types, units and devices.
  @Test(arguments: ["type=\"T", "sourceName=\"S", "unit=\"u", "device=\"&lt;0x1, name:"])
  func moreNamesThanAnyExportHasAreRefused(attribute: String) throws {
    let record =
      #" <Record type="T" sourceName="S" unit="u" device="&lt;0x1, name:" startDate="2024-05-01 10:00:00 +0200"/>"#
    func export(_ count: Int) -> [UInt8] {
      let end = record.firstRange(of: attribute)?.upperBound ?? record.endIndex
      let records = (0..<count).map { record[..<end] + "\($0)" + record[end...] }
      return Array(TortureText.export(records.joined(separator: "\n")).utf8)
    }
    #expect(
      try StagedExport.message("names.xml", export(45_000))
        == "the export names more sources, types, units and devices than fit into 8.0 MB of memory")
    #expect(try StagedExport.xml(export(1_000)).report.samples.read == 1_000)
  }

  /// A torn file beside the XML is a torn zip: an error, and with salvage a row without it.
  @Test func aTornSideFileIsATornZip() throws {
    var route = ZipBuilder.Entry("e/workout-routes/a.gpx", Array(TortureText.gpx(seconds: [1]).utf8))
    route.checksum = 1
    let xml = TortureText.export(TortureText.route("/workout-routes/a.gpx", from: "10:00:00", to: "10:01:00"))
    let zip = ZipBuilder([.init("e/export.xml", Array(xml.utf8)), route]).build()
    #expect(
      try StagedExport.message("a.zip", zip)
        == "the zip a.zip is damaged, entry e/workout-routes/a.gpx: the entry's checksum (CRC) is wrong")
    let files = try TemporaryFolder()
    let staged = try StagedExport(files.write("a.zip", zip), in: files) { $0.isSalvage = true }
    #expect(staged.problems == [.unreadableSideFile: 1, .salvagedTear: 1] && staged.exitCode == .doneWithRejects)
    #expect(staged.rows(of: "HKWorkoutRouteTypeIdentifier").map { $0.split(separator: "|")[1] } == ["count"])
  }

  /// Cut anywhere it is an error, and salvage gives what was whole before the cut.
  @Test func truncatedAtAnyByte() throws {
    let files = try TemporaryFolder()
    let bytes = Array(Self.whole.utf8)
    let rootStart = Self.whole.utf8.distance(
      from: Self.whole.utf8.startIndex, to: try #require(Self.whole.firstRange(of: "<HealthData")).lowerBound)
    let recordEnd = bytes.count - "\n</HealthData>\n".utf8.count
    for count in 0..<bytes.count - 1 {
      let path = try files.write("cut.xml", Array(bytes[..<count]))
      let message = try StagedExport.message(of: path, in: files)
      #expect(message != "no error", "\(count) bytes")
      if count > rootStart + 12 {
        #expect(message.hasPrefix("cut.xml ends too early, at byte"), "\(count): \(message)")
      }
    }
    for count in [recordEnd - 1, recordEnd, recordEnd + 5] {
      let staged = try StagedExport.xml(Array(bytes[..<count])) { $0.isSalvage = true }
      #expect(staged.rows == (count < recordEnd ? [] : [TortureText.row]), "\(count) bytes")
      #expect(staged.report.export.isSalvaged && staged.exitCode == .doneWithRejects)
    }
  }

  @Test func salvageLeavesOutTheTornElement() throws {
    let torn = TortureText.record.replacing("/>\n", with: "></Wrong>\n")
    let last = TortureText.record.replacing("10:0", with: "11:0")
    let staged = try StagedExport.xml(TortureText.export(TortureText.record + torn + last)) { $0.isSalvage = true }
    #expect(staged.rows == [TortureText.row, TortureText.row.replacing("08:0", with: "09:0")])
    #expect(staged.report.samples.read == 3 && staged.report.samples.rejected == 1)
    #expect(staged.problems[.rejectedMalformed] == 1 && staged.exitCode == .doneWithRejects)
  }
}
