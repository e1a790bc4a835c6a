import HealthModel

/// A command line taken apart, not yet understood: which command, which options with which words.
///
/// `--name value`, `--name=value`, flags anywhere (before the command too), `--` ends the options, a single `-` is a
/// word (stdin). `--help` wins over every mistake beside it.
struct RawArguments: Sendable {
  private(set) var command: CommandName?
  private(set) var values: [OptionName: [String]] = [:]
  private(set) var positionals: [String] = []
  /// Words for another program (`db psql …`).
  private(set) var passedOn: [String] = []
  /// What a pipeline file says: below flags and environment.
  private(set) var fileValues: [OptionName: FileValue] = [:]
  private(set) var wantsHelp = false
  private(set) var wantsVersion = false

  private var firstMistake: UsageError?

  /// `arguments` without the program's name.
  init(parsing arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word == "--" {
        for positional in rest { take(positional: positional) }
        break
      }
      if word.hasPrefix("-"), word != "-" {
        take(option: word, &rest)
      } else {
        take(positional: word)
      }
      if passesOn {
        passedOn = Array(rest.first == "--" ? rest.dropFirst() : rest)
        break
      }
    }
    if wantsHelp || wantsVersion { return }
    // The command may have come after the option.
    if case .missingValue(let option, nil) = firstMistake { throw .missingValue(option, command) }
    if let firstMistake { throw firstMistake }
    try check()
  }

  /// A step of a pipeline: a command with what `hk2pg run` was given and what the file says.
  ///
  /// - Parameter flags: of the command line; those that `command` does not have are left out.
  init(
    step command: CommandName, positionals: [String], flags: [OptionName: [String]], file: [OptionName: FileValue]
  ) {
    self.command = command
    self.positionals = positionals
    let options = Set(command.definition.options)
    self.values = flags.filter { options.contains($0.key) }
    self.fileValues = file.filter { options.contains($0.key) }
  }

  /// The words of an option in a pipeline file, as they would stand on the command line.
  struct FileValue: Sendable, Equatable {
    var words: [String]
    /// File and line.
    var origin: String
  }

  func has(_ option: OptionName) -> Bool { values[option] != nil || fileValues[option] != nil }

  /// The last value given; a flag beats the pipeline file.
  func value(_ option: OptionName) -> String? { flagValue(option) ?? fileValue(option) }

  /// All values, of an option that can be repeated.
  func allValues(_ option: OptionName) -> [String] { values[option] ?? fileValues[option]?.words ?? [] }

  func flagValue(_ option: OptionName) -> String? { values[option]?.last }

  func fileValue(_ option: OptionName) -> String? { fileValues[option]?.words.last }

  /// How messages call an option: as it was given.
  func origin(of option: OptionName) -> String {
    guard values[option] == nil, let file = fileValues[option] else { return option.flag }
    return "\(option.key) (\(file.origin))"
  }

  // MARK: Taking words

  private var passesOn: Bool {
    guard let last = positionals.last, let definition = command?.definition.positionals.last else { return false }
    return definition.passesOnAfter == last && positionals.count == command?.definition.positionals.count
  }

  private mutating func take(positional word: String) {
    if command == nil {
      if word == "help" {
        wantsHelp = true
      } else if let known = CommandName(rawValue: word) {
        command = known
      } else {
        note(.unknownCommand(Secrets.masked(word), nearest: nearestCommand(word)))
      }
      return
    }
    positionals.append(word)
  }

  private mutating func take(option word: String, _ rest: inout ArraySlice<String>) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let typed = parts[0]
    if typed == "-h" || typed == "--help" {
      wantsHelp = true
      return
    }
    if typed == "--version" {
      wantsVersion = true
      return
    }
    guard typed.hasPrefix("--"), let option = OptionName(rawValue: String(typed.dropFirst(2))) else {
      return note(.unknownOption(Secrets.masked(typed), command, nearest: nearestOption(typed)))
    }
    if !option.definition.takesValue {
      if parts.count > 1 { note(.unexpectedValue(option)) }
      values[option, default: []].append("")
    } else if parts.count > 1 {
      values[option, default: []].append(parts[1])
    } else if let next = rest.first, !next.hasPrefix("--") {
      rest.removeFirst()
      values[option, default: []].append(next)
    } else {
      note(.missingValue(option, command))
    }
  }

  private mutating func note(_ mistake: UsageError) { firstMistake = firstMistake ?? mistake }

  // MARK: Checking

  private func check() throws(UsageError) {
    guard let command else { throw .missingCommand }
    let definition = command.definition
    for option in OptionName.allCases where has(option) && !definition.options.contains(option) {
      throw .foreignOption(option, command)
    }
    for (index, positional) in definition.positionals.enumerated() {
      guard index < positionals.count else {
        if positional.isOptional { continue }
        throw .missingPositional(.init(name: positional.name, choices: positional.choices), command)
      }
      if let choices = positional.choices, !choices.contains(positionals[index]) {
        throw .invalidValue(
          origin: positional.name, value: Secrets.masked(positionals[index]),
          expected: choices.joined(separator: ", "))
      }
    }
    if positionals.count > definition.positionals.count {
      throw .extraPositional(Secrets.masked(positionals[definition.positionals.count]), command)
    }
  }

  private func nearestCommand(_ word: String) -> String? {
    NearestWord.of(word, among: CommandName.allCases.map(\.rawValue))
  }

  /// Among the options of the command, when it is known already.
  private func nearestOption(_ typed: String) -> String? {
    let known = (command?.definition.options ?? OptionName.allCases) + OptionName.universal
    let word = String(typed.drop { $0 == "-" })
    return NearestWord.of(word, among: known.map(\.rawValue)).map { "--" + $0 }
  }
}
