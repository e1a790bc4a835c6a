import BoundedQueues
import Foundation
import Pipelines
import PrivateCluster
import Synchronization

/// `hk2pg run FILE` for many exports: each in a process of its own (`hk2pg run FILE --user ID`), so many at a time, so
/// that whatever one of them does, running out of memory included, the others go on. When this process dies, they stop.
struct CohortRun {
  let plan: PipelinePlan
  let request: PipelineRequest
  let output: OutputSettings
  let interruption: Interruption

  func run() throws -> ExitCode {
    let start = FolderChooser.now
    let members = try CohortExports.members(plan)
    let state = try PipelineState(plan, user: nil)
    let lock = try state.lock(name: plan.file.name)
    defer { lock.release() }
    let count = min(try plan.sideBySide(), members.count)
    let lines = try runAll(members.map(\.user), sideBySide: count)
    var report = CohortReport(
      pipeline: plan.file.name, members: lines, count: members.count, seconds: FolderChooser.now - start)
    if let signal = interruption.signal { report.interruption = ExitCode.signal(signal) }
    if output.isJSON {
      output.writeResult(PipelineJSON.text(report.json))
    } else if !output.isQuiet {
      output.writeResult(report.text(Paint(isOn: output.isColoured)))
    }
    if let path = try plan.reportPath(user: nil) {
      try ReportJSON.write(PipelineJSON.text(report.json), to: path)
    }
    return report.code
  }

  /// In the order of `users`, whatever order they end in. Users that an interruption left out have no line.
  private func runAll(_ users: [String], sideBySide count: Int) throws -> [CohortLine] {
    let next = Atomic<Int>(0)
    let lines = Guarded<[Int: CohortLine]>([:])
    let children = Children()
    let lifeline = try SpawnedProcess.pipe()
    defer { for end in [lifeline.reading, lifeline.writing] { close(end) } }
    let words = words(jobs: max(1, plan.surroundings.coreCount / count))
    let worker: @Sendable () throws -> Void = {
      while !interruption.isRequested {
        let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard index < users.count else { return }
        let line = run(users[index], words, children, lifeline: lifeline.reading)
        lines.withLock { $0[index] = line }
        if !output.isQuiet && plan.surroundings.isErrorTerminal { tell(line, of: users.count, lines) }
      }
    }
    let forwarder = Thread { [interruption] in
      while !children.areDone {
        if let signal = interruption.signal { children.send(signal) }
        usleep(100_000)
      }
    }
    forwarder.start()
    defer { children.end() }
    try runStages(Array(repeating: worker, count: count), onFailure: {})
    return lines.withLock { found in users.indices.compactMap { found[$0] } }
  }

  private func tell(_ line: CohortLine, of count: Int, _ lines: Guarded<[Int: CohortLine]>) {
    let done = lines.withLock(\.count)
    Console.writeMessage("hk2pg: \(done) of \(count): \(line.user.shown()): \(line.words)\n")
  }

  // MARK: One of them

  /// This program, this pipeline, the flags it was given. A database goes through the environment, where `ps` does not
  /// show it.
  private func words(jobs: Int) -> [String] {
    var words = ["/proc/self/exe", "run", request.path, "--json", "--progress=none", "--jobs=\(jobs)"]
    for option in OptionName.allCases where !CohortRun.notPassedOn.contains(option) {
      for value in request.arguments.values[option] ?? [] {
        words.append(option.definition.takesValue ? "\(option.flag)=\(value)" : option.flag)
      }
    }
    return words
  }

  private static let notPassedOn: Set<OptionName> = [
    .user, .database, .jobs, .json, .progress, .quiet, .report, .check, .watch,
  ]

  private func run(_ user: String, _ words: [String], _ children: Children, lifeline: Int32) -> CohortLine {
    var environment = plan.surroundings.variables
    environment[ParentWatch.variable] = "1"
    if let database = request.arguments.value(.database) { environment["DATABASE_URL"] = database }
    let start = FolderChooser.now
    do {
      let ends = try SpawnedProcess.pipe()
      defer { close(ends.reading) }
      let child: Int32
      do {
        defer { close(ends.writing) }
        child = try children.start {
          try SpawnedProcess.start(
            words + ["--user=\(user)"], input: lifeline, output: ends.writing,
            errors: output.isDebug ? STDERR_FILENO : nil, folder: nil, environment: environment)
        }
      }
      let text = CohortRun.readToEnd(ends.reading)
      let status = SpawnedProcess.wait(child)
      children.forget(child)
      return CohortLine(user: user, status: status, json: text, seconds: FolderChooser.now - start)
    } catch {
      return CohortLine(user: user, failure: Failure(error), seconds: FolderChooser.now - start)
    }
  }

  private static func readToEnd(_ descriptor: Int32) -> String {
    String(decoding: FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readDataToEndOfFile(), as: UTF8.self)
  }
}

/// The processes that run now, so that a signal reaches all of them: each is in a session of its own.
private final class Children: Sendable {
  private struct State {
    var running: Set<Int32> = []
    var isDone = false
  }
  private let state = Guarded(State())

  /// Started and noted in one go: a signal between the two would be lost.
  func start(_ body: () throws -> Int32) throws -> Int32 {
    try state.withLock { state in
      let child = try body()
      state.running.insert(child)
      return child
    }
  }

  func forget(_ child: Int32) { state.withLock { _ = $0.running.remove(child) } }

  /// Once to each: a second signal would end it without tidying up.
  func send(_ signal: Int32) {
    state.withLock { state in
      for child in state.running { kill(child, signal) }
      state.running = []
    }
  }

  var areDone: Bool { state.withLock(\.isDone) }
  func end() { state.withLock { $0.isDone = true } }
}
