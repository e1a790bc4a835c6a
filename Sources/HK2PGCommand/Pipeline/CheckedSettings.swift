import DailySummaries
import Loading
import Pipelines

/// Every setting of a pipeline's steps with the place it comes from: flag, environment, file, stored, default.
struct CheckedSettings {
  let plan: PipelinePlan
  let steps: [PipelinePlan.Step]
  /// What the database holds for the user.
  let stored: UserSettings?

  struct Row: Encodable, Equatable {
    var name: String
    /// Where steps differ.
    var step: String?
    /// Without secrets.
    var value: String
    var origin: String
  }

  var all: [Row] {
    get throws {
      var rows = source + (try run)
      for option in OptionName.allCases where !(option == .jobs && plan.isCohort) {
        let having = steps.filter { $0.name.stepOptions.contains(option) }
        let each = try having.map { try row(option, $0) }
        // A step's own report is worth a line only where there is one.
        if option == .report && having.allSatisfy({ !$0.arguments.has(.report) }) { continue }
        if let first = each.first, each.allSatisfy({ $0 == first }) {
          rows.append(first)
        } else {
          for (step, row) in zip(having, each) {
            rows.append(Row(name: row.name, step: step.name.rawValue, value: row.value, origin: row.origin))
          }
        }
      }
      return rows
    }
  }

  /// Of the run as a whole.
  private var run: [Row] {
    get throws {
      var rows: [Row] = []
      if let path = plan.arguments.value(.report) {
        rows.append(Row(name: "report", value: path, origin: OptionName.report.flag))
      } else {
        rows.append(
          Row(
            name: "report", value: plan.file.reportPath ?? "none",
            origin: plan.file.reportPath == nil ? "default" : plan.file.place(nil)))
      }
      if plan.isCohort {
        let origin =
          plan.arguments.has(.jobs)
          ? OptionName.jobs.flag : plan.file.settings[OptionName.jobs.key].map { plan.file.place($0.line) } ?? "default"
        rows.append(Row(name: "jobs", value: "\(try plan.sideBySide()) side by side", origin: origin))
      }
      return rows
    }
  }

  /// What is read.
  private var source: [Row] {
    let origin = plan.file.place(plan.file.sourceLine)
    switch plan.file.source {
    case .none: return []
    case .export(let path): return [Row(name: "export", value: path, origin: origin)]
    case .folder(let path): return [Row(name: "folder", value: path, origin: origin)]
    case .exports(let path): return [Row(name: "exports", value: path, origin: origin)]
    }
  }

  private func row(_ option: OptionName, _ step: PipelinePlan.Step) throws -> Row {
    let (value, origin) = try finding(option, step.arguments)
    return Row(name: option.key, value: Secrets.masked(value), origin: origin)
  }

  private func finding(_ option: OptionName, _ raw: RawArguments) throws -> (value: String, origin: String) {
    switch option {
    case .database: return try database(raw)
    case .user: return try user(raw)
    case .from: if let found = address(.from, "HK2PG_FROM", raw) { return found }
    case .to: if let found = address(.to, "HK2PG_TO", raw) { return found }
    default: break
    }
    if let words = raw.values[option] { return (CheckedSettings.words(option, words), option.flag) }
    if let file = raw.fileValues[option] { return (CheckedSettings.words(option, file.words), file.origin) }
    if option == .timezone, let zone = stored?.zone { return (zone, "stored in the database") }
    if option == .sourcePriority, let ranks = stored?.sourcePriority, !ranks.isEmpty {
      return (SourcePriority.text(of: ranks), "stored in the database")
    }
    return (defaultWords(option), "default")
  }

  private func database(_ raw: RawArguments) throws -> (String, String) {
    let choice = try DatabaseChoice(raw, plan.surroundings)
    switch choice.origin {
    case .flag, .url: return (choice.conninfo ?? "", choice.origin.rawValue)
    case .file: return (choice.conninfo ?? "", raw.fileValues[.database]?.origin ?? "")
    case .libpq: return ("as libpq's variables say", "PGHOST, PGSERVICE, PGDATABASE")
    case .cluster: return ("the private cluster", "default")
    }
  }

  private func address(_ option: OptionName, _ variable: String, _ raw: RawArguments) -> (String, String)? {
    guard raw.flagValue(option) == nil, let url = plan.surroundings.variable(variable) else { return nil }
    return (url, variable)
  }

  private func user(_ raw: RawArguments) throws -> (String, String) {
    if raw.command == .migrate && raw.value(.user) == nil { return ("all users", "default") }
    if plan.isCohort { return ("each export's own", CohortExports.path(plan)) }
    if let id = raw.flagValue(.user) { return (id, OptionName.user.flag) }
    if raw.command != .migrate, let id = plan.surroundings.variable("HEALTHKIT_USER_ID") {
      return (id, "HEALTHKIT_USER_ID")
    }
    if let file = raw.fileValues[.user] { return (file.words.last ?? "", file.origin) }
    if let kept = try UserChoice.kept(plan.surroundings, mayMake: false) {
      return (kept.id, UserFile(folder: plan.surroundings.configurationFolder).path)
    }
    return ("made at the first run", "default")
  }

  private static func words(_ option: OptionName, _ words: [String]) -> String {
    option.definition.takesValue ? words.joined(separator: "; ") : "true"
  }

  private func defaultWords(_ option: OptionName) -> String {
    switch option {
    case .timezone: "the newest in the export, else this machine’s"
    case .sourcePriority: "watch, iPhone, others"
    case .rawWindow: "all"
    case .missingRows: "removed, unless a type loses over 5 %"
    case .maxRejects: "no limit"
    case .jobs: "\(plan.surroundings.coreCount)"
    case .staging: "under the cache folder"
    default: option.definition.takesValue ? "none" : "false"
    }
  }
}
