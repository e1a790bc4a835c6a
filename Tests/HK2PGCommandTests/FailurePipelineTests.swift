import ExportReader
import Foundation
import Pipelines
import Testing

@testable import HK2PGCommand

@Suite struct FailurePipelineTests {
  private func text(_ file: String, _ variables: [String: String] = [:]) throws -> String {
    let error = #expect(throws: (any Error).self) { try pipelinePlan(file, [], variables) }
    let sentence = Failure(try #require(error)).text(isDebug: true)
    // The folder of a test has another name every time.
    return sentence.replacing(/\/\S*\/(weekly\.json5)/) { String($0.output.1) }
  }

  @Test func mistakesInAFile() throws {
    let files = [
      "{\n  steps: [\"import\"],\n  fodler: \"/x\",\n}", "{\n  steps: [\"import\"],\n  colour: \"red\",\n}",
      "{ steps: [\"improt\"], export: \"e\" }", "{ steps: [\"import\"]\n  export: \"e\" }", "{ steps: [\"import\"",
      "{ steps: [\"import\"], export: \"e\", raw_window: 30 }",
      "{ steps: [{ run: \"prune\", olderthan: \"30d\" }] }", "{ steps: [{ run: \"prune\", salvage: true }] }",
      "{ steps: [\"import\"], export: \"e\", older_than: \"30d\" }", "{ steps: [\"import\"] }", "{ steps: [] }",
      "{ steps: [\"import\"], export: \"a\", folder: \"b\" }",
      "{ steps: [\"import\"], export: \"e\", user: \"x\", user: \"y\" }",
      "{ steps: [\"import\"], export: \"${HEALTH_EXPORT}\" }", "{ steps: [\"import\"], export: \"${oops\" }",
      "{ steps: [\"import\"], export: \"e\", database: \"postgres://ann:s3cr3t@h/d\" }",
      "{ steps: [\"import\"], export: \"e\", database: \"host=h password=s3cr3t\" }",
      "{ steps: [\"import\"], export: \"e\", rejects: \"/tmp/{user}\" }",
    ]
    let all = try files.map { try text($0) }.joined(separator: "\n")
    #expect(!all.contains("s3cr3t"))
    try expectGolden(all, "pipeline-mistakes.txt")
  }

  @Test func everythingElse() throws {
    let errors: [PipelineError] = [
      .file(path: "p.json5", .unreadable(errno: ENOENT)), .file(path: "p.json5", .unreadable(errno: EACCES)),
      .unusedFlag(.salvage, file: "p.json5"),
      .alreadyRunning(name: "p", holder: "process 7 since 2026-01-01T00:00:00Z"),
      .alreadyRunning(name: "p", holder: nil), .folder(path: "/x", errno: ENOENT), .folder(path: "/x", errno: EACCES),
      .incomplete(path: "/x/e.zip", .damagedZip(path: "/x/e.zip", entry: nil, .noCentralDirectory)),
      .watchNeedsFolder(name: "p.json5"), .unknownUser(path: "x/{user}.zip"), .crashed(status: 139),
      .crashed(status: 9),
      .cohort(.unreadable(path: "l.csv", errno: ENOENT)), .cohort(.empty(path: "x/{user}.zip")),
      .cohort(.badPattern("{user}{user}", .doubledUser)), .cohort(.badPattern("*{user}", .adjacentMarks)),
      .cohort(.badTable(path: "l.csv", line: 3, .doubledUser(firstLine: 2))),
      .cohort(.badTable(path: "l.csv", line: 1, .missingColumn("user"))),
      .cohort(.badTable(path: "l.csv", line: 4, .wrongCount(expected: 2, found: 1))),
    ]
    try expectGolden(
      errors.map { "\(Failure($0).code.rawValue) " + Failure($0).text(isDebug: false) }.joined(),
      "pipeline-failures.txt")
  }
}
