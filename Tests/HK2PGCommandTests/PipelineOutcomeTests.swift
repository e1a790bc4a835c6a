import Foundation
import Testing

@testable import HK2PGCommand

@Suite struct PipelineOutcomeTests {
  private func outcome(_ steps: [StepOutcome], export: String? = "/x/export.zip") throws -> PipelineOutcome {
    let plan = try pipelinePlan("{ steps: [\"import\"], export: \"e\" }")
    var outcome = PipelineOutcome(plan, .init(export: export, user: "ann"))
    outcome.steps = steps
    outcome.seconds = 12
    return outcome
  }

  private func step(_ command: CommandName, _ result: String, _ code: ExitCode = .done) -> StepOutcome {
    var step = StepOutcome(command: command, code: code)
    step.result = result
    return step
  }

  @Test func oneLine() throws {
    let loaded = step(.importExport, try ReportJSON.text(madeUpReport()), .doneWithRejects)
    let pruned = step(.prune, #"{"rows": 1200, "dry_run": false}"#)
    #expect(
      try outcome([loaded, pruned]).line
        == "weekly: export.zip: 2,400,113 new, 12 changed, 3 removed, 190,000 already there, "
        + "60 left to another program, 9,900 withheld, 9 rejected; 1,200 raw rows pruned; 12 s (exit code 3)\n")
    let same = step(
      .importExport, #"{"same_as_import": {"import_number": 7, "finished_at": "2026-11-29T03:30:00Z", "written": 5}}"#)
    #expect(try outcome([same]).line == "weekly: export.zip: nothing new, imported on 2026-11-29 (import 7); 12 s\n")
    #expect(
      try outcome([step(.importExport, "", .refused)]).line == "weekly: export.zip: import failed; 12 s (exit code 4)\n"
    )
    #expect(
      try outcome([step(.summarize, #"{"summaries": {"written": 1}}"#)], export: nil).line
        == "weekly: 1 summary rewritten; 12 s\n")
    #expect(try outcome([step(.stage, #"{"samples": {"written": 3}}"#)]).line.contains("staged 3 rows"))
    #expect(try outcome([step(.inspect, #"{"samples": {"read": 3}}"#)]).line.contains("holds 3 samples"))
    var nothing = try outcome([], export: nil)
    nothing.note = "no export in /x yet"
    #expect(nothing.line == "weekly: no export in /x yet; 12 s\n" && nothing.code == .done)
  }

  @Test func jsonHoldsTheStepsResults() throws {
    var failed = step(.prune, "", .refused)
    failed.failure = Failure(.refused, "no", next: "Do.")
    let object = try outcome([step(.importExport, #"{"samples": {"read": 3}}"#), failed]).json
    let text = PipelineJSON.text(object)
    let back = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(back["exit_code"] as? Int == 4 && back["export"] as? String == "/x/export.zip")
    let steps = try #require(back["steps"] as? [[String: Any]])
    #expect((steps[0]["result"] as? [String: Any])?["samples"] as? [String: Int] == ["read": 3])
    #expect((steps[1]["error"] as? [String: Any])?["next"] as? String == "Do.")
  }

  @Test func theWorstCodeCounts() {
    #expect(ExitCode.worst([]) == .done)
    #expect(ExitCode.worst([.done, .doneWithRejects]) == .doneWithRejects)
    #expect(ExitCode.worst([.doneWithRejects, .failed, .done]) == .failed)
    #expect(ExitCode.worst([.refused, .failed, .usage]) == .refused)
    #expect(ExitCode.worst([.terminated, .refused]) == .terminated)
    #expect(Set(ExitCode.allCases.map { ExitCode.worst([.done, $0]) }) == Set(ExitCode.allCases))
  }

  // MARK: Many exports

  @Test func oneLineForEachUser() throws {
    let done = CohortLine(
      user: "p-001", status: 0,
      json: """
        {"export": "x/p-001.zip", "exit_code": 0,
         "steps": [{"step": "import", "result": {"samples": {"written": 1234, "already_there": 7, "rejected": 0}}}]}
        """, seconds: 1.25)
    let broken = CohortLine(
      user: "p-002", status: 1,
      json: #"{"exit_code": 1, "steps": [{"error": {"what": "the zip is damaged", "next": "Fetch it again."}}]}"#,
      seconds: 0.1)
    let unusable = CohortLine(user: "p-003", status: 2, json: #"{"exit_code": 2, "error": {"what": "no"}}"#, seconds: 0)
    let crashed = CohortLine(user: "p-004", status: 139, json: "", seconds: 3)
    let same = CohortLine(
      user: "p-005", status: 0,
      json: #"{"steps": [{"result": {"samples": {}, "same_as_import": {"import_number": 9}}}]}"#,
      seconds: 0)
    var report = CohortReport(
      pipeline: "study", members: [done, broken, unusable, crashed, same], count: 5, seconds: 4)
    #expect(report.code == .usage)
    try expectGolden(report.text(Paint(isOn: false)), "cohort.txt")
    try expectGolden(PipelineJSON.text(report.json), "cohort.json")
    report.members = [done, same]
    #expect(report.code == .done)
    let stopped = CohortLine(user: "p-006", status: 143, json: #"{"exit_code": 143}"#, seconds: 0)
    report.members = [done, stopped]
    report.interruption = .terminated
    #expect(
      report.code == .terminated
        && report.text(Paint(isOn: false)).hasSuffix(
          "study: 1 of 5 exports done, 1,234 new samples, interrupted, run it again, 4.0 s\n")
    )
  }
}
