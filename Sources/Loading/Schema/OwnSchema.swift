/// The schema `hk2pg`: what hk2pg knows beside the published tables (DESIGN §2.2).
enum OwnSchema {
  /// Raised with every change of the tables below, of their triggers, or of the view: a database of another version is
  /// brought up to date by whatever writes next.
  static let version = 3

  static let tables: [OwnTable] =
    [schemaVersions, imports, importChunks, leases, ownedTables] + [
      userSettings, sources, profiles, typeUnits, problems, prunedDays,
    ]
    + [routePoints, ecgRecordings, metricTypes, categoryValues]

  static let schemaVersions = OwnTable(
    "schema_versions", "Versions that the tables of this schema have had.", readers: .everybody,
    columns: [
      .init("version", "integer NOT NULL", "The greatest is the one in force."),
      .init("applied_at", "timestamptz NOT NULL DEFAULT now()", "Since when."),
    ],
    constraints: ["PRIMARY KEY (version)"])

  static let imports = OwnTable(
    "imports", "Ledger: one row per run that loads (or loaded) an export of a user.", readers: .nobody,
    columns: [
      .init("import_id", "bigint GENERATED ALWAYS AS IDENTITY", "Number of the import; names its working tables."),
      .init("user_id", "text NOT NULL", "Whose samples."),
      .init("state", "text NOT NULL", "loading, finished or abandoned."),
      .init("strategy", "text", "new_table: loaded beside and renamed; delta: compared with rows that are there."),
      .init(
        "load_digest", "text NOT NULL", "Digest of the chunks and options: the same load is resumed, not repeated."),
      .init("export_name", "text NOT NULL", "File or folder name as given, without its path."),
      .init("export_byte_count", "bigint NOT NULL", "Size of what was opened, for instance the zip; 0 for stdin."),
      .init("export_digest", "text NOT NULL", "XXH3-128 of what was opened."),
      .init("export_date", "timestamptz", "ExportDate, or else the newest creation date: which export is right."),
      .init("is_salvaged", "boolean NOT NULL", "Something was left out by --salvage."),
      .init("mapping_version", "integer NOT NULL", "Version of the rules that make rows of samples."),
      .init("hk2pg_version", "text NOT NULL", "Program version that staged the export."),
      .init("zone", "text NOT NULL", "IANA zone whose days the summaries have."),
      .init("options", "jsonb NOT NULL DEFAULT '{}'", "Options that change what is stored, as in the manifest."),
      .init("started_at", "timestamptz NOT NULL DEFAULT now()", "Start of the load."),
      .init("finished_at", "timestamptz", "When it was published."),
      .init("outcome", "jsonb", "Counts of what the load did."),
      .init("report", "jsonb", "The whole report of the run, as --report writes it."),
    ],
    constraints: [
      "PRIMARY KEY (import_id)", "CHECK (state IN ('loading', 'finished', 'abandoned'))",
    ],
    additions: [
      "CREATE INDEX IF NOT EXISTS imports_user ON hk2pg.imports (user_id, import_id DESC)",
      "CREATE INDEX IF NOT EXISTS imports_size ON hk2pg.imports (user_id, export_byte_count)",
    ])

  static let importChunks = OwnTable(
    "import_chunks", "Ledger: chunks that a running import has committed; a broken load goes on after them.",
    readers: .nobody,
    columns: [
      .init("import_id", "bigint NOT NULL", "The import."),
      .init("file", "text NOT NULL", "File name of the chunk."),
      .init("digest", "text NOT NULL", "XXH3-128 of the file."),
      .init("row_count", "bigint NOT NULL", "Rows of the chunk that were copied."),
      .init("loaded_at", "timestamptz NOT NULL DEFAULT now()", "When they were committed."),
    ],
    constraints: [
      "PRIMARY KEY (import_id, file)",
      "FOREIGN KEY (import_id) REFERENCES hk2pg.imports ON DELETE CASCADE",
    ])

  static let leases = OwnTable(
    "leases", "One writer per user: who writes at the moment.", readers: .nobody,
    columns: [
      .init("user_id", "text NOT NULL", "Whose samples are being written."),
      .init("token", "uuid NOT NULL", "Random; only the process that knows it may write."),
      .init("host", "text NOT NULL", "Machine (name, boot and process namespace) the process runs on."),
      .init("process_id", "bigint NOT NULL", "Its process id there."),
      .init("process_start", "text NOT NULL", "Its start time there: process ids are used again."),
      .init("acquired_at", "timestamptz NOT NULL", "When it began."),
      .init("expires_at", "timestamptz NOT NULL", "A living process moves this on; past it, anybody may take over."),
    ],
    constraints: ["PRIMARY KEY (user_id)"])

  static let ownedTables = OwnTable(
    "owned_tables", "Published tables and views that hk2pg created; it alters no others.", readers: .nobody,
    columns: [
      .init("table_schema", "text NOT NULL", "Schema."),
      .init("table_name", "text NOT NULL", "Name."),
      .init("created_at", "timestamptz NOT NULL DEFAULT now()", "When hk2pg created it."),
    ],
    constraints: ["PRIMARY KEY (table_schema, table_name)"])

  static let metricTypes = OwnTable(
    "metric_types", "The HealthKit catalogue: what a metric_type measures.", readers: .everybody,
    columns: [
      .init("metric_type", "text NOT NULL", "HealthKit identifier."),
      .init("kind", "text NOT NULL", "quantity, category, workout …"),
      .init("aggregation_style", "text", "How HealthKit adds samples up; cumulative: sums make sense."),
      .init("canonical_unit", "text", "Unit that rows have."),
      .init("category_enum", "text", "Of categories: enum_name in hk2pg.category_values."),
    ],
    constraints: ["PRIMARY KEY (metric_type)"])

  static let categoryValues = OwnTable(
    "category_values", "Names of category values: what the number in a category row means.", readers: .everybody,
    columns: [
      .init("enum_name", "text NOT NULL", "HealthKit enum."),
      .init("value", "integer NOT NULL", "Raw value, as in healthkit_metrics.value."),
      .init("name", "text NOT NULL", "Name as exported."),
    ],
    constraints: ["PRIMARY KEY (enum_name, name)"])
}
