import HealthModel
package import Loading
package import PostgresClient

/// A database that rows are read from. Nothing is written, so SELECT on the tables is all the role needs, and a standby
/// or a pooler will do.
package final class SourceDatabase {
  package let connection: PostgresConnection
  package let server: ServerFacts
  /// Host, port, database and role; no secret.
  package let address: ServerAddress

  package init(_ settings: ConnectionSettings, isInterrupted: @escaping @Sendable () -> Bool) throws {
    connection = try PostgresConnection(settings, isInterrupted: isInterrupted)
    server = try ServerFacts(connection, isForReading: true)
    address = settings.address
  }

  package func close() { connection.close() }

  /// Users with rows, in order.
  package func users() throws -> [String] { try Ledger(connection).usersInTables(limit: .max) }

  /// Runs `body` on one moment of the database: every statement in it sees the same rows, whatever others write
  /// meanwhile. With `mayWrite` it may make temporary tables.
  package func snapshot<T>(mayWrite: Bool = false, _ body: (Snapshot) throws -> T) throws -> T {
    try connection.transaction(TransactionOptions(isolation: .repeatableRead, isReadOnly: !mayWrite)) {
      try server.prepareTransaction(connection)
      return try body(try Snapshot(connection))
    }
  }
}

/// What a snapshot holds: the tables that are there, in their shapes.
package struct Snapshot {
  package let connection: PostgresConnection
  /// Of the moment, ISO 8601.
  package let takenAt: String
  package let metrics: TableShape?
  package let summaries: TableShape?
  /// Tables of the schema `hk2pg` that are there.
  let ownTables: Set<String>

  package init(_ connection: PostgresConnection) throws {
    self.connection = connection
    takenAt = try connection.query(
      "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")[0].text(0)
    metrics = try TableShape.read(.metrics, connection)
    summaries = try TableShape.read(.dailySummaries, connection)
    let names = try connection.query(
      """
      SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('hk2pg') AND relkind IN ('r', 'p')
        AND has_schema_privilege(relnamespace, 'USAGE') AND has_table_privilege(oid, 'SELECT')
      """)
    ownTables = Set(try names.rows.map { "hk2pg." + (try $0.text(0)) })
  }

  package var hasOwnSchema: Bool { ownTables.contains("hk2pg.imports") && ownTables.contains("hk2pg.user_settings") }
}
