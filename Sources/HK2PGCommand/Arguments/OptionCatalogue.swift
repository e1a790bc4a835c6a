extension OptionName {
  var definition: OptionDefinition {
    switch self {
    case .database, .user, .timezone: targetDefinition
    case .from, .to, .newUser: transferDefinition
    case .rawWindow, .sourcePriority, .salvage, .rejects, .maxRejects, .missingRows, .force: contentDefinition
    case .noWait, .jobs, .staging, .keepChunks, .into: runDefinition
    case .print, .apply, .distributed, .partitions, .clean, .check, .watch, .out: actionDefinition
    case .days, .olderThan, .dryRun, .by: tierDefinition
    case .csv, .json, .report, .progress, .quiet, .debug, .help, .version: outputDefinition
    }
  }

  private var targetDefinition: OptionDefinition {
    switch self {
    case .database:
      .value(
        .target, "URL",
        """
        PostgreSQL to use: a URL (postgres://…) or libpq's key=value words. Default: $DATABASE_URL, else libpq's \
        own variables when PGHOST, PGSERVICE or PGDATABASE is set, else the private cluster, which hk2pg starts \
        itself. A password given here is wiped from the process list at once; $DATABASE_URL or ~/.pgpass never \
        show it.
        """
      ).keptPrivate()
    case .user:
      .value(
        .target, "ID",
        """
        Whose data this is: the user_id of every row. Default: $HEALTHKIT_USER_ID, else an id made at first use \
        and kept in the configuration folder.
        """
      ).keptPrivate()
    default:
      .value(
        .target, "ZONE",
        """
        Time zone that decides where a day ends, for instance Europe/Berlin. Default: the one used before, else \
        the newest in the export, else this machine's. Another zone recomputes the daily summaries.
        """)
    }
  }

  private var transferDefinition: OptionDefinition {
    switch self {
    case .from:
      .value(
        .target, "URL",
        """
        Database to read. SELECT on the tables is enough; a standby or a pooler will do, in one long transaction. \
        Default: $HK2PG_FROM, which shows its password in no process list.
        """
      ).keptPrivate()
    case .to:
      .value(
        .target, "URL",
        "Database to write, through a transaction pooler if need be. Default: $HK2PG_TO, for the same reason."
      ).keptPrivate()
    default:
      .value(
        .target, "ID",
        "The user's id at the other end: a re-keyed copy, whose rows get the ids an import for that user would give."
      ).keptPrivate()
    }
  }

  private var contentDefinition: OptionDefinition {
    switch self {
    case .rawWindow:
      .value(
        .content, "all|30d",
        """
        Keep all raw samples, or only those of the last days before the export (here 30; any number of days). \
        Daily summaries always come from all samples. Default: all.
        """)
    case .sourcePriority:
      .value(
        .content, "LIST",
        """
        Sources, best first, where several recorded the same time: "A,B" for all types, or per type \
        "TYPE=A,B;TYPE2=C". A backslash keeps a comma, semicolon or equals sign in a name. Can be repeated. The \
        database keeps it for later runs; "" empties it.
        """
      ).repeatable()
    case .salvage:
      .flag(.content, "Load what is whole of a torn or truncated export, say what is missing, and exit 3.")
    case .rejects:
      .value(
        .content, "FILE.jsonl", "Write every rejected sample there, with byte offset, line, reason and text.")
    case .maxRejects:
      .value(.content, "N", "Stop, with nothing changed, when more than N samples are rejected. Default: no limit.")
    case .missingRows:
      .value(
        .content, "keep|remove",
        """
        Rows of earlier imports that the export no longer has. Default: a newer whole export removes them, unless \
        a type would lose more than 5 % of its rows.
        """)
    default:
      .flag(.content, "Remove rows even where a type loses more than 5 % of them, and load a file known as done again.")
    }
  }

  private var runDefinition: OptionDefinition {
    switch self {
    case .noWait: .flag(.run, "Give up at once when something else writes for the same user (exit 4).")
    case .jobs: .value(.run, "N", "Parser threads and index builds side by side. Default: the number of cores.")
    case .staging:
      .value(
        .run, "DIR",
        """
        Folder for work files (about a tenth of the export's XML). Default: $XDG_CACHE_HOME/hk2pg, usually \
        ~/.cache/hk2pg. They are private, and removed after success.
        """)
    case .keepChunks: .flag(.run, "Keep the chunk folder after the import, for `hk2pg load`.")
    default:
      .value(.run, "DIR", "New or empty folder for the chunks. Needed.")
    }
  }

  private var actionDefinition: OptionDefinition {
    switch self {
    case .print: .flag(.action, "Print the DDL, ready for psql. This is the default; no database is asked.")
    case .out:
      .value(.action, "FILE.html", "Where the page is written, whole or not at all; - for standard output. Needed.")
    case .apply: .flag(.action, "Create what is missing in the database.")
    case .check:
      .flag(
        .action,
        "Show every setting and where it comes from, and test the connection. Nothing is written or imported.")
    case .watch:
      .flag(
        .action,
        """
        Follow the pipeline's folder, and run the steps whenever a new whole export is in it. Ends on SIGTERM or \
        SIGINT; a failed import is tried again later.
        """)
    case .distributed:
      .flag(.action, "Print tables whose keys all contain user_id, for Citus and for native partitions.")
    case .partitions:
      .value(.action, "N", "With --distributed: N native hash partitions by user_id of each of the two tables.")
    default:
      .flag(.action, "Remove what dead imports left behind: their work tables in the database, their work files here.")
    }
  }

  private var tierDefinition: OptionDefinition {
    switch self {
    case .by: .value(.action, "day|week|month", "One line for each. Weeks begin on Monday. Default: day.")
    case .days:
      .value(
        .action, "FROM..TO",
        "Only these local days, both included, for instance 2024-01-01..2024-03-31. Default: every day with raw rows.")
    case .olderThan:
      .value(
        .action, "30d",
        "Rows of local days more than so many days before today; the 30th day stays whole. Needed.")
    default: .flag(.action, "Say what would be done, and change nothing.")
    }
  }

  private var outputDefinition: OptionDefinition {
    switch self {
    case .csv: .flag(.output, "Print the result as CSV on stdout, one line for each metric and day.")
    case .json: .flag(.output, "Print the result as JSON on stdout instead of text.")
    case .report: .value(.output, "FILE.json", "Write the same JSON to a file, whole or not at all.")
    case .progress:
      .value(
        .output, "auto|bar|plain|json|none",
        """
        Progress on stderr. auto: a bar on a terminal, else a line every few seconds. json: one object per line, \
        errors too.
        """)
    case .quiet: .flag(.output, "No progress and no result text; errors and --json stay.")
    case .debug:
      .flag(.output, "Show more of an error, such as the server's DETAIL. It may hold health data: do not post it.")
    case .help: .flag(.general, "Show help; of a command: hk2pg COMMAND --help.")
    default: .flag(.general, "Show the version.")
    }
  }
}
