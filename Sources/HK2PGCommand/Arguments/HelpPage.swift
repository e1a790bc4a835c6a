import ImportFlow

/// Help for people, generated from the definitions: nothing in it can be forgotten or out of date.
enum HelpPage {
  static let width = 92
  private static let column = 26

  /// What hk2pg reads from its environment.
  static let environment: [(name: String, meaning: String)] = [
    ("DATABASE_URL", "the database, where --database names none"),
    ("PGHOST, PGSERVICE, …", "libpq's own variables; one of PGHOST, PGSERVICE, PGDATABASE selects them"),
    ("PGPASSWORD, PGPASSFILE", "libpq's: a password that is on no command line"),
    ("HEALTHKIT_USER_ID", "the user, where --user names none"),
    ("HK2PG_FROM, HK2PG_TO", "the databases of migrate, where --from and --to name none"),
    ("XDG_CONFIG_HOME", "hk2pg/user-id, the generated user id (default ~/.config)"),
    ("XDG_DATA_HOME", "hk2pg, the private cluster (default ~/.local/share; as root /var/lib/hk2pg)"),
    ("HK2PG_DB_DIR", "another folder for the private cluster"),
    ("HK2PG_PG_BINDIR", "the folder with initdb, pg_ctl and postgres, where it is not found"),
    ("XDG_STATE_HOME", "hk2pg, locks and memory of pipelines (default ~/.local/state)"),
    ("XDG_CACHE_HOME", "hk2pg, work files (default ~/.cache)"),
    ("NO_COLOR", "no colour in results"),
  ]

  static func text(for command: CommandName?) -> String {
    (command.map(page) ?? overview).map { $0 + "\n" }.joined()
  }

  // MARK: Overall

  private static var overview: [String] {
    var lines = [
      "hk2pg \(HK2PGVersion.current): load Apple Health exports into PostgreSQL, as two tables to query", "",
      "Usage: hk2pg COMMAND [ARGUMENTS] [OPTIONS]", "",
    ]
    lines.append("Commands")
    for command in CommandName.allCases {
      lines += entry(synopsis(command), command.definition.summary + ".")
    }
    lines += ["", "Options of most commands (all of them: hk2pg COMMAND --help)"]
    for option in [OptionName.database, .user, .timezone, .json, .report, .progress, .quiet, .debug]
      + OptionName.universal
    {
      lines += entry(option)
    }
    lines += ["", "Start here"]
    lines += entry("hk2pg inspect export.zip", "look, without writing anything")
    lines += entry("hk2pg import export.zip", "into a PostgreSQL that hk2pg starts itself")
    lines += entry("hk2pg db psql", "query it")
    return lines + exitCodes + variables
  }

  private static var exitCodes: [String] {
    ["", "Exit codes"]
      + ExitCode.allCases.flatMap { code in
        WrappedText.entry(String(code.rawValue).aligned(to: 3), code.meaning, indent: 2, column: 7, width: width)
      }
  }

  private static var variables: [String] {
    ["", "Environment (a flag beats a variable)"] + environment.flatMap { entry($0.name, $0.meaning) }
  }

  // MARK: One command

  private static func page(_ command: CommandName) -> [String] {
    let definition = command.definition
    var lines = ["hk2pg \(command.rawValue): \(definition.summary)", "", "Usage: hk2pg \(synopsis(command)) [OPTIONS]"]
    if !definition.about.isEmpty { lines += [""] + WrappedText.lines(definition.about, width: width) }
    if !definition.positionals.isEmpty {
      lines += ["", "Arguments"] + definition.positionals.flatMap { entry($0.name, $0.help) }
    }
    let options = definition.options + OptionName.universal
    for group in OptionDefinition.Group.allCases {
      let members = options.filter { (definition.ownOptions[$0] ?? $0.definition).group == group }
      if !members.isEmpty { lines += ["", group.rawValue] + members.flatMap { entry($0, definition) } }
    }
    lines += ["", "Examples"]
    for example in definition.examples {
      lines += WrappedText.entry(example.line, example.meaning, indent: 2, column: 2 + 44, width: width)
    }
    return lines + exitCodes + (definition.options.contains { [.database, .from].contains($0) } ? variables : [])
  }

  private static func synopsis(_ command: CommandName) -> String {
    let needed =
      [.stage, .dump].contains(command)
      ? ["--into DIR"]
      : command == .prune
        ? ["--older-than 30d"]
        : command == .report ? ["--out FILE.html"] : []
    let positionals = command.definition.positionals.map { $0.isOptional ? "[\($0.name)]" : $0.name }
    return ([command.rawValue] + positionals + needed).joined(separator: " ")
  }

  private static func entry(_ option: OptionName, _ command: CommandDefinition? = nil) -> [String] {
    let definition = command?.ownOptions[option] ?? option.definition
    let term = option == .help ? "-h, --help" : option.flag
    return entry(definition.placeholder.map { "\(term) \($0)" } ?? term, definition.help)
  }

  private static func entry(_ term: String, _ text: String) -> [String] {
    WrappedText.entry(term, text, indent: 2, column: column, width: width)
  }
}
