import BoundedQueues
import HealthModel
import ImportFlow

/// import, stage, load and inspect: progress while they run, a report when they are done.
struct FlowRun: Sendable {
  let calls: FlowCalls
  let output: OutputSettings
  let reporter: ProgressReporter
  let interruption: Interruption
  /// For tests; nil: where `output` says.
  var writeResult: (@Sendable (String) -> Void)?

  /// - Parameter database: of import and load, for the hint how to look at the result.
  func run(_ command: Invocation.Command, database: DatabaseChoice?) throws -> ExitCode {
    let progress: FlowCalls.Progress = { [reporter] in reporter.receive($0) }
    let report: ImportReport? = try reporter.whileRunning {
      switch command {
      case .importExport(let settings, _): try calls.importExport(settings, interruption, progress)
      case .stage(let settings, let folder): try calls.stage(settings, folder, interruption, progress)
      case .load(let folder, let settings, _): try calls.load(folder, settings, interruption, progress)
      case .inspect(let settings): try calls.inspect(settings, interruption, progress)
      default: nil
      }
    }
    guard let report else { return .usage }
    try show(report, command, database)
    return FlowRun.exitCode(of: report)
  }

  /// The result goes to stdout first: it is there even when the report file cannot be written.
  private func show(_ report: ImportReport, _ command: Invocation.Command, _ database: DatabaseChoice?) throws {
    let writeResult = writeResult ?? output.writeResult
    if output.isJSON {
      writeResult(try ReportJSON.text(report))
    } else if !output.isQuiet {
      writeResult(text(report, command, database).text)
    }
    if let path = output.reportPath { try ReportJSON.write(try ReportJSON.text(report), to: path) }
  }

  private func text(
    _ report: ImportReport, _ command: Invocation.Command, _ database: DatabaseChoice?
  ) -> ReportText {
    var text = ReportText(report: report, paint: Paint(isOn: output.isColoured))
    text.psql = database?.psql
    switch command {
    case .stage(_, let folder): text.chunkFolder = folder
    case .inspect(let settings): text.exportPath = settings.exportPath
    default: break
    }
    return text
  }

  /// Rejects and salvage make a run incomplete, though it is done.
  static func exitCode(of report: ImportReport) -> ExitCode {
    let isIncomplete =
      report.samples.rejected > 0 || report.export.isSalvaged
      || report.problems.contains { $0.severity == .rejected || $0.severity == .salvaged }
    return isIncomplete ? .doneWithRejects : .done
  }
}

extension DatabaseChoice {
  /// How to open it with psql, without repeating what may hold a password.
  var psql: String {
    switch origin {
    case .cluster: "hk2pg db psql"
    case .url: "psql \"$DATABASE_URL\""
    case .libpq: "psql"
    case .file: "psql URL"
    case .flag: Secrets.ranges(in: Array((conninfo ?? "").utf8)).isEmpty ? "psql '\(conninfo ?? "")'" : "psql URL"
    }
  }
}
