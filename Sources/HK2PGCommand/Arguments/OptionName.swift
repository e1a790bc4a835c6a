/// Every option of hk2pg; the raw value is what follows the two dashes.
///
/// What an option means stands in `definition`; which command has it, in `CommandName.definition`.
enum OptionName: String, CaseIterable, Sendable {
  case database, from, to, user
  case newUser = "as"
  case timezone
  case rawWindow = "raw-window"
  case sourcePriority = "source-priority"
  case salvage, rejects
  case maxRejects = "max-rejects"
  case missingRows = "missing-rows"
  case force
  case noWait = "no-wait"
  case jobs, staging
  case keepChunks = "keep-chunks"
  case into
  case days
  case olderThan = "older-than"
  case dryRun = "dry-run"
  case print, apply, distributed, partitions, clean
  case by
  case check, watch
  case csv
  case out
  case json, report, progress, quiet, debug
  case help, version

  /// As typed: `--raw-window`.
  var flag: String { "--" + rawValue }

  /// In a pipeline file: `raw_window`.
  var key: String { rawValue.replacing("-", with: "_") }

  /// Part of every command, and of `hk2pg` alone.
  static let universal: [OptionName] = [.help, .version]
}

/// What one option takes and means. A flag has no `placeholder`.
struct OptionDefinition: Sendable {
  enum Group: String, CaseIterable, Sendable {
    case action = "Action"
    case target = "Database and user"
    case content = "What is loaded"
    case run = "How it runs"
    case output = "Output"
    case general = "General"
  }

  var group: Group
  /// Name of the value in help, for instance `URL` or `all|30d`; nil: the option takes no value.
  var placeholder: String?
  var help: String
  /// Several of them add up; of any other option the last one counts.
  var isRepeatable = false
  /// The value may hold a password or a person's name: it never stands in a message.
  var isPrivate = false

  /// Only these values are allowed, when the placeholder lists them (`auto|bar|plain`).
  var takesValue: Bool { placeholder != nil }

  static func flag(_ group: Group, _ help: String) -> OptionDefinition {
    OptionDefinition(group: group, placeholder: nil, help: help)
  }

  static func value(_ group: Group, _ placeholder: String, _ help: String) -> OptionDefinition {
    OptionDefinition(group: group, placeholder: placeholder, help: help)
  }

  func repeatable() -> OptionDefinition {
    var result = self
    result.isRepeatable = true
    return result
  }

  func keptPrivate() -> OptionDefinition {
    var result = self
    result.isPrivate = true
    return result
  }
}
