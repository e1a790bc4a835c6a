import Foundation
import HealthModel
import Testing

@testable import ImportFlow

@Suite struct RejectWriterTests {
  private func reject(_ offset: Int64, _ text: String = "<Record/>") -> Reject {
    Reject(kind: .rejectedNoStart, inputOffset: offset, text: Array(text.utf8))
  }

  @Test func linesStandInTheOrderOfTheInput() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).jsonl").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let writer = try RejectWriter(path: path, limit: nil)
    try writer.finish(segment: 2, rejects: [reject(300)])
    try writer.finish(segment: 1, rejects: [])
    try writer.finish(segment: 0, rejects: [reject(10, "<Record a=\"1\"/>"), reject(20)])
    try writer.close()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(
      text == """
        {"byte_offset":10,"reason":"rejectedNoStart","text":"<Record a=\\"1\\"/>"}
        {"byte_offset":20,"reason":"rejectedNoStart","text":"<Record/>"}
        {"byte_offset":300,"reason":"rejectedNoStart","text":"<Record/>"}

        """)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func theLimitStopsTheRun() throws {
    let writer = try RejectWriter(path: nil, limit: 2)
    try writer.finish(segment: 0, rejects: [reject(1), reject(2)])
    #expect(throws: FlowError.tooManyRejects(limit: 2, firstOffset: 3)) {
      try writer.finish(segment: 1, rejects: [reject(3)])
    }
  }

  @Test func anUnwritablePathIsNamed() {
    #expect(throws: FlowError.self) { try RejectWriter(path: "/nowhere/at/all.jsonl", limit: nil) }
  }
}
