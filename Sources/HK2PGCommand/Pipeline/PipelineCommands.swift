import DailySummaries
import Pipelines

/// What a command does as a step of a pipeline.
enum StepRole: Sendable {
  case readsExport
  /// Reads the pipeline's export, or what this key of the step names.
  case compares(key: String)
  /// Works on what this key of the step names.
  case worksOn(key: String)
  /// Works on the database alone.
  case stored
}

extension CommandName {
  /// Nil: no step.
  var stepRole: StepRole? {
    switch self {
    case .importExport, .stage, .inspect: .readsExport
    case .verify: .compares(key: "against")
    case .load: .worksOn(key: "dir")
    case .summarize, .prune, .migrate, .dump: .stored
    default: nil
    }
  }

  var stepOptions: [OptionName] {
    definition.options.filter { !OptionName.ofRuns.contains($0) }
  }
}

extension OptionName {
  /// They are of the run as a whole, not of its steps.
  static let ofRuns: Set<OptionName> = [.json, .progress, .quiet, .debug, .check, .watch]

  init?(key: String) { self.init(rawValue: key.replacing("_", with: "-")) }

  fileprivate var kind: PipelineVocabulary.Kind {
    switch self {
    case .sourcePriority: .ranks
    case .jobs, .maxRejects: .number
    case .into, .report, .rejects, .staging: .path
    default: definition.takesValue ? .text : .flag
    }
  }
}

extension PipelineVocabulary {
  /// The commands and options that there are.
  static let ofCommands = PipelineVocabulary(
    steps: Dictionary(
      uniqueKeysWithValues: CommandName.allCases.compactMap { command in
        command.stepRole.map { (command.rawValue, Step(command, $0)) }
      }),
    stepOnly: Set([OptionName.into, .days, .dryRun, .report].map(\.key)),
    holdsSecret: { !Secrets.ranges(in: Array($0.utf8)).isEmpty })
}

extension PipelineVocabulary.Step {
  fileprivate init(_ command: CommandName, _ role: StepRole) {
    let options = Dictionary(uniqueKeysWithValues: command.stepOptions.map { ($0.key, $0.kind) })
    switch role {
    case .readsExport: self.init(options: options, readsExport: true)
    case .compares(let key): self.init(options: options, argument: key, readsExport: true)
    case .worksOn(let key): self.init(options: options, argument: key)
    case .stored: self.init(options: options)
    }
  }
}

extension PipelineFile.Setting {
  /// As on the command line; nil where a flag is not set. `{user}` becomes `user`, without what would lead out of a
  /// folder.
  func fileValue(in file: PipelineFile, user: String?) -> RawArguments.FileValue? {
    let words: [String]
    switch value {
    case .flag(let isSet): if isSet { words = [""] } else { return nil }
    case .text(let text): words = [PipelineFile.Setting.filled(text, user: user)]
    case .ranks(let ranks): words = [SourcePriority.text(of: ranks)]
    }
    let references = variables.map { "${\($0)}" }.joined(separator: ", ")
    let origin = file.place(line) + (references.isEmpty ? "" : ", " + references)
    return RawArguments.FileValue(words: words, origin: origin)
  }

  static func filled(_ text: String, user: String?) -> String {
    guard let user else { return text }
    var safe = user.replacing("/", with: "_")
    if safe.hasPrefix(".") { safe = "_" + safe.dropFirst() }
    return text.replacing(ExportPattern.userMark, with: safe)
  }
}

extension PipelineFile {
  /// `reimport.json5, line 12`.
  func place(_ line: Int?) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return line.map { "\(file), line \($0)" } ?? file
  }
}
