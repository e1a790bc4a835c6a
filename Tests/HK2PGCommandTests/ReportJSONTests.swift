import Foundation
import Testing

@testable import HK2PGCommand

@Suite struct ReportJSONTests {
  @Test func golden() throws { try expectGolden(try ReportJSON.text(madeUpReport()), "report-import.json") }

  @Test func namesOfTypesAndUnitsStayAsTheyAre() throws {
    let text = try ReportJSON.text(madeUpReport())
    let root = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let samples = try #require(root["samples"] as? [String: Int])
    #expect(
      Set(samples.keys) == [
        "read", "written", "already_there", "repeats", "superseded", "aside_for_live", "withheld", "rejected",
      ])
    #expect((root["unknown_names"] as? [String: Int])?["Record@mood"] == 5)
    #expect((root["types"] as? [[String: Any]])?.count == 18)
  }

  @Test func aReportIsWrittenWholeOrNotAtAll() throws {
    try withFolder { folder throws in
      try ReportJSON.write("old", to: folder + "/r.json")
      try ReportJSON.write("new", to: folder + "/r.json")
      #expect(try String(contentsOfFile: folder + "/r.json", encoding: .utf8) == "new")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["r.json"])
      #expect(throws: ReportFileError.self) { try ReportJSON.write("x", to: folder + "/no/r.json") }
    }
  }
}
