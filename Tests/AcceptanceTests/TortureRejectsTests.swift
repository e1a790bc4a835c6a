import Foundation
import HealthModel
import TestSupport
import Testing

@testable import HK2PGCommand
@testable import ImportFlow

/// Samples that cannot be rows (DESIGN §7.4): counted by reason, written aside with their place, exit 3; the rest loads.
@Suite(.timeLimit(.minutes(20))) struct TortureRejectsTests {
  private static let bad: [(ProblemKind, String)] = [
    (.rejectedNoType, TortureText.record.replacing(#"type="HKQuantityTypeIdentifierStepCount" "#, with: "")),
    (.rejectedNoStart, TortureText.record.replacing(#"startDate="2024-05-01 10:00:00 +0200" "#, with: "")),
    (.rejectedUnreadableStart, TortureText.record.replacing("2024-05-01 10:00", with: "2024-13-01 10:00")),
    (.rejectedNotANumber, TortureText.record.replacing("\"12\"", with: "\"NaN\"")),
    (.rejectedNotANumber, TortureText.record.replacing("\"12\"", with: "\"1e999\"")),
    (.rejectedTypeTooLong, TortureText.record.replacing("StepCount", with: String(repeating: "x", count: 600))),
    (.rejectedKeyTooLong, TortureText.record.replacing("Watch", with: String(repeating: "x", count: 2400))),
  ]

  @Test func eachReasonIsCountedAndTheRestLoads() throws {
    let staged = try StagedExport.xml(TortureText.export(Self.bad.map(\.1).joined() + TortureText.record))
    #expect(staged.rows == [TortureText.row])
    #expect(
      staged.problems == [
        .rejectedNoType: 1, .rejectedNoStart: 1, .rejectedUnreadableStart: 1, .rejectedNotANumber: 2,
        .rejectedTypeTooLong: 1, .rejectedKeyTooLong: 1,
      ])
    #expect(staged.report.samples.read == 8 && staged.report.samples.rejected == 7)
    #expect(staged.exitCode == .doneWithRejects)
  }

  @Test func rejectsStandInTheFileWithTheirPlace() throws {
    let files = try TemporaryFolder()
    let path = "\(files.path)/rejects.jsonl"
    let first = Self.bad[1].1
    let second = Self.bad[3].1
    let body = first + TortureText.record + second
    _ = try StagedExport.xml(TortureText.export(body)) { $0.rejectsPath = path }
    let start = TortureText.head("").utf8.count
    func line(_ offset: Int, _ line: Int, _ reason: String, _ text: String) -> String {
      let escaped = text.drop { $0 == " " }.replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      return #"{"byte_offset":\#(offset),"line":\#(line),"reason":"\#(reason)","text":"\#(escaped)"}"#
    }
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    try #require(lines.count == 2)
    let expected = [
      line(start + 1, 4, "rejectedNoStart", first),
      line(start + (first + TortureText.record).utf8.count + 1, 6, "rejectedNotANumber", second),
    ]
    // What stands between an element and the next one may be part of its text.
    #expect(lines[0].hasPrefix(String(expected[0].dropLast(4))), "\(lines[0])")
    #expect(lines[1].hasPrefix(String(expected[1].dropLast(4))), "\(lines[1])")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: files.path) == ["rejects.jsonl"])
  }

  @Test func tooManyRejectsStopTheRun() throws {
    let body = TortureText.record + Self.bad[1].1 + Self.bad[2].1 + Self.bad[3].1
    let files = try TemporaryFolder()
    let path = try files.write("export.xml", Array(TortureText.export(body).utf8))
    let allowed = try StagedExport(path, in: files) { $0.maxRejects = 3 }
    #expect(allowed.report.samples.rejected == 3)
    let failure = try #require(
      throws: FlowError.self,
      performing: { _ = try StagedExport(path, in: files) { $0.maxRejects = 2 } })
    guard case .tooManyRejects(limit: 2, _) = failure else {
      Issue.record("\(failure)")
      return
    }
  }
}
