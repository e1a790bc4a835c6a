package import HealthModel
import Loading
package import PostgresClient

/// Reads one user's data, from both tiers. Works on whatever tables are there: those of hk2pg, or those of another
/// program with the same names, with or without the schema `hk2pg` and the right to read it.
///
/// Every call of `read` is one transaction: READ ONLY, one state of the tables, with a time limit for each statement. It
/// leaves nothing in the session, so a transaction pooler may stand in between. Used from one thread at a time.
package final class HealthReader {
  package let connection: PostgresConnection
  package let user: String
  /// Limit of one statement, in milliseconds.
  package let statementTimeout: Int
  private let now: @Sendable () -> Instant
  /// What the catalogue said; kept once both tables are there.
  private var tables: ReadableTables?

  package init(
    _ connection: PostgresConnection, user: String, statementTimeout: Int = 30_000,
    now: @escaping @Sendable () -> Instant
  ) {
    self.connection = connection
    self.user = user
    self.statementTimeout = statementTimeout
    self.now = now
  }

  /// Throws `QueryError`, `PostgresError`, `LoadError.alienShape`, `SystemZoneError`.
  package func read<T>(_ body: (ReadSession) throws -> T) throws -> T {
    try connection.transaction(TransactionOptions(isolation: .repeatableRead, isReadOnly: true)) {
      try connection.query(
        """
        SELECT set_config('statement_timeout', $1, true), set_config('datestyle', 'ISO, YMD', true),
          set_config('extra_float_digits', '1', true), set_config('timezone', 'UTC', true), set_config('jit', 'off', true)
        """, [String(statementTimeout)])
      let tables = try self.tables ?? ReadableTables(user: user, connection)
      if tables.metrics != nil, tables.summaries != nil, tables.hasSettings { self.tables = tables }
      return try body(ReadSession(connection: connection, user: user, tables: tables, now: now()))
    }
  }
}

/// Which tables there are to read, and whose shape they have.
struct ReadableTables {
  /// nil: there is none, or the user's id is none that its column could hold.
  var metrics: TableShape?
  var summaries: TableShape?
  /// Tables of the schema `hk2pg` that this role may read.
  var own: Set<String>

  var hasSettings: Bool { own.contains("user_settings") }

  init(user: String, _ connection: PostgresConnection) throws {
    metrics = try TableShape.read(.metrics, connection)
    summaries = try TableShape.read(.dailySummaries, connection)
    if metrics == nil && summaries == nil { throw QueryError.noTables }
    for shape in [metrics, summaries] where shape?.hasUUIDUser == true && !ReadableTables.isUUID(user) {
      throw LoadError.userIsNoUUID
    }
    let rights = try connection.query(
      """
      SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'hk2pg' AND c.relkind IN ('r', 'p', 'v')
        AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
      """)
    own = Set(try rights.rows.map { try $0.text(0) })
  }

  /// As PostgreSQL reads one, in its usual dress.
  private static func isUUID(_ text: String) -> Bool {
    let digits = text.filter { $0 != "-" }
    return digits.utf8.count == 32 && text.utf8.count <= 36 && digits.allSatisfy(\.isHexDigit)
  }
}
