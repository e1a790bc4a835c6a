import BoundedQueues
import Foundation
import HealthModel
import Synchronization
import Testing

@testable import HK2PGCommand
@testable import ImportFlow

/// What a run wrote to stdout and stderr.
private final class Streams: Sendable {
  private let stored = Mutex((out: "", error: ""))
  func addOut(_ text: String) { stored.withLock { $0.out += text } }
  func addError(_ text: String) { stored.withLock { $0.error += text } }
  var out: String { stored.withLock { $0.out } }
  var error: String { stored.withLock { $0.error } }
}

@Suite struct FlowRunTests {
  private let settings = ImportSettings(exportPath: "export.zip", user: "ann", isUserExplicit: true, jobs: 1)

  private var database: DatabaseChoice {
    get throws {
      try DatabaseChoice(
        RawArguments(parsing: ["load", "d"]), Surroundings(variables: [:], coreCount: 1, homeFolder: "/h"))
    }
  }

  private func calls(_ result: @escaping @Sendable (String) throws -> ImportReport) -> FlowCalls {
    FlowCalls(
      importExport: { _, _, progress in
        progress(.note("reading"))
        return try result("import")
      },
      stage: { _, _, _, _ in try result("stage") }, load: { _, _, _, _ in try result("load") },
      inspect: { _, _, _ in try result("inspect") })
  }

  private func run(
    _ command: Invocation.Command, _ output: OutputSettings, _ streams: Streams,
    _ result: @escaping @Sendable (String) throws -> ImportReport = { madeUpReport($0) }
  ) throws -> ExitCode {
    let reporter = ProgressReporter(
      SilentRenderer(), isQuiet: output.isQuiet, write: { streams.addError($0) }, columns: { nil }, seconds: { 0 })
    let run = FlowRun(
      calls: calls(result), output: output, reporter: reporter, interruption: Interruption(),
      writeResult: { streams.addOut($0) })
    return try run.run(command, database: nil)
  }

  @Test func textOnStdoutAndProgressOnStderr() throws {
    let streams = Streams()
    #expect(try run(.importExport(settings, try database), OutputSettings(), streams) == .doneWithRejects)
    #expect(streams.out.hasPrefix("Loaded export.zip: 2,400,113 new samples"))
    #expect(streams.error == "hk2pg: reading\n")
  }

  @Test func jsonStaysWhenQuiet() throws {
    let streams = Streams()
    _ = try run(.importExport(settings, try database), OutputSettings(isQuiet: true, isJSON: true), streams)
    #expect(streams.out == (try ReportJSON.text(madeUpReport())))
    #expect(streams.error == "")
    let silent = Streams()
    _ = try run(.importExport(settings, try database), OutputSettings(isQuiet: true), silent)
    #expect(silent.out == "" && silent.error == "")
  }

  @Test func theReportFileHoldsTheSameJSON() throws {
    try withFolder { folder throws in
      let streams = Streams()
      let path = folder + "/r.json"
      _ = try run(.importExport(settings, try database), OutputSettings(isJSON: true, reportPath: path), streams)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == streams.out)
      #expect(throws: ReportFileError.self) {
        try run(.importExport(settings, try database), OutputSettings(reportPath: folder + "/no/r.json"), streams)
      }
    }
  }

  @Test func everyCommandCallsItsRun() throws {
    for (command, beginning) in [
      (Invocation.Command.importExport(settings, try database), "Loaded"),
      (.load(folder: "d", settings, try database), "Loaded"),
      (.stage(settings, into: "my chunks"), "Staged"), (.inspect(settings), "export.zip holds"),
    ] {
      let streams = Streams()
      _ = try run(command, OutputSettings(), streams)
      #expect(streams.out.hasPrefix(beginning))
      if case .stage = command { #expect(streams.out.hasSuffix("hk2pg load 'my chunks'\n")) }
      if case .inspect = command { #expect(streams.out.hasSuffix("hk2pg import export.zip\n")) }
    }
  }

  @Test func exitCodesFollowTheReport() throws {
    var report = ImportReport(command: "import", hk2pgVersion: "0", export: .init(name: "e", byteCount: 1))
    #expect(FlowRun.exitCode(of: report) == .done)
    report.problems = [.init(kind: .illegalCharacter, severity: .repaired, count: 1, firstOffset: 0)]
    #expect(FlowRun.exitCode(of: report) == .done)
    report.samples.rejected = 1
    #expect(FlowRun.exitCode(of: report) == .doneWithRejects)
    report.samples.rejected = 0
    report.problems = [.init(kind: .rejectedMalformed, severity: .rejected, count: 1, firstOffset: 0)]
    #expect(FlowRun.exitCode(of: report) == .doneWithRejects)
    report.problems = []
    report.export.isSalvaged = true
    #expect(FlowRun.exitCode(of: report) == .doneWithRejects)
  }

  @Test func errorsPassThrough() {
    #expect(throws: FlowError.folderInUse(path: "c")) {
      try run(.stage(settings, into: "c"), OutputSettings(), Streams()) { _ in throw FlowError.folderInUse(path: "c")
      }
    }
  }

  @Test(arguments: [
    (["--database", "postgres://ann@h/d"], "psql 'postgres://ann@h/d'"),
    (["--database", "postgres://ann:pw@h/d"], "psql URL"), ([], "hk2pg db psql"),
  ])
  func psqlHint(_ words: [String], _ expected: String) throws {
    let choice = try DatabaseChoice(
      RawArguments(parsing: ["load", "d"] + words), Surroundings(variables: [:], coreCount: 1, homeFolder: "/h"))
    #expect(choice.psql == expected)
  }
}
