import TestSupport
import Testing

@testable import ExportReader

@Suite struct LineCounterTests {
  @Test func ascendingOffsetsHaveTheirLines() throws {
    let folder = try TemporaryFolder()
    let padding = String(repeating: "x", count: 1_500_000)
    let text = "<HealthData>\n<a/>\n<b c=\"\(padding)\n\"/>\n</HealthData>\n"
    let export = try OpenExport.open(path: folder.write("e.xml", Array(text.utf8)))
    var lines = try #require(LineCounter(export))
    #expect(lines.line(at: 0) == 1)
    // A line end belongs to the line that it ends.
    #expect(lines.line(at: 12) == 1 && lines.line(at: 13) == 2 && lines.line(at: 13) == 2)
    #expect(lines.line(at: 1_500_000) == 3)
    #expect(lines.line(at: Int64(text.utf8.count - 1)) == 5)
    #expect(lines.line(at: Int64(text.utf8.count + 1)) == nil)
  }
}
