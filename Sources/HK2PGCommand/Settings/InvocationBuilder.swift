import DailySummaries
import Foundation
import HealthModel
import ImportFlow
import Queries

/// Raw words to checked settings: flag beats environment beats pipeline file beats default. Opens nothing but the user's id file.
struct InvocationBuilder {
  let raw: RawArguments
  let surroundings: Surroundings
  /// Makes nothing: where a user id would be made, none is named.
  var isTrial = false
  /// Sentences for stderr: a new user id is printed once.
  private(set) var notes: [String] = []

  init(_ raw: RawArguments, _ surroundings: Surroundings) {
    self.raw = raw
    self.surroundings = surroundings
  }

  mutating func build() throws(UsageError) -> Invocation {
    if raw.wantsHelp { return Invocation(command: .help(raw.command), output: OutputSettings()) }
    if raw.wantsVersion { return Invocation(command: .version, output: OutputSettings()) }
    guard let name = raw.command else { throw .missingCommand }
    let output = try OutputSettings(raw, surroundings)
    return Invocation(command: try command(name), output: output)
  }

  private mutating func command(_ name: CommandName) throws(UsageError) -> Invocation.Command {
    switch name {
    case .importExport:
      let database = try DatabaseChoice(raw, surroundings)
      return .importExport(try importSettings(export: raw.positionals[0], .importExport, database), database)
    case .stage:
      guard let folder = raw.value(.into) else { throw .missingOption(.into, .stage) }
      return .stage(try importSettings(export: raw.positionals[0], .stage), into: folder)
    case .load:
      let database = try DatabaseChoice(raw, surroundings)
      return .load(folder: raw.positionals[0], try importSettings(export: "", .load, database), database)
    case .inspect:
      return .inspect(try importSettings(export: raw.positionals[0], .inspect))
    case .summarize:
      let database = try DatabaseChoice(raw, surroundings)
      let options = try summarizeOptions()
      return .summarize(try tierSettings(.summarize, database), options, database)
    case .prune:
      let database = try DatabaseChoice(raw, surroundings)
      guard let text = raw.value(.olderThan) else { throw .missingOption(.olderThan, .prune) }
      let days = try dayCount(text, origin: .olderThan, expected: "days such as 30d")
      return .prune(
        try tierSettings(.prune, database), keptDays: days, isDryRun: raw.has(.dryRun), database)
    case .verify:
      let database = try DatabaseChoice(raw, surroundings)
      return .verify(try verifySettings(database), database)
    case .migrate: return .migrate(try migrateSettings())
    case .dump:
      let database = try DatabaseChoice(raw, surroundings)
      guard let folder = raw.value(.into) else { throw .missingOption(.into, .dump) }
      return .dump(try tierSettings(.dump, database), into: folder, database)
    case .schema:
      if raw.has(.print) && raw.has(.apply) { throw .exclusiveOptions(.print, .apply) }
      if raw.has(.distributed) && raw.has(.apply) { throw .exclusiveOptions(.distributed, .apply) }
      let partitions = try raw.count(.partitions, in: 1...1024)
      if partitions != nil && !raw.has(.distributed) { throw .missingOption(.distributed, .schema) }
      if raw.has(.distributed) { return .schemaDistributed(partitions: partitions ?? 0) }
      return raw.has(.apply) ? .schemaApply(try DatabaseChoice(raw, surroundings)) : .schemaPrint
    case .status:
      // HEALTHKIT_USER_ID does not narrow the view: it names whose data is loaded.
      let user = raw.has(.user) ? try UserChoice.named(raw, surroundings)?.id : nil
      return .status(try DatabaseChoice(raw, surroundings), user: user, isCleaning: raw.has(.clean))
    case .query:
      let database = try DatabaseChoice(raw, surroundings)
      return .query(try querySettings(), database)
    case .mcp:
      let database = try DatabaseChoice(raw, surroundings)
      return .mcp(try queryUser(.mcp), database)
    case .report:
      let database = try DatabaseChoice(raw, surroundings)
      guard let out = raw.value(.out) else { throw .missingOption(.out, .report) }
      let path = out == "-" ? nil : try raw.fileToWrite(.out)
      return .report(try queryUser(.report), path: path, database)
    case .db:
      return .database(databaseAction)
    case .run:
      if raw.has(.check) && raw.has(.watch) { throw .exclusiveOptions(.check, .watch) }
      return .run(
        PipelineRequest(
          path: raw.positionals[0], isCheck: raw.has(.check), isWatch: raw.has(.watch), arguments: raw,
          surroundings: surroundings))
    }
  }

  private var databaseAction: Invocation.DatabaseAction {
    switch raw.positionals[0] {
    case "start": .start
    case "stop": .stop
    case "url": .url
    case "psql": .psql(raw.passedOn)
    default: .status
    }
  }

  // MARK: Import settings

  /// A load takes its user from the manifest, and an inspection needs none: no id is made for them.
  private mutating func importSettings(
    export: String, _ name: CommandName, _ database: DatabaseChoice? = nil
  ) throws(UsageError) -> ImportSettings {
    let jobs = try raw.count(.jobs, in: 1...1024)
    var settings = ImportSettings(
      exportPath: export, user: "", isUserExplicit: false, jobs: jobs ?? max(1, surroundings.coreCount))
    if let zone = raw.value(.timezone) { settings.timezone = try checkedZone(zone) }
    settings.rawWindowDays = try rawWindow()
    settings.isSalvage = raw.has(.salvage)
    settings.sourcePriority = try sourcePriority()
    settings.missingRows = try missingRows()
    settings.rejectsPath = try raw.fileToWrite(.rejects)
    settings.maxRejects = try raw.count(.maxRejects, in: 0...Int.max)
    settings.isForced = raw.has(.force)
    settings.isNoWait = raw.has(.noWait)
    settings.stagingPath = try raw.path(.staging)
    settings.keepsChunks = raw.has(.keepChunks)
    settings.conninfo = database?.conninfo
    if name == .importExport || name == .stage { try chooseUser(&settings) }
    return settings
  }

  /// Last of all: a command line with a mistake leaves no file behind.
  private mutating func chooseUser(_ settings: inout ImportSettings) throws(UsageError) {
    var user = try UserChoice.named(raw, surroundings)
    if user == nil { user = try UserChoice.kept(surroundings, mayMake: !isTrial) }
    guard let user else { return }
    settings.user = user.id
    settings.isUserExplicit = user.isExplicit
    if let path = user.madeIn { notes.append("new user id \(user.id), kept in \(path) (--user names another)") }
  }

  /// Known now, not after minutes of reading.
  private func checkedZone(_ name: String) throws(UsageError) -> String {
    do { return try SystemZones.load(name: name).name } catch { throw .zone(error) }
  }

  /// nil: not given. An empty text empties what was kept.
  private func sourcePriority() throws(UsageError) -> [String: [String]]? {
    if !raw.has(.sourcePriority) { return nil }
    var result: [String: [String]] = [:]
    for text in raw.allValues(.sourcePriority) {
      let part: [String: [String]]
      do { part = try SourcePriority.parse(text) } catch { throw .sourcePriority(error) }
      if let type = part.keys.sorted().first(where: { result[$0] != nil }) { throw .sourcePriority(.doubledType(type)) }
      result.merge(part) { old, _ in old }
    }
    return result
  }

  private func rawWindow() throws(UsageError) -> Int? {
    guard let text = raw.value(.rawWindow), text != "all" else { return nil }
    return try dayCount(text, origin: .rawWindow, expected: "all, or days such as 30d")
  }

  private func dayCount(_ text: String, origin: OptionName, expected: String) throws(UsageError) -> Int {
    if text.hasSuffix("d"), let days = Int(text.dropLast()), (1...36_500).contains(days), !text.hasPrefix("+") {
      return days
    }
    throw .invalidValue(origin: raw.origin(of: origin), value: text, expected: expected)
  }

  // MARK: Commands on stored rows

  /// An id that was just made would have no rows: none is made.
  func tierSettings(_ name: CommandName, _ database: DatabaseChoice) throws(UsageError) -> TierSettings {
    var user = try UserChoice.named(raw, surroundings)
    if user == nil { user = try UserChoice.kept(surroundings, mayMake: false) }
    if user == nil && isTrial { user = UserChoice(id: "", isExplicit: false) }
    guard let user else { throw .missingOption(.user, name) }
    var settings = TierSettings(conninfo: database.conninfo, user: user.id, isUserExplicit: user.isExplicit)
    settings.isNoWait = raw.has(.noWait)
    return settings
  }

  /// Zone and ranks hold for all days, so they cannot be changed for some.
  private func summarizeOptions() throws(UsageError) -> SummarizeOptions {
    var options = SummarizeOptions()
    if let zone = raw.value(.timezone) { options.timezone = try checkedZone(zone) }
    options.sourcePriority = try sourcePriority()
    if let text = raw.value(.days) {
      for other in [OptionName.timezone, .sourcePriority] where raw.has(other) { throw .exclusiveOptions(.days, other) }
      options.days = try dayRange(text)
    }
    return options
  }

  // MARK: Questions

  private func queryUser(_ name: CommandName) throws(UsageError) -> QueryUser {
    var user = try UserChoice.named(raw, surroundings)
    if user == nil { user = try UserChoice.kept(surroundings, mayMake: false) }
    guard let user else { throw .missingOption(.user, name) }
    return QueryUser(id: user.id, isExplicit: user.isExplicit)
  }

  private func querySettings() throws(UsageError) -> QuerySettings {
    if raw.has(.json) && raw.has(.csv) { throw .exclusiveOptions(.json, .csv) }
    if raw.has(.days) && raw.has(.from) { throw .exclusiveOptions(.days, .from) }
    if raw.has(.days) && raw.has(.to) { throw .exclusiveOptions(.days, .to) }
    if raw.has(.to) && !raw.has(.from) { throw .missingOption(.from, .query) }
    var settings = QuerySettings(
      metric: raw.positionals.first, isCSV: raw.has(.csv), user: try queryUser(.query))
    if let count = try raw.count(.days, in: 1...36_500) { settings.days = .last(count) }
    if let from = try date(.from) {
      let to = try date(.to)
      if let to, to < from {
        throw .invalidValue(origin: OptionName.to.flag, value: "\(to)", expected: "a date not before --from")
      }
      settings.days = .range(from: from, to: to)
    }
    if let text = raw.value(.by) {
      guard let period = Period(rawValue: text) else {
        throw .invalidValue(origin: OptionName.by.flag, value: text, expected: "day, week or month")
      }
      settings.period = period
    }
    return settings
  }

  private func date(_ option: OptionName) throws(UsageError) -> CivilDay? {
    guard let text = raw.value(option) else { return nil }
    guard let day = CivilDay(iso8601: text) else {
      throw .invalidValue(origin: option.flag, value: text, expected: "a date such as 2024-01-31")
    }
    return day
  }

  private func dayRange(_ text: String) throws(UsageError) -> ClosedRange<CivilDay> {
    let ends = text.components(separatedBy: "..").map { CivilDay(iso8601: $0) }
    guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else {
      throw .invalidValue(
        origin: raw.origin(of: .days), value: text, expected: "two dates such as 2024-01-01..2024-03-31")
    }
    return first...last
  }

  private func missingRows() throws(UsageError) -> ImportSettings.MissingRows {
    guard let text = raw.value(.missingRows) else { return .automatic }
    guard let choice = ImportSettings.MissingRows(rawValue: text), choice != .automatic else {
      throw .invalidValue(origin: raw.origin(of: .missingRows), value: text, expected: "keep or remove")
    }
    return choice
  }
}

extension OutputSettings {
  init(_ raw: RawArguments, _ surroundings: Surroundings) throws(UsageError) {
    if let text = raw.value(.progress) {
      guard let choice = Progress(rawValue: text) else {
        let names = Progress.allCases.map(\.rawValue).joined(separator: ", ")
        throw .invalidValue(origin: OptionName.progress.flag, value: text, expected: names)
      }
      progress = choice
    }
    isQuiet = raw.has(.quiet)
    isJSON = raw.has(.json)
    isDebug = raw.has(.debug)
    isColoured = surroundings.wantsColour
    reportPath = try raw.fileToWrite(.report)
    if let reportPath, let rejectsPath = raw.value(.rejects), reportPath == rejectsPath {
      throw .exclusiveOptions(.report, .rejects)
    }
  }
}

extension RawArguments {
  func count(_ option: OptionName, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text), range.contains(number), !text.hasPrefix("+") else {
      let isOpen = range.upperBound == Int.max
      let limit = "a whole number from \(range.lowerBound)" + (isOpen ? " on" : " to \(range.upperBound)")
      throw .invalidValue(origin: origin(of: option), value: text, expected: limit)
    }
    return number
  }

  func path(_ option: OptionName) throws(UsageError) -> String? {
    guard let path = value(option) else { return nil }
    guard !path.isEmpty else { throw .invalidValue(origin: origin(of: option), value: "", expected: "a path") }
    return path
  }

  /// A file that is written at the end of a long run: what is wrong with its place is said at the start.
  func fileToWrite(_ option: OptionName) throws(UsageError) -> String? {
    guard let path = try path(option) else { return nil }
    let manager = FileManager.default
    let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
    guard isFolder(folder) else { throw .missingFolder(option, path: path) }
    if isFolder(path) { throw .notWritable(option, path: path, reason: "it is a folder") }
    if let export = positionals.first, export == path {
      throw .notWritable(option, path: path, reason: "it is the export")
    }
    guard manager.isWritableFile(atPath: manager.fileExists(atPath: path) ? path : folder) else {
      throw .notWritable(option, path: path, reason: "permission denied")
    }
    return path
  }

  private func isFolder(_ path: String) -> Bool {
    var answer: ObjCBool = false
    // The pointer lives for this call only.
    return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &answer) && answer.boolValue
  }
}
