import DailySummaries

/// What is wrong with a command line or its environment: data; `Failure` makes the sentence (exit 2).
enum UsageError: Error, Equatable {
  case missingCommand
  case unknownCommand(String, nearest: String?)
  /// The name alone, without a value that may stand behind `=`.
  case unknownOption(String, CommandName?, nearest: String?)
  /// Known, but of other commands.
  case foreignOption(OptionName, CommandName)
  case missingValue(OptionName, CommandName?)
  case unexpectedValue(OptionName)
  case missingPositional(PositionalName, CommandName)
  case extraPositional(String, CommandName)
  /// `origin` is a flag or an environment variable; `value` is nil where it may be private.
  case invalidValue(origin: String, value: String?, expected: String)
  case missingOption(OptionName, CommandName)
  case exclusiveOptions(OptionName, OptionName)
  /// The folder of a file to be written does not exist.
  case missingFolder(OptionName, path: String)
  case notWritable(OptionName, path: String, reason: String)
  case zone(SystemZoneError)
  case sourcePriority(SourcePriorityError)
  /// The generated user id could not be read or kept.
  case userFile(path: String, reason: String)

  struct PositionalName: Equatable {
    var name: String
    var choices: [String]?
  }
}
