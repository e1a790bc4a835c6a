import BoundedQueues
import ExportReader
import Foundation
import ImportFlow
import Pipelines

/// Runs the steps of a pipeline, one after the other, each exactly as its command would.
struct StepRunner: Sendable {
  let calls: FlowCalls
  let plan: PipelinePlan
  let output: OutputSettings
  let interruption: Interruption
  /// Where failures are told at once.
  let tell: @Sendable (Failure) -> Void
  let note: @Sendable (String) -> Void

  /// The step that fails is the last one. Throws what is wrong before the first step.
  func run(_ subject: PipelinePlan.Subject, state: PipelineState?) throws -> PipelineOutcome {
    let start = FolderChooser.now
    var subject = subject
    let identity = subject.export.flatMap(StepRunner.identity)
    if let identity { subject.knownDigest = state?.digest(of: identity) }
    let (steps, notes) = try plan.steps(for: subject)
    for sentence in notes { note(sentence) }
    var outcome = PipelineOutcome(plan, subject)
    for step in steps {
      let result = run(step)
      outcome.steps.append(result)
      if let digest = result.exportDigest, let identity, let path = subject.export,
        StepRunner.identity(of: path) == identity
      {
        state?.remember(digest, of: identity)
      }
      if !result.isDone { break }
    }
    outcome.seconds = FolderChooser.now - start
    return outcome
  }

  /// Of a file or a folder; a pipe would lose what is read here.
  private static func identity(of path: String) -> String? {
    let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    if type == .typeSymbolicLink {
      return identity(of: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    }
    guard type == .typeRegular || type == .typeDirectory else { return nil }
    return try? OpenExport.open(path: path).identity
  }

  private func run(_ step: PipelinePlan.Step) -> StepOutcome {
    let capture = ResultCapture()
    var invocation = step.invocation
    invocation.output.capture = capture
    invocation.output.isJSON = true
    invocation.output.isQuiet = true
    invocation.output.isDebug = output.isDebug
    let start = FolderChooser.now
    let reporter = ProgressReporter.onStandardError(progress, plan.surroundings)
    var outcome = StepOutcome(command: step.name, code: .done)
    do {
      outcome.code = try Execution(calls: calls, reporter: reporter, interruption: interruption).run(invocation)
    } catch {
      let failure = Failure(
        error, signal: interruption.signal, export: invocation.exportPath,
        line: CommandLineTool.line(of: error, in: invocation))
      outcome.code = failure.code
      outcome.failure = failure
      tell(failure)
    }
    outcome.seconds = FolderChooser.now - start
    outcome.result = capture.text
    return outcome
  }

  /// A bar on a terminal, or what was asked for; in a log nothing but the result.
  private var progress: OutputSettings {
    var settings = output
    settings.isQuiet = output.isQuiet || (output.progress == .auto && !plan.surroundings.isErrorTerminal)
    return settings
  }
}
