import BoundedQueues
import ExportReader
import Foundation
import ImportFlow

/// The whole of hk2pg: words in, exit code out.
package enum CommandLineTool {
  /// Never returns. Reads this process's own command line and surroundings.
  package static func main() -> Never {
    let arguments = Array(CommandLine.arguments.dropFirst())
    ProcessListing.hidePasswords()
    let code = run(arguments, .ofThisProcess(), .live)
    exit(code.rawValue)
  }

  static func run(_ arguments: [String], _ surroundings: Surroundings, _ calls: FlowCalls)
    -> ExitCode
  {
    let invocation: Invocation
    let notes: [String]
    do {
      var builder = InvocationBuilder(try RawArguments(parsing: arguments), surroundings)
      invocation = try builder.build()
      notes = builder.notes
    } catch {
      let failure = Failure(error)
      Console.writeMessage(failure.text(isDebug: false))
      return failure.code
    }
    let interruption = Interruption()
    let signals = SignalWatch(interruption)
    ParentWatch.begin(surroundings, interruption)
    let code = run(invocation, notes, surroundings, calls, interruption)
    _ = consume signals
    return code
  }

  private static func run(
    _ invocation: Invocation, _ notes: [String], _ surroundings: Surroundings, _ calls: FlowCalls,
    _ interruption: Interruption
  ) -> ExitCode {
    let reporter = ProgressReporter.onStandardError(invocation.output, surroundings)
    for note in notes { reporter.message("hk2pg: \(note)\n") }
    do {
      return try Execution(calls: calls, reporter: reporter, interruption: interruption).run(
        invocation)
    } catch {
      let failure = Failure(
        error, signal: interruption.signal, export: invocation.exportPath,
        line: line(of: error, in: invocation))
      reporter.failure(failure, isDebug: invocation.output.isDebug)
      return failure.code
    }
  }

  /// The line of a damage in the export, counted only now that it is needed.
  static func line(of error: any Error, in invocation: Invocation) -> Int? {
    guard let offset = (error as? ExportError)?.offset, let path = invocation.exportPath else {
      return nil
    }
    return (try? OpenExport.open(path: path))?.line(at: offset)
  }
}

/// One command, carried out.
struct Execution {
  let calls: FlowCalls
  let reporter: ProgressReporter
  let interruption: Interruption

  func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    let access = DatabaseAccess(
      interruption: interruption, note: { [reporter] in reporter.receive(.note($0)) })
    switch invocation.command {
    case .help(let command): Console.writeResult(HelpPage.text(for: command))
    case .version: Console.writeResult("hk2pg \(HK2PGVersion.current)\n")
    case .load(let folder, let settings, let choice) where (try? ImportFlow.isArchive(folder)) == true:
      try transfers(output).load(folder, settings, choice)
    case .importExport(_, let database), .load(_, _, let database):
      return try flow(invocation, database)
    case .verify(let settings, let choice): return try transfers(output).verify(settings, choice)
    case .migrate(let settings): return try transfers(output).migrate(settings)
    case .dump(let settings, let folder, let choice): try transfers(output).dump(settings, into: folder, choice)
    case .stage, .inspect: return try flow(invocation, nil)
    case .summarize(let settings, let options, let choice):
      try tiers(output).summarize(settings, options, choice)
    case .prune(let settings, let days, let isDryRun, let choice):
      try tiers(output).prune(settings, keptDays: days, isDryRun: isDryRun, choice)
    case .schemaPrint: try SchemaRun(access: access, output: output).printScript()
    case .schemaDistributed(let partitions):
      try SchemaRun(access: access, output: output).printDistributed(partitions: partitions)
    case .schemaApply(let choice): try SchemaRun(access: access, output: output).apply(to: choice)
    case .status(let choice, let user, let isCleaning):
      try StatusRun(access: access, output: output).run(choice, user: user, isCleaning: isCleaning)
    case .query(let settings, let choice):
      try QueryRun(access: access, output: output).run(settings, choice)
    case .mcp(let user, let choice):
      try MCPRun(access: access, output: output, interruption: interruption).run(user, choice)
    case .report(let user, let path, let choice):
      try ReportRun(access: access, output: output).run(user, to: path, choice)
    case .database(let action): try ClusterRun(access: access, output: output).run(action)
    case .run(let request):
      return try PipelineRun(
        calls: calls, request: request, output: output, reporter: reporter, interruption: interruption
      ).run()
    }
    return .done
  }

  private func tiers(_ output: OutputSettings) -> TierRun {
    TierRun(output: output, reporter: reporter, interruption: interruption)
  }

  private func transfers(_ output: OutputSettings) -> TransferRun {
    TransferRun(output: output, reporter: reporter, interruption: interruption)
  }

  private func flow(_ invocation: Invocation, _ database: DatabaseChoice?) throws -> ExitCode {
    try FlowRun(
      calls: calls, output: invocation.output, reporter: reporter, interruption: interruption
    )
    .run(invocation.command, database: database)
  }
}

extension Invocation {
  /// Of commands that read an export.
  var exportPath: String? {
    switch command {
    case .importExport(let settings, _), .stage(let settings, _), .inspect(let settings):
      settings.exportPath
    case .verify(let settings, _): settings.exportPath
    default: nil
    }
  }
}
