import HealthModel
package import PostgresClient

/// What one look at the server tells before anything is written.
package struct ServerFacts: Sendable {
  let version: Int
  let encoding: String
  let isReadOnly: Bool
  let role: String
  let database: String
  /// Schema of the published tables: where they are found, else where the role's tables go.
  let publishedSchema: String
  let mayCreateSchema: Bool
  let mayCreateInPublishedSchema: Bool
  /// nil: no schema `hk2pg`.
  let ownSchemaRights: OwnSchemaRights?
  /// nil: no table of versions, or no right to read it.
  package private(set) var ownSchemaVersion: Int?
  /// `uuid_hash_extended` and `hashfloat8extended` give what `PostgresHash` gives: fingerprints can be compared.
  package let hashesAgree: Bool
  /// SELECT set_config(…) for the settings of every transaction.
  private let settingsStatement: String

  struct OwnSchemaRights: Sendable {
    var usage: Bool
    var create: Bool
  }

  /// `isForReading`: a standby will do.
  package init(_ connection: PostgresConnection, isForReading: Bool = false) throws {
    let row = try connection.query(ServerFacts.query)[0]
    version = try row.int("version")
    encoding = try row.text("encoding")
    isReadOnly = try row.bool("is_read_only")
    role = try row.text("role")
    database = try row.text("database")
    publishedSchema = try row.optionalText("published_schema") ?? "public"
    mayCreateSchema = try row.bool("may_create_schema")
    mayCreateInPublishedSchema = try row.optionalBool("may_create") ?? false
    if let usage = try row.optionalBool("own_usage"), let create = try row.optionalBool("own_create") {
      ownSchemaRights = OwnSchemaRights(usage: usage, create: create)
    } else {
      ownSchemaRights = nil
    }
    hashesAgree = try ServerFacts.agree(row)
    let known = Set(try row.text("settings").split(separator: " ").map(String.init))
    settingsStatement = ServerFacts.settingsStatement(known)
    try check(isForReading: isForReading)
    if ownSchemaRights?.usage == true, try row.bool("has_versions") {
      ownSchemaVersion = try connection.query("SELECT max(version) FROM hk2pg.schema_versions")[0].optionalInt(0)
    }
    if let found = ownSchemaVersion, found > OwnSchema.version { throw LoadError.newerSchema(found: found) }
  }

  /// Start of every transaction of ours; `more` are further settings, local to it.
  package func prepareTransaction(_ connection: PostgresConnection, _ more: [(name: String, value: String)] = []) throws
  {
    let extra = more.map { ", set_config(\(SQLText.literal($0.name)), \(SQLText.literal($0.value)), true)" }
    try connection.execute(settingsStatement + extra.joined())
  }

  private func check(isForReading: Bool) throws(LoadError) {
    if version < 150_000 { throw .serverTooOld(version: version) }
    if encoding != "UTF8" { throw .encoding(encoding) }
    if isReadOnly && !isForReading { throw .readOnly }
  }

  private static let probe = (id: RowID(high: 0x0123_4567_89AB_8DEF, low: 0x9876_5432_1011_1213), value: 72.25)

  private static let query = """
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
      pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS is_read_only,
      current_user AS role, current_database() AS database,
      p.schema AS published_schema, has_schema_privilege(p.schema, 'CREATE') AS may_create,
      has_database_privilege(current_database(), 'CREATE') AS may_create_schema,
      has_schema_privilege(to_regnamespace('hk2pg'), 'USAGE') AS own_usage,
      has_schema_privilege(to_regnamespace('hk2pg'), 'CREATE') AS own_create,
      EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = to_regnamespace('hk2pg') AND c.relname = 'schema_versions'
        AND has_table_privilege(c.oid, 'SELECT')) AS has_versions,
      uuid_hash_extended('\(probe.id)'::uuid, hashfloat8extended(\(probe.value), 1)) AS probe,
      'statement_timeout lock_timeout idle_in_transaction_session_timeout jit timezone datestyle extra_float_digits '
        || 'default_statistics_target'
        || coalesce((SELECT string_agg(' ' || name, '') FROM pg_settings WHERE name = 'transaction_timeout'), '')
        || CASE WHEN version() LIKE '%linux%' THEN ' client_connection_check_interval' ELSE '' END AS settings
    FROM (SELECT coalesce(
      (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.oid = coalesce(to_regclass('healthkit_metrics'), to_regclass('healthkit_daily_summaries'))
          AND n.nspname <> 'hk2pg'),
      (SELECT n.nspname FROM pg_namespace n WHERE n.nspname = nullif(current_schema(), 'hk2pg')),
      (SELECT n.nspname FROM pg_namespace n WHERE n.nspname = 'public')) AS schema) p
    """

  private static func agree(_ row: QueryResult.Row) throws -> Bool {
    let bytes = probe.id.bytes
    let expected = PostgresHash.hash(bytes.span, seed: PostgresHash.hash(probe.value, seed: 1))
    return try row.text("probe") == String(Int64(bitPattern: expected))
  }

  /// No time limits that a server or role sets for interactive work, no JIT for long but simple statements, and a look
  /// after the client's socket, so that a killed client's statement ends. Working tables are analysed roughly: joining them
  /// needs their sizes, not their histograms. Only what this server knows.
  private static func settingsStatement(_ known: Set<String>) -> String {
    let wanted = [
      ("statement_timeout", "0"), ("lock_timeout", "0"), ("idle_in_transaction_session_timeout", "0"),
      ("transaction_timeout", "0"), ("jit", "off"), ("client_connection_check_interval", "2s"), ("timezone", "UTC"),
      ("datestyle", "ISO, YMD"), ("extra_float_digits", "1"), ("default_statistics_target", "10"),
    ]
    let calls = wanted.filter { known.contains($0.0) }.map { "set_config('\($0.0)', '\($0.1)', true)" }
    return "SELECT " + calls.joined(separator: ", ")
  }
}

/// Keys of `pg_advisory_xact_lock`, far from what others are likely to use.
enum AdvisoryKey {
  static let schema = key("hk2pg schema")
  static func user(_ userID: String) -> Int64 { key("hk2pg user " + userID) }

  private static func key(_ text: String) -> Int64 {
    let bytes = Array(text.utf8)
    return Int64(bitPattern: PostgresHash.hash(bytes.span, seed: 0x686B_3270_67))
  }
}
