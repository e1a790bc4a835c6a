/// The commands; the raw value is what is typed. Commands that do not work yet are not listed.
enum CommandName: String, CaseIterable, Sendable {
  case importExport = "import"
  case stage, load, inspect, verify, summarize, prune, migrate, dump, schema, status, run
  case query, mcp
  case report
  case db
}

/// One argument without dashes.
struct PositionalDefinition: Sendable {
  var name: String
  var help: String
  /// The words allowed; nil: anything.
  var choices: [String]?
  /// After this word everything belongs to another program and is passed on as it is.
  var passesOnAfter: String?
  var isOptional = false
}

struct CommandDefinition: Sendable {
  var summary: String
  /// A paragraph or two, wrapped when printed.
  var about: String
  var positionals: [PositionalDefinition]
  var options: [OptionName]
  /// Options that mean something else here than elsewhere.
  var ownOptions: [OptionName: OptionDefinition] = [:]
  /// Command lines with a word on each.
  var examples: [(line: String, meaning: String)]
}

extension CommandName {
  static let output: [OptionName] = [.json, .quiet, .debug]
  private static let progress: [OptionName] = [.json, .report, .progress, .quiet, .debug]
  private static let content: [OptionName] = [.rawWindow, .sourcePriority, .salvage, .rejects, .maxRejects]

  private static let export = PositionalDefinition(
    name: "EXPORT",
    help: "The export: the .zip as the phone made it, export.xml, the unpacked folder, or - for XML on stdin.")

  var definition: CommandDefinition {
    switch self {
    case .importExport: importDefinition
    case .stage: stageDefinition
    case .load: loadDefinition
    case .inspect: inspectDefinition
    case .verify: verifyDefinition
    case .migrate: migrateDefinition
    case .dump: dumpDefinition
    case .summarize: summarizeDefinition
    case .prune: pruneDefinition
    case .schema: schemaDefinition
    case .status: statusDefinition
    case .query: queryDefinition
    case .mcp: mcpDefinition
    case .report: reportDefinition
    case .db: databaseDefinition
    case .run: runDefinition
    }
  }

  private var importDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Load an export into PostgreSQL",
      about: """
        Reads the export, makes rows and daily summaries of it, and publishes them in one short transaction: other \
        programs see the old state or the new one. Running it again is always safe, after an interruption too; \
        what is already there is not written again.
        """,
      positionals: [CommandName.export],
      options: [.database, .user, .timezone] + CommandName.content + [.missingRows, .force]
        + [.jobs, .noWait, .staging, .keepChunks] + CommandName.progress,
      examples: [
        ("hk2pg import export.zip", "into PostgreSQL that hk2pg starts itself"),
        ("DATABASE_URL=postgres://… hk2pg import export.zip", "into your database"),
        ("hk2pg import export.zip --raw-window 30d --report report.json", "all summaries, few raw rows"),
      ])
  }

  private var stageDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Turn an export into chunk files, without a database",
      about: """
        Writes compressed binary COPY files and a manifest. `hk2pg load` brings them into a database, on another \
        machine too; so does: zstd -dc CHUNK | psql -c "\\copy … from stdin (format binary)".
        """,
      positionals: [CommandName.export],
      options: [.into, .jobs, .staging, .user, .timezone] + CommandName.content + CommandName.progress,
      examples: [("hk2pg stage export.zip --into chunks", "the folder must be new or empty")])
  }

  private var loadDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Load chunk files into PostgreSQL",
      about: """
        Loads a folder made by `hk2pg stage` or `hk2pg dump`. User, zone and options are those it was written with. \
        Of a dump, rows of all programs come back with their ids and times; nothing is deleted.
        """,
      positionals: [PositionalDefinition(name: "DIR", help: "The folder with manifest.json.")],
      options: [.database, .missingRows, .force, .jobs, .noWait] + CommandName.progress,
      examples: [("hk2pg load chunks --database postgres://localhost/health", "into your database")])
  }

  private var inspectDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Show what an export holds; writes nothing to a database",
      about: "Types with counts and dates, sources, units, zone, problems, and how large the database would be.",
      positionals: [CommandName.export],
      options: [.timezone, .salvage, .rejects, .maxRejects, .jobs, .staging] + CommandName.progress,
      examples: [
        ("hk2pg inspect export.zip", "for reading"),
        ("hk2pg inspect export.zip --json --quiet", "for scripts"),
      ])
  }

  private var summarizeDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Recompute daily summaries from the raw rows in the database",
      about: """
        Sums up the raw rows of all programs by the rules of an import, and writes what differs. For rows that another \
        program wrote, for another time zone, and for another order of sources; both are kept and used from then on. \
        Days whose raw rows are not there are left as they are: pruned ones, those before --raw-window, those with a \
        summary alone.
        """,
      positionals: [],
      options: [.days, .database, .user, .timezone, .sourcePriority, .noWait] + CommandName.progress,
      examples: [
        ("hk2pg summarize", "after another program wrote rows"),
        ("hk2pg summarize --timezone America/New_York", "days of another zone"),
        ("hk2pg summarize --source-priority \"Jane’s Watch,Pedometer\"", "another order of sources"),
      ])
  }

  private var pruneDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Delete raw rows that are safely summarised",
      about: """
        Deletes raw rows of days whose stored summary is exactly what the rows give; a day whose summary differs is \
        named and left alone. Only rows that hk2pg imported are deleted, never those of other programs, and only types \
        that have summaries: quantities, categories, sleep, workouts. Routes, correlations, electrocardiograms and the \
        like stay. A later import does not bring the rows back. Metadata of deleted rows is gone: keep the export.
        """,
      positionals: [],
      options: [.olderThan, .dryRun, .database, .user, .noWait] + CommandName.progress,
      examples: [
        ("hk2pg prune --older-than 30d --dry-run", "look first"),
        ("hk2pg prune --older-than 365d", "keep a year of raw rows"),
      ])
  }

  private var schemaDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Print or create the tables",
      about: "`hk2pg import` creates what is missing by itself; this is for those who want to look first.",
      positionals: [],
      options: [.print, .apply, .distributed, .partitions, .database] + CommandName.output,
      examples: [
        ("hk2pg schema", "print the DDL"),
        ("hk2pg schema --apply", "create what is missing"),
        ("hk2pg schema --distributed --partitions 16 | psql", "hash partitions by user"),
      ])
  }

  private var statusDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Show past imports, what they added, and what is running",
      about: "",
      positionals: [],
      options: [.clean, .database, .user] + CommandName.output,
      examples: [("hk2pg status", "all imports the database knows"), ("hk2pg status --clean", "tidy up")])
  }

  private var runDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Run a pipeline file, for schedules and studies",
      about: """
        A pipeline is a JSON5 file; pipelines/ has examples. Its steps are commands of hk2pg, its other keys their \
        options with _ for -, for instance raw_window. A flag here beats a variable of the environment, which beats \
        the file. ${NAME} in the file stands for a variable; passwords belong there. One line at the end says what was \
        done. Nothing runs twice at once: a second start of the same pipeline ends with exit code 5.
        """,
      positionals: [PositionalDefinition(name: "PIPELINE", help: "The file, for instance pipelines/reimport.json5.")],
      options: [.check, .watch, .database, .user, .timezone] + CommandName.content + [.missingRows, .force]
        + [.jobs, .noWait, .staging] + CommandName.progress,
      examples: [
        ("hk2pg run pipelines/reimport.json5 --check", "what would be done, and with which settings"),
        ("hk2pg run pipelines/reimport.json5", "once: from cron or a systemd timer"),
        ("hk2pg run pipelines/reimport.json5 --watch", "import whenever a new export comes"),
        ("hk2pg run pipelines/cohort.json5 --jobs 4", "many exports, four at a time"),
        ("hk2pg run pipelines/cohort.json5 --user p-017", "one of them"),
      ])
  }

  private var queryDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Show a metric by day, week or month",
      about: """
        Reads daily summaries where raw rows are pruned or older than the newest export, and sums up raw rows where \
        they may be newer, by the rules of an import: overlapping sources count once. Each day is from one of the two, \
        and marked with it. Without METRIC: what there is.
        """,
      positionals: [
        PositionalDefinition(
          name: "METRIC",
          help: """
            steps, hrv, resting-heart-rate, sleep, weight, workouts …, or an identifier such as \
            HKQuantityTypeIdentifierStepCount.
            """, isOptional: true)
      ],
      options: [.days, .from, .to, .by, .database, .user, .json, .csv, .quiet, .debug],
      ownOptions: [
        .days: .value(.action, "N", "The last N local days, today included. Default: 30."),
        .from: .value(.action, "DATE", "First local day, for instance 2024-01-01, instead of --days."),
        .to: .value(.action, "DATE", "Last local day. Default: today."),
      ],
      examples: [
        ("hk2pg query steps --days 90", "one line a day"),
        ("hk2pg query hrv --from 2024-01-01 --by month", "one line a month"),
        ("hk2pg query sleep --csv > sleep.csv", "with stages, for a spreadsheet"),
        ("hk2pg query", "which metrics there are"),
      ])
  }

  private var mcpDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Serve the data to an assistant (Model Context Protocol on stdio)",
      about: """
        Started by an MCP client, which speaks with it on standard input and output. Its tools only read, and only the \
        rows of one user; no SQL is taken from the client. What they answer goes to the assistant, and to whoever runs \
        that.
        """,
      positionals: [],
      options: [.database, .user, .debug],
      examples: [("hk2pg mcp --user ID", "as the command in the client's configuration")])
  }

  private var databaseDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Run hk2pg's own PostgreSQL: start, stop, status, url, psql",
      about: """
        The private cluster lives under $XDG_DATA_HOME/hk2pg (usually ~/.local/share/hk2pg; as root: \
        /var/lib/hk2pg), listens on a private socket only, and starts by itself when an import needs it.
        """,
      positionals: [
        PositionalDefinition(
          name: "ACTION",
          help: "start, stop, status, url (print its address), or psql (open it; what follows goes to psql).",
          choices: ["start", "stop", "status", "url", "psql"], passesOnAfter: "psql")
      ],
      options: CommandName.output,
      examples: [
        ("hk2pg db psql", "a prompt in the private cluster"),
        ("hk2pg db psql -c 'TABLE healthkit_daily_summaries LIMIT 10'", "one query"),
        ("psql \"$(hk2pg db url)\"", "with your own psql"),
      ])
  }
}
