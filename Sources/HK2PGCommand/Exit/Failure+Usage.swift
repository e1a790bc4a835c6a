import DailySummaries

extension Failure {
  init(usage error: UsageError) {
    switch error {
    case .missingCommand:
      self.init(.usage, "no command given", next: "See: hk2pg --help")
    case .unknownCommand(let word, let nearest):
      self.init(
        .usage, "there is no command “\(word)”",
        next: nearest.map { "Did you mean: hk2pg \($0)" } ?? "Commands: hk2pg --help")
    case .unknownOption(let flag, let command, let nearest):
      self.init(
        .usage, "unknown option \(flag)",
        next: nearest.map { "Did you mean \($0)? All options: \(Failure.help(command))" }
          ?? "Options: \(Failure.help(command))")
    case .foreignOption(let option, let command):
      let owners = CommandName.allCases.filter { $0.definition.options.contains(option) }.map(\.rawValue)
      self.init(
        .usage, "hk2pg \(command.rawValue) has no option \(option.flag)",
        next: "It belongs to: \(owners.joined(separator: ", ")). Options: \(Failure.help(command))")
    case .missingValue(let option, let command):
      let placeholder = Failure.placeholder(option, command)
      self.init(
        .usage, "\(option.flag) needs a value",
        next: "Write \(option.flag) \(placeholder), or \(option.flag)=… where the value begins with dashes.")
    case .unexpectedValue(let option):
      self.init(.usage, "\(option.flag) takes no value", next: "Write it alone: \(option.flag)")
    case .missingPositional(let positional, let command):
      let choices = positional.choices.map { " (\($0.joined(separator: ", ")))" } ?? ""
      self.init(
        .usage, "hk2pg \(command.rawValue) needs \(positional.name)\(choices)", next: "See: \(Failure.help(command))")
    case .extraPositional(let word, let command):
      let isURL = word.contains("://")
      self.init(
        .usage, "“\(word)” is one argument too many for hk2pg \(command.rawValue)",
        next: isURL ? "Name a database with --database URL." : "Quote a path with blanks. See: \(Failure.help(command))"
      )
    case .invalidValue(let origin, let value, let expected):
      let shown = value.map { " cannot be “\($0)”" } ?? " is not understood"
      self.init(.usage, origin + shown, next: "Expected: \(expected).")
    case .missingOption(let option, let command):
      self.init(
        .usage, "hk2pg \(command.rawValue) needs \(option.flag) \(Failure.placeholder(option, command))",
        next: "See: \(Failure.help(command))")
    case .exclusiveOptions(let a, let b):
      let isFile = a == .report
      self.init(
        .usage, isFile ? "\(a.flag) and \(b.flag) name the same file" : "\(a.flag) and \(b.flag) exclude each other",
        next: isFile ? "Give them different names." : "Give one of them.")
    case .missingFolder(let option, let path):
      self.init(.usage, "the folder of \(option.flag) \(path) does not exist", next: "Make it, or name another one.")
    case .notWritable(let option, let path, let reason):
      self.init(.usage, "cannot write \(option.flag) \(path): \(reason)", next: "Name another file.")
    case .zone(let error): self.init(zone: error)
    case .sourcePriority(let error):
      self.init(
        .usage, "--source-priority: \(Failure.words(error))",
        next: #"Write "A,B" for all types, or "TYPE=A,B;TYPE2=C"; a backslash keeps , ; and = in a name."#)
    case .userFile(let path, let reason):
      self.init(
        .usage, "the user id is kept in \(path), but \(reason)",
        next: "Name the user with --user ID or HEALTHKIT_USER_ID, or repair the file.")
    }
  }

  /// The value as the command's help calls it: --from is a URL for some commands and a date for others.
  private static func placeholder(_ option: OptionName, _ command: CommandName?) -> String {
    (command?.definition.ownOptions[option] ?? option.definition).placeholder ?? "VALUE"
  }

  /// Source names are people's: they are not repeated.
  private static func words(_ error: SourcePriorityError) -> String {
    func list(_ type: String) -> String { type.isEmpty ? "the list for all types" : "the list of \(type.shown())" }
    switch error {
    case .emptyName(let type): return "a name is missing in \(list(type))"
    case .doubledType(let type): return "\(list(type)) is given twice"
    case .doubledSource(_, let type): return "a source stands twice in \(list(type))"
    case .unknownType(let type): return "“\(type.shown())” is no metric type, they begin with HK"
    }
  }

  private static func help(_ command: CommandName?) -> String {
    command.map { "hk2pg \($0.rawValue) --help" } ?? "hk2pg --help"
  }
}
