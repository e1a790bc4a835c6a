import HealthModel
import PostgresClient

/// Writes the decisions of a `Comparison` into the shared table: delete, rewrite, insert (DESIGN §5). Nothing but these
/// statements touches it.
struct RowPublisher {
  let shape: TableShape
  let userID: String
  let tables: WorkingTables
  let connection: PostgresConnection
  /// The incoming rows have a synced_at of their own.
  var keepsSyncedAt = false

  private var user: String { shape.user(userID) }
  private var table: String { shape.qualifiedName }

  struct Removed: Equatable {
    var missing = 0
    var steppedAside = 0
    /// Rows whose value is inserted under another id.
    var replaced = 0
  }

  func remove() throws -> Removed {
    let result = try connection.query(
      """
      WITH gone AS (
        DELETE FROM \(table) t USING \(tables.remove) r
        WHERE t.user_id = \(user) AND t.id = r.id AND \(SQLFragments.isOurs("t")) RETURNING r.reason)
      SELECT count(*) FILTER (WHERE reason NOT IN ('live', 'replaced')) AS missing,
        count(*) FILTER (WHERE reason = 'live') AS aside, count(*) FILTER (WHERE reason = 'replaced') AS replaced
      FROM gone
      """)
    return Removed(
      missing: try result[0].int("missing"), steppedAside: try result[0].int("aside"),
      replaced: try result[0].int("replaced"))
  }

  /// Rows that move within their second go far away first: the unique key is checked row by row.
  func change() throws -> Int {
    try connection.execute(
      """
      UPDATE \(table) t SET started_at = t.started_at - interval '1500000 days' FROM \(tables.change) c
      WHERE t.user_id = \(user) AND t.id = c.id AND c.is_moved AND \(SQLFragments.isOurs("t"))
      """)
    return try connection.execute(
      """
      UPDATE \(table) t SET metric_type = s.metric_type, value = s.value, unit = s.unit,
        source_device = s.source_device, started_at = c.started_at, ended_at = \(endedAt("c.started_at")),
        metadata = s.metadata, synced_at = now()
      FROM \(tables.change) c JOIN \(tables.incoming) s ON s.id = c.id
      WHERE t.user_id = \(user) AND t.id = c.id AND \(SQLFragments.isOurs("t"))
      """
    ).affectedRows
  }

  /// An end is never before its start. A row of another program keeps what it had, unless it is moved.
  private func endedAt(_ startedAt: String) -> String {
    if keepsSyncedAt {
      return "CASE WHEN s.started_at <> \(startedAt) THEN greatest(s.ended_at, \(startedAt)) ELSE s.ended_at END"
    }
    return "CASE WHEN s.ended_at IS NOT NULL THEN greatest(s.ended_at, \(startedAt)) END"
  }

  /// Inserts all incoming rows that are not skipped; `isCompared` false: there are no decisions, the user had no rows.
  /// Returns the number inserted, which falls short of `expected` by those that found no place.
  ///
  /// A live app may have taken a place since the comparison. That is rare, so the quick way is tried first.
  func insert(expected: Int, isCompared: Bool) throws -> Int {
    if expected == 0 { return 0 }
    let statement = insertStatement(isCompared: isCompared)
    try connection.execute("SAVEPOINT hk2pg_insert")
    do {
      let count = try connection.execute(statement).affectedRows
      try connection.execute("RELEASE SAVEPOINT hk2pg_insert")
      return count
    } catch PostgresError.server(let error) where error.sqlState == SQLState.uniqueViolation {
      try connection.execute("ROLLBACK TO SAVEPOINT hk2pg_insert")
    }
    let count = try connection.execute(statement + " ON CONFLICT DO NOTHING").affectedRows
    return count + (count < expected ? try insertMisfits(isCompared: isCompared) : 0)
  }

  private func insertStatement(isCompared: Bool) -> String {
    let start = isCompared ? "coalesce(l.started_at, s.started_at)" : "s.started_at"
    let places = isCompared ? "LEFT JOIN \(tables.place) l ON l.id = s.id" : ""
    return """
      INSERT INTO \(table) (\(insertedColumns)) \(insertedFields(start))
      FROM \(tables.incoming) s \(places) \(isCompared ? "WHERE \(isToInsert)" : "")
      """
  }

  private var insertedColumns: String {
    "id, user_id, metric_type, value, unit, source_device, started_at, ended_at, metadata"
      + (keepsSyncedAt ? ", synced_at" : "")
  }

  private func insertedFields(_ start: String) -> String {
    let unit = shape.hasUnitAlways ? "coalesce(s.unit, '')" : "s.unit"
    let source = shape.hasSourceAlways ? "coalesce(s.source_device, '')" : "s.source_device"
    return """
      SELECT s.id, \(user), s.metric_type, s.value, \(unit), \(source), \(start), \(endedAt(start)), s.metadata\
      \(keepsSyncedAt ? ", s.synced_at" : "")
      """
  }

  private var isToInsert: String { "NOT EXISTS (SELECT FROM \(tables.skip) k WHERE k.id = s.id)" }

  // MARK: Rows that did not fit

  /// More would mean that something else is wrong than a live app at work.
  private static let mostMisfits = 10_000

  /// Rows whose place was taken while this import ran: passed over to the next free microsecond, unless the row there
  /// is the sample itself. An id that is taken (by another user, after somebody renamed a user) has no place at all.
  private func insertMisfits(isCompared: Bool) throws -> Int {
    let misfits = try connection.query(
      """
      SELECT s.id::text AS id FROM \(tables.incoming) s
      WHERE \(isCompared ? isToInsert : "true")
        AND NOT EXISTS (SELECT FROM \(table) t WHERE t.user_id = \(user) AND t.id = s.id)
      ORDER BY s.metric_type, s.started_at LIMIT \(RowPublisher.mostMisfits)
      """)
    var inserted = 0
    for row in misfits.rows where try insertMisfit(row.text("id")) { inserted += 1 }
    return inserted
  }

  private func insertMisfit(_ id: String) throws -> Bool {
    let isSame = SQLFragments.isSameValue("t.value", "s.value")
    let isLive = try connection.query(
      """
      SELECT EXISTS (SELECT FROM \(table) t JOIN \(tables.incoming) s ON s.id = $1::uuid
        WHERE t.user_id = \(user) AND t.metric_type = s.metric_type AND NOT \(SQLFragments.isOurs("t"))
          AND t.started_at >= date_trunc('second', s.started_at)
          AND t.started_at < date_trunc('second', s.started_at) + interval '1 second'
          AND \(isSame) AND \(SQLFragments.sourceName("t.source_device")) IN (
            SELECT s.source_device UNION SELECT unnest(d.device_names) FROM hk2pg.sources d
            WHERE d.user_id = \(SQLText.literal(userID)) AND d.name = s.source_device))
      """, [id])[0].bool(0)
    if isLive { return false }
    // The app may go on taking places; a few attempts are enough for any that are free.
    for _ in 0..<20 {
      let count = try connection.query(
        """
        INSERT INTO \(table) (\(insertedColumns)) \(insertedFields("f.started_at"))
        FROM \(tables.incoming) s CROSS JOIN LATERAL (
          SELECT s.started_at + n * interval '1 microsecond' AS started_at FROM generate_series(0, 1000) n
          WHERE NOT EXISTS (SELECT FROM \(table) t WHERE t.user_id = \(user) AND t.metric_type = s.metric_type
              AND t.started_at = s.started_at + n * interval '1 microsecond')
            AND date_trunc('second', s.started_at + n * interval '1 microsecond') = date_trunc('second', s.started_at)
          ORDER BY n LIMIT 1) f
        WHERE s.id = $1::uuid ON CONFLICT DO NOTHING
        """, [id]
      ).affectedRows
      if count == 1 { return true }
      let isTaken = try connection.query("SELECT EXISTS (SELECT FROM \(table) WHERE id = $1::uuid)", [id])[0].bool(0)
      if isTaken { return false }
    }
    return false
  }
}
