/// Tables with facts about users.
extension OwnSchema {
  static let userSettings = OwnTable(
    "user_settings", "Per user: zone, source ranks, and how far exports reach.", readers: .user,
    columns: [
      .init("user_id", "text NOT NULL", "User."),
      .init("zone", "text", "IANA zone: a day is a local day there."),
      .init("server_zone", "text", "The same zone if this server knows it, for views; NULL reads as UTC."),
      .init("source_priority", "jsonb", "Source names, best first, by metric type (\"\" for all types)."),
      .init(
        "summarized_zone", "text",
        "Zone that the summaries were made by; after earlier versions several, the latest last; NULL: as zone.",
        since: 2),
      .init(
        "summarized_priority", "jsonb", "Ranks that the summaries were made by; NULL: those of source_priority.",
        since: 2),
      .init(
        "summarized_days", "jsonb",
        """
        By metric type, days whose summary had to stay when the zone changed, since their rows were withheld: the first \
        of some that follow one another, when it begins, and lengths in seconds with the number of days that have them.
        """, since: 3),
      .init("newest_export_date", "timestamptz", "ExportDate of the newest export: the truth where exports differ."),
      .init("newest_import_id", "bigint", "The import of that export."),
      .init("mapping_version", "integer", "Rules the user's rows were made by; another version compares every row."),
    ],
    constraints: ["PRIMARY KEY (user_id)"], additions: zoneGuard + [rememberedSummaries])

  /// Views compute local days with server_zone: one that the server does not know would break the queries of everybody.
  /// It follows `zone` when somebody sets that by hand. (A CHECK would keep a dump from being restored elsewhere.)
  private static let zoneGuard = [
    """
    CREATE OR REPLACE FUNCTION hk2pg.keep_zone_known() RETURNS trigger LANGUAGE plpgsql AS $hk2pg$
    BEGIN
      IF TG_OP = 'UPDATE' AND NEW.server_zone IS NOT DISTINCT FROM OLD.server_zone THEN
        IF NEW.zone IS NOT DISTINCT FROM OLD.zone THEN RETURN NEW; END IF;
        NEW.server_zone := NEW.zone;
      END IF;
      -- AT TIME ZONE takes much more than names: abbreviations, and rules that somebody made up.
      IF NOT EXISTS (SELECT FROM pg_catalog.pg_timezone_names WHERE name = NEW.server_zone) THEN
        NEW.server_zone := NULL;
      END IF;
      RETURN NEW;
    END
    $hk2pg$
    """,
    """
    CREATE OR REPLACE TRIGGER keep_zone_known BEFORE INSERT OR UPDATE ON hk2pg.user_settings
      FOR EACH ROW EXECUTE FUNCTION hk2pg.keep_zone_known()
    """,
  ]

  /// Settings that somebody changes by hand from now on are not those of the summaries.
  private static let rememberedSummaries = """
    UPDATE hk2pg.user_settings SET summarized_zone = zone, summarized_priority = coalesce(source_priority, '{}')
      WHERE summarized_zone IS NULL AND zone IS NOT NULL
    """

  static let sources = OwnTable(
    "sources", "Apps and devices that recorded samples, by name.", readers: .user,
    columns: [
      .init("user_id", "text NOT NULL", "User."),
      .init("name", "text NOT NULL", "As in healthkit_metrics.source_device."),
      .init("class", "text NOT NULL", "watch, phone or other."),
      .init("device_names", "text[] NOT NULL DEFAULT '{}'", "Names in its device strings."),
      .init("models", "text[] NOT NULL DEFAULT '{}'", "Models in its device strings."),
      .init("hardware", "text[] NOT NULL DEFAULT '{}'", "Product identifiers, for instance Watch7,2."),
      .init("versions", "text[] NOT NULL DEFAULT '{}'", "Versions of the source."),
      .init("first_sample_at", "timestamptz", "Start of its first sample."),
      .init("last_sample_at", "timestamptz", "Start of its last sample."),
      .init("sample_count", "bigint NOT NULL DEFAULT 0", "Samples in the newest export that has it."),
    ],
    constraints: ["PRIMARY KEY (user_id, name)"])

  static let profiles = OwnTable(
    "profiles", "The Me element: date of birth, sex, blood type and so on.", readers: .user,
    columns: [
      .init("user_id", "text NOT NULL", "User."),
      .init("characteristic", "text NOT NULL", "Attribute name as exported."),
      .init("value", "text NOT NULL", "Value as exported."),
    ],
    constraints: ["PRIMARY KEY (user_id, characteristic)"])

  static let typeUnits = OwnTable(
    "type_units", "Units the newest export had, by type.", readers: .user,
    columns: [
      .init("user_id", "text NOT NULL", "User."),
      .init("metric_type", "text NOT NULL", "Type."),
      .init("exported_unit", "text NOT NULL", "Unit in the export; rows have the canonical one."),
      .init("sample_count", "bigint NOT NULL", "Samples with it."),
    ],
    constraints: ["PRIMARY KEY (user_id, metric_type, exported_unit)"])

  static let problems = OwnTable(
    "problems", "What was repaired, kept or left out of an export, counted.", readers: .nobody,
    columns: [
      .init("import_id", "bigint NOT NULL", "The import."),
      .init("kind", "text NOT NULL", "Kind of problem."),
      .init("severity", "text NOT NULL", "repaired, kept, notLoaded, rejected or salvaged."),
      .init("problem_count", "bigint NOT NULL", "How often."),
      .init("first_offset", "bigint NOT NULL", "Byte offset of the first one in the export's XML."),
    ],
    constraints: [
      "PRIMARY KEY (import_id, kind)", "FOREIGN KEY (import_id) REFERENCES hk2pg.imports ON DELETE CASCADE",
    ])

  static let prunedDays = OwnTable(
    "pruned_days", "Local days whose raw rows of a type were deleted after summing them up.", readers: .user,
    columns: [
      .init("user_id", "text NOT NULL", "User."),
      .init("metric_type", "text NOT NULL", "Type of the deleted rows."),
      .init("day", "date NOT NULL", "Local day."),
      .init("starts_at", "timestamptz NOT NULL", "First instant of the day."),
      .init("ends_at", "timestamptz NOT NULL", "First instant of the next day."),
      .init("row_count", "bigint NOT NULL", "Rows deleted."),
      .init("pruned_at", "timestamptz NOT NULL DEFAULT now()", "When."),
    ],
    constraints: ["PRIMARY KEY (user_id, metric_type, day)"])

  static let routePoints = OwnTable(
    "route_points",
    """
    Points of workout routes, one row per point, stored once however many routes and exports have them. Those of a route \
    r (a row of healthkit_metrics with metric_type HKWorkoutRouteTypeIdentifier): user_id = r.user_id AND file_digest = \
    r.metadata->>'file_digest' AND recorded_at BETWEEN date_trunc('second', r.started_at) AND r.ended_at.
    """,
    readers: .user,
    columns: [
      .init("user_id", "text NOT NULL", "User."),
      .init("file_digest", "text NOT NULL", "XXH3-128 of all points of the file; in the metadata of its routes."),
      .init("ordinal", "integer NOT NULL", "Place of the point in the file, from 0."),
      .init("recorded_at", "timestamptz", "Time of the point."),
      .init("longitude", "double precision NOT NULL", "Degrees, WGS 84."),
      .init("latitude", "double precision NOT NULL", "Degrees, WGS 84."),
      .init("elevation_m", "double precision", "Metres."),
      .init("speed_mps", "double precision", "Metres per second."),
      .init("course_deg", "double precision", "Degrees from north."),
      .init("horizontal_accuracy_m", "double precision", "Metres."),
      .init("vertical_accuracy_m", "double precision", "Metres."),
    ],
    constraints: ["PRIMARY KEY (user_id, file_digest, ordinal)"])

  static let ecgRecordings = OwnTable(
    "ecg_recordings", "Voltages of electrocardiograms, one row per recording; metric_id is that of its row.",
    readers: .user,
    columns: [
      .init("user_id", "text NOT NULL", "User."),
      .init("metric_id", "uuid NOT NULL", "Row in healthkit_metrics."),
      .init("recorded_at", "timestamptz NOT NULL", "Start of the recording."),
      .init("sample_rate_hz", "double precision", "Samples per second."),
      .init("lead", "text", "Lead, as exported."),
      .init("unit", "text", "Unit of the voltages, as exported."),
      .init("voltages", "real[] NOT NULL", "The curve."),
    ],
    constraints: ["PRIMARY KEY (user_id, metric_id)"])
}
