import Foundation
import ImportFlow
import Pipelines
import Testing

@testable import HK2PGCommand

/// A plan of a pipeline file's text, as `hk2pg run FILE words…` makes it.
func pipelinePlan(
  _ text: String, _ words: [String] = [], _ variables: [String: String] = [:], name: String = "weekly.json5"
) throws -> PipelinePlan {
  try withFolder { folder throws in
    let path = folder + "/" + name
    try Data(text.utf8).write(to: URL(filePath: path))
    let around = Surroundings(variables: variables, coreCount: 7, homeFolder: "/home/ann")
    let request = PipelineRequest(
      path: path, arguments: try RawArguments(parsing: ["run", path] + words), surroundings: around)
    return try PipelinePlan.read(request)
  }
}

@Suite struct PipelinePlanTests {
  private let subject = PipelinePlan.Subject(export: "/e/export.zip")

  private func importing(
    _ keys: String, _ words: [String] = [], _ variables: [String: String] = [:]
  ) throws -> (settings: ImportSettings, database: DatabaseChoice) {
    var variables = variables
    variables["KNOWN"] = "set"
    let plan = try pipelinePlan("{ steps: [\"import\"], export: \"e\", \(keys) }", words, variables)
    let step = try #require(try plan.steps(for: subject).steps.first)
    guard case .importExport(let settings, let database) = step.invocation.command else {
      throw UsageError.missingCommand
    }
    return (settings, database)
  }

  @Test func aStepIsTheSameCommandWithTheSameSettings() throws {
    var file = try importing(
      """
      user: "bob", timezone: "Asia/Tokyo", raw_window: "45d", salvage: true, missing_rows: "keep", jobs: 2,
      max_rejects: 5, source_priority: { all: ["A, B", "C=D"], HKX: ["E"] }, force: false, no_wait: true,
      database: "postgres://h/d",
      """
    ).settings
    var builder = InvocationBuilder(
      try RawArguments(parsing: [
        "import", "/e/export.zip", "--user", "bob", "--timezone", "Asia/Tokyo", "--raw-window", "45d", "--salvage",
        "--missing-rows", "keep", "--jobs", "2", "--max-rejects", "5", "--source-priority", #"A\, B,C\=D;HKX=E"#,
        "--no-wait", "--database", "postgres://h/d",
      ]), Surroundings(variables: [:], coreCount: 7, homeFolder: "/home/ann"))
    guard case .importExport(var typed, _) = try builder.build().command else { throw UsageError.missingCommand }
    #expect(file.sourcePriority == ["": ["A, B", "C=D"], "HKX": ["E"]])
    #expect(file.sourcePriority == typed.sourcePriority)
    // The rest as text, in which a dictionary has no fixed order.
    (file.sourcePriority, typed.sourcePriority) = ([:], [:])
    #expect("\(file)" == "\(typed)")
  }

  @Test func flagBeatsEnvironmentBeatsFileBeatsDefault() throws {
    let keys = #"database: "postgres://file/d", user: "file", raw_window: "1d""#
    let environment = ["DATABASE_URL": "postgres://env/d", "HEALTHKIT_USER_ID": "env"]
    let flags = ["--database", "postgres://flag/d", "--user", "flag", "--raw-window", "2d"]
    let all = try importing(keys, flags, environment)
    #expect(all.database.conninfo == "postgres://flag/d" && all.database.origin == .flag)
    #expect(all.settings.user == "flag" && all.settings.rawWindowDays == 2)
    let middle = try importing(keys, [], environment)
    #expect(middle.database.conninfo == "postgres://env/d" && middle.database.origin == .url)
    #expect(middle.settings.user == "env" && middle.settings.rawWindowDays == 1)
    #expect(try importing(keys, [], ["PGHOST": "h"]).database.origin == .libpq)
    let file = try importing(keys)
    #expect(file.database.conninfo == "postgres://file/d" && file.database.origin == .file)
    #expect(file.settings.user == "file" && file.settings.isUserExplicit)
    let nothing = try importing("", [], ["HEALTHKIT_USER_ID": "env"])
    #expect(nothing.database.origin == .cluster && nothing.settings.rawWindowDays == nil && nothing.settings.jobs == 7)
  }

  @Test func whatAStepSaysBeatsWhatStandsAboveIt() throws {
    let plan = try pipelinePlan(
      """
      { steps: [{ run: "import", user: "bob" }, { run: "prune", older_than: "30d", no_wait: true }],
        export: "e", user: "ann", older_than: "90d" }
      """)
    let steps = try plan.steps(for: subject).steps
    guard case .importExport(let settings, _) = steps[0].invocation.command,
      case .prune(let prune, let days, _, _) = steps[1].invocation.command
    else { throw UsageError.missingCommand }
    #expect(settings.user == "bob" && !settings.isNoWait)
    #expect(prune.user == "ann" && days == 30 && prune.isNoWait)
  }

  @Test func wrongValuesNameTheirPlace() {
    let error = #expect(throws: UsageError.self) {
      try importing("user: \"a\",\n raw_window: \"soon\"")
    }
    #expect(
      error
        == .invalidValue(
          origin: "raw_window (weekly.json5, line 2)", value: "soon", expected: "all, or days such as 30d"))
    let secret = #expect(throws: UsageError.self) { try importing("user: \"a\", database: \"${KNOWN}\"") }
    guard case .invalidValue(let origin, nil, _) = secret else {
      Issue.record("\(String(describing: secret))")
      return
    }
    #expect(origin == "database (weekly.json5, line 1, ${KNOWN})")
  }

  @Test func aFlagThatNoStepHasIsAMistake() {
    let error = #expect(throws: PipelineError.self) {
      try pipelinePlan("{ steps: [{ run: \"prune\", older_than: \"3d\" }] }", ["--salvage"])
    }
    #expect(error == .unusedFlag(.salvage, file: "weekly.json5"))
  }

  // MARK: Many exports

  private let cohort = """
    { steps: [{ run: "stage", into: "/out/{user}" }, { run: "load", dir: "/out/{user}" }], exports: "x/{user}.zip",
      rejects: "/tmp/{user}.jsonl", jobs: 3 }
    """

  @Test func eachExportHasItsUser() throws {
    let plan = try pipelinePlan(cohort, [], ["HEALTHKIT_USER_ID": "everybody"])
    let steps = try plan.steps(for: .init(export: "x/p1.zip", user: "p1", timezone: "Asia/Tokyo")).steps
    guard case .stage(let settings, let folder) = steps[0].invocation.command,
      case .load(let loaded, _, _) = steps[1].invocation.command
    else { throw UsageError.missingCommand }
    #expect(settings.user == "p1" && settings.timezone == "Asia/Tokyo" && settings.exportPath == "x/p1.zip")
    #expect(settings.rejectsPath == "/tmp/p1.jsonl" && folder == "/out/p1" && loaded == "/out/p1")
    #expect(settings.jobs == 1)
    #expect(try plan.sideBySide() == 3)
    #expect(try pipelinePlan(cohort, ["--jobs", "5"]).sideBySide() == 5)
  }

  @Test(arguments: [("a/../b", "/out/a_.._b"), ("../b", "/out/_._b"), ("..", "/out/_."), ("p 1", "/out/p 1")])
  func anIdLeadsOutOfNoFolder(_ user: String, _ expected: String) throws {
    let steps = try pipelinePlan(cohort).steps(for: .init(export: "e", user: user)).steps
    guard case .stage(_, let folder) = steps[0].invocation.command else { throw UsageError.missingCommand }
    #expect(folder == expected)
  }

  @Test func theReportIsOfTheRunOrOfEachUser() throws {
    func path(_ report: String, _ words: [String], user: String?) throws -> String? {
      let plan = try pipelinePlan(
        "{ steps: [\"import\"], exports: \"x/{user}.zip\", report: \"\(report)\" }", words)
      return try plan.reportPath(user: user)
    }
    #expect(try path("/tmp/all.json", [], user: nil) == "/tmp/all.json")
    #expect(try path("/tmp/all.json", [], user: "p1") == nil)
    #expect(try path("/tmp/{user}.json", [], user: "p1") == "/tmp/p1.json")
    #expect(try path("/tmp/{user}.json", [], user: nil) == nil)
    #expect(try path("/tmp/{user}.json", ["--report", "/tmp/r.json"], user: nil) == "/tmp/r.json")
    #expect(throws: UsageError.self) { try path("/nowhere/all.json", [], user: nil) }
    let single = try pipelinePlan("{ steps: [\"import\"], export: \"e\", report: \"/tmp/r.json\" }")
    #expect(try single.reportPath(user: nil) == "/tmp/r.json")
  }

  // MARK: Commands and keys

  @Test(arguments: CommandName.allCases.filter { $0.stepRole != nil })
  func everyOptionOfAStepIsAKey(_ command: CommandName) throws {
    let step = try #require(PipelineVocabulary.ofCommands.steps[command.rawValue])
    #expect(step.options.keys.sorted() == command.stepOptions.map(\.key).sorted())
    #expect(step.options["json"] == nil && step.options["watch"] == nil)
  }

  @Test func shippedFilesAreRead() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../pipelines").standardized
    let names = try FileManager.default.contentsOfDirectory(atPath: root.path()).filter { $0.hasSuffix(".json5") }
    #expect(names.count >= 3)
    let variables = [
      "DATABASE_URL": "postgres://h/d", "HEALTH_EXPORT": "e.zip", "HEALTH_EXPORTS": "/x",
      "COHORT_EXPORTS": "/x/{user}.zip",
      "SOURCE_DATABASE_URL": "postgres://a/d", "TARGET_DATABASE_URL": "postgres://b/d",
    ]
    for name in names {
      let text = try String(contentsOf: root.appending(path: name), encoding: .utf8)
      let plan = try pipelinePlan(text, [], variables, name: name)
      #expect(!plan.file.steps.isEmpty)
      #expect(throws: PipelineError.self) { try pipelinePlan(text, [], [:], name: name) }
    }
  }
}
