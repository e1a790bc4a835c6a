import ImportFlow
import Pipelines

/// `hk2pg run FILE …`, as the command line has it.
struct PipelineRequest: Sendable {
  var path: String
  var isCheck = false
  var isWatch = false
  var arguments: RawArguments
  var surroundings: Surroundings
}

/// A pipeline file with the flags it is run with: what its steps are, as ordinary commands.
struct PipelinePlan: Sendable {
  let file: PipelineFile
  let arguments: RawArguments
  let surroundings: Surroundings
  /// Makes nothing, not even a user id.
  let isTrial: Bool

  /// What one pass of the steps is about.
  struct Subject: Sendable, Equatable {
    var export: String?
    /// Of many exports; beats HEALTHKIT_USER_ID, which cannot mean all of them.
    var user: String?
    var timezone: String?
    var knownDigest: ImportSettings.KnownDigest?
  }

  struct Step: Sendable {
    var name: CommandName
    var arguments: RawArguments
    var invocation: Invocation
  }

  static func read(_ request: PipelineRequest) throws -> PipelinePlan {
    let surroundings = request.surroundings
    let file: PipelineFile
    do {
      file = try PipelineFile.read(
        request.path, .ofCommands, home: surroundings.homeFolder, variables: surroundings.variable)
    } catch { throw PipelineError.file(path: request.path, error) }
    let plan = PipelinePlan(
      file: file, arguments: request.arguments, surroundings: surroundings, isTrial: request.isCheck)
    try plan.checkFlags()
    return plan
  }

  var isCohort: Bool { if case .exports = file.source { true } else { false } }

  /// All steps, understood before the first one runs, and sentences for the user.
  func steps(for subject: Subject) throws(UsageError) -> (steps: [Step], notes: [String]) {
    var steps: [Step] = []
    var notes: [String] = []
    for step in file.steps {
      guard let name = CommandName(rawValue: step.command) else { continue }
      let raw = RawArguments(
        step: name, positionals: positionals(of: step, name, subject), flags: flags(subject),
        file: fileValues(of: step, subject))
      var builder = InvocationBuilder(raw, surroundings)
      builder.isTrial = isTrial
      var invocation = try builder.build()
      if case .importExport(var settings, let database) = invocation.command {
        settings.knownDigest = subject.knownDigest
        invocation.command = .importExport(settings, database)
      }
      notes += builder.notes
      steps.append(Step(name: name, arguments: raw, invocation: invocation))
    }
    return (steps, notes)
  }

  private func positionals(of step: PipelineFile.Step, _ name: CommandName, _ subject: Subject) -> [String] {
    let argument = step.argument?.plainText.map { PipelineFile.Setting.filled($0, user: subject.user) }
    return switch name.stepRole {
    case .readsExport: [subject.export ?? ""]
    case .compares: [argument ?? subject.export ?? ""]
    case .worksOn: [argument ?? ""]
    case .stored, nil: []
    }
  }

  private func flags(_ subject: Subject) -> [OptionName: [String]] {
    var flags = arguments.values.filter { !OptionName.ofRuns.contains($0.key) && $0.key != .report }
    if let user = subject.user { flags[.user] = [user] }
    if isCohort, subject.user != nil, flags[.jobs] == nil { flags[.jobs] = ["1"] }
    return flags
  }

  private func fileValues(
    of step: PipelineFile.Step, _ subject: Subject
  ) -> [OptionName: RawArguments.FileValue] {
    var values: [OptionName: RawArguments.FileValue] = [:]
    for (key, setting) in file.settings {
      if let option = OptionName(key: key) { values[option] = setting.fileValue(in: file, user: subject.user) }
    }
    if let zone = subject.timezone {
      values[.timezone] = RawArguments.FileValue(words: [zone], origin: "the list of exports")
    }
    for (key, setting) in step.settings {
      if let option = OptionName(key: key) { values[option] = setting.fileValue(in: file, user: subject.user) }
    }
    return values
  }

  /// A flag that no step understands would be ignored in silence.
  private func checkFlags() throws {
    let commands = file.steps.compactMap { CommandName(rawValue: $0.command) }
    for option in OptionName.allCases where arguments.values[option] != nil {
      let isOfRun = OptionName.ofRuns.contains(option) || option == .report
      let isOfCohort = isCohort && (option == .jobs || option == .user)
      if isOfRun || isOfCohort || commands.contains(where: { $0.definition.options.contains(option) }) { continue }
      throw PipelineError.unusedFlag(option, file: file.place(nil))
    }
  }

  /// Where the JSON of the run goes: `--report`, else the file's `report`. With many exports the file's is of the run
  /// as a whole, unless `{user}` stands in it.
  func reportPath(user: String?) throws(UsageError) -> String? {
    if let path = arguments.value(.report) { return path }
    guard let path = file.reportPath, !isCohort || path.contains(ExportPattern.userMark) == (user != nil) else {
      return nil
    }
    let value = RawArguments.FileValue(
      words: [PipelineFile.Setting.filled(path, user: user)], origin: file.place(nil))
    return try RawArguments(step: .run, positionals: [file.path], flags: [:], file: [.report: value])
      .fileToWrite(.report)
  }

  /// How many of many exports are imported side by side.
  func sideBySide() throws(UsageError) -> Int {
    var values: [OptionName: RawArguments.FileValue] = [:]
    values[.jobs] = file.settings[OptionName.jobs.key]?.fileValue(in: file, user: nil)
    let raw = RawArguments(step: .importExport, positionals: [""], flags: arguments.values, file: values)
    return try raw.count(.jobs, in: 1...1024) ?? max(1, surroundings.coreCount)
  }
}
