import BoundedQueues
import Foundation
import ImportFlow
import Pipelines

/// `hk2pg run FILE`: once, as a watch, for many exports, or as a check.
struct PipelineRun {
  let calls: FlowCalls
  let request: PipelineRequest
  let output: OutputSettings
  let reporter: ProgressReporter
  let interruption: Interruption

  func run() throws -> ExitCode {
    do {
      let plan = try PipelinePlan.read(request)
      if request.isCheck { return try PipelineCheck(plan: plan, output: output, interruption: interruption).run() }
      if request.isWatch { return try watch(plan) }
      if plan.isCohort && !request.arguments.has(.user) {
        return try CohortRun(plan: plan, request: request, output: output, interruption: interruption).run()
      }
      return try once(plan)
    } catch {
      // Whoever asked for JSON reads it on stdout; the sentence on stderr is written by the caller.
      if output.isJSON {
        let failure = Failure(error, signal: interruption.signal)
        output.writeResult(PipelineJSON.text(["error": failure.object, "exit_code": Int(failure.code.rawValue)]))
      }
      throw error
    }
  }

  private func runner(_ plan: PipelinePlan, tell: @escaping @Sendable (Failure) -> Void) -> StepRunner {
    StepRunner(
      calls: calls, plan: plan, output: output, interruption: interruption, tell: tell,
      note: { [reporter] in reporter.message("hk2pg: \($0)\n") })
  }

  private func once(_ plan: PipelinePlan) throws -> ExitCode {
    let member = try plan.isCohort ? self.member(plan) : nil
    let state = try PipelineState(plan, user: member?.user)
    // One of many, started anew: that of a run that was killed may just be stopping.
    let isOneOfMany = request.surroundings.variable(ParentWatch.variable) != nil
    let lock = try state.lock(name: plan.file.name, patience: isOneOfMany ? 10 : 0)
    defer { lock.release() }
    let runner = runner(plan, tell: { [reporter, output] in reporter.failure($0, isDebug: output.isDebug) })
    switch plan.file.source {
    case .none: return try finish(try runner.run(PipelinePlan.Subject(), state: state), plan)
    case .export(let path): return try finish(try runner.run(PipelinePlan.Subject(export: path), state: state), plan)
    case .folder(let folder): return try newest(in: folder, plan, runner, state)
    case .exports:
      let subject = PipelinePlan.Subject(
        export: member.map(CohortExports.newest), user: member?.user, timezone: member?.timezone)
      return try finish(try runner.run(subject, state: state), plan)
    }
  }

  private func member(_ plan: PipelinePlan) throws -> CohortMember? {
    let user = request.arguments.value(.user)
    guard let member = try CohortExports.members(plan).first(where: { $0.user == user }) else {
      throw PipelineError.unknownUser(path: CohortExports.path(plan))
    }
    return member
  }

  private func newest(
    in folder: String, _ plan: PipelinePlan, _ runner: StepRunner, _ state: PipelineState
  ) throws -> ExitCode {
    var chooser = FolderChooser(folder: folder, timing: plan.file.timing)
    let choice = try chooser.waitForQuiet(interruption) { note in
      if plan.surroundings.isErrorTerminal { reporter.message("hk2pg: \(note)\n") }
    }
    var outcome = PipelineOutcome(plan, PipelinePlan.Subject())
    if let best = choice.best {
      outcome = try runner.run(PipelinePlan.Subject(export: best.path), state: state)
    } else if choice.stuck.isEmpty {
      outcome.note = "no export in \(folder.shown(limit: 200)) yet"
    }
    if let stuck = choice.stuck.first {
      let failure = Failure(PipelineError.incomplete(path: stuck.candidate.path, stuck.error))
      reporter.failure(failure, isDebug: output.isDebug)
      outcome.failure = failure
    }
    return try finish(outcome, plan)
  }

  private func watch(_ plan: PipelinePlan) throws -> ExitCode {
    guard case .folder(let folder) = plan.file.source else {
      throw PipelineError.watchNeedsFolder(name: plan.file.place(nil))
    }
    let log = WatchLog(isQuiet: output.isQuiet, isJournal: request.surroundings.variable("JOURNAL_STREAM") != nil)
    let state = try PipelineState(plan, user: nil)
    let lock = try state.lock(name: plan.file.name)
    defer { lock.release() }
    let runner = runner(plan, tell: { [output] in log.failure($0, isDebug: output.isDebug) })
    return try PipelineWatch(
      folder: folder, timing: plan.file.timing, log: log, interruption: interruption,
      run: { try runner.run(PipelinePlan.Subject(export: $0), state: state) },
      finish: { outcome in _ = try finish(outcome, plan, isWatched: true) }
    ).follow()
  }

  /// The result: a line, or JSON; of a watch the line goes to its log.
  private func finish(_ outcome: PipelineOutcome, _ plan: PipelinePlan, isWatched: Bool = false) throws -> ExitCode {
    if output.isJSON {
      output.writeResult(PipelineJSON.text(outcome.json))
    } else if !output.isQuiet && !isWatched {
      output.writeResult(outcome.line)
    }
    if let path = try plan.reportPath(user: outcome.user) {
      try ReportJSON.write(PipelineJSON.text(outcome.json), to: path)
    }
    return outcome.code
  }
}
