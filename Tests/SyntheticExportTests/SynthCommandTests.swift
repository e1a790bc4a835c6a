import HealthModel
import Testing

@testable import SyntheticExport

@Suite struct SynthCommandTests {
  @Test(arguments: [
    ("0.1MB", 100_000), ("500MB", 500_000_000), ("1GB", 1_000_000_000), ("10GB", 10_000_000_000), ("64kB", 64_000),
    ("123456", 123_456), ("2e6B", 2_000_000),
  ])
  func readsSizes(text: String, expected: Int) throws {
    #expect(try SynthOptions.byteCount(text) == expected)
  }

  @Test(arguments: ["", "MB", "-1MB", "0", "1TB", "much"])
  func refusesOtherSizes(text: String) {
    #expect(throws: SyntheticExportError.usage("\(text) is no size")) { try SynthOptions.byteCount(text) }
  }

  @Test func readsEveryOption() throws {
    let options = try SynthOptions(parsing: [
      "2MB", "--seed", "9", "--truth", "t.json", "--records-more", "5", "--start", "2025-01-02", "--end", "2025-02-03",
      "--zone", "Asia/Tokyo", "--export-date", "2025-07-01 18:05:09", "--level", "6", "--no-side-files", "out.zip",
    ])
    #expect(options.request.byteCount == 2_000_000)
    #expect(options.request.seed == 9)
    #expect(options.request.extraRecordCount == 5)
    #expect(options.request.firstDay == CivilDay(year: 2025, month: 1, day: 2))
    #expect(options.request.lastDay == CivilDay(year: 2025, month: 2, day: 3))
    #expect(options.request.zoneName == "Asia/Tokyo")
    #expect(options.request.exportDate?.day == CivilDay(year: 2025, month: 7, day: 1))
    #expect(options.request.exportDate?.clock == 65_109)
    #expect(options.truthPath == "t.json" && options.level == 6 && !options.sideFiles && options.isZip)
  }

  @Test(arguments: [
    [], ["1MB"], ["1MB", "a.xml", "b.xml"], ["1MB", "a.txt"], ["1MB", "--seed", "a.xml"], ["1MB", "--what", "1", "-"],
    ["1MB", "--end", "2025-02-30", "-"], ["1MB", "--export-date", "2025-02-03 25:00:00", "-"],
    ["1MB", "--level", "0", "-"],
  ])
  func refusesWrongArguments(arguments: [String]) {
    #expect(throws: SyntheticExportError.self) { try SynthOptions(parsing: arguments) }
    #expect(SynthCommand.run(arguments) == 2)
  }

  @Test func namesTheNearestSizeWhenTheDaysCannotHoldIt() throws {
    var request = ExportRequest(byteCount: 100_000, seed: 1)
    request.firstDay = CivilDay(year: 2025, month: 1, day: 1)
    let error = #expect(throws: SyntheticExportError.self) { try SyntheticExport(request) }
    guard case .sizeOutOfReach(100_000, let nearest, 379) = error else {
      Issue.record("unexpected error \(String(describing: error))")
      return
    }
    #expect(nearest > 1_000_000)
  }

  @Test func refusesMoreExtraRecordsThanAMorningHolds() {
    var request = ExportRequest(byteCount: 100_000, seed: 1)
    request.extraRecordCount = 200_000
    #expect(throws: SyntheticExportError.usage("at most 135000 extra records fit in one morning")) {
      try SyntheticExport(request)
    }
  }
}
