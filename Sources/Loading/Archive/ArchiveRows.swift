import HealthModel
import PostgresClient
import Staging

/// Archived raw rows into a table that may hold rows of the user already. Rows are one another's by id; of rows with
/// other ids, those that DESIGN §3.8 calls one sample. Nothing is deleted.
///
/// | the table has | then |
/// |---|---|
/// | the row | nothing |
/// | its id with other contents | rewritten if the row is of hk2pg and the source wrote it later, else kept |
/// | the sample under another id, live on either side | nothing |
/// | another sample at its place | stored at the next free microsecond of the second |
/// | its day pruned | not brought back |
struct ArchiveRows {
  let shape: TableShape
  let manifest: Manifest
  let tables: WorkingTables
  let faults: FaultPoints
  let connection: PostgresConnection

  private var user: String { shape.user(manifest.user) }
  private var table: String { shape.qualifiedName }
  /// Days up to this number are looked up one by one, more by one pass over the user's rows.
  private static let fewDays = 2_000

  func publish(_ rows: inout ArchiveOutcome.Rows) throws {
    // Merge joins would sort what hash joins take as it comes.
    try connection.execute("SET LOCAL enable_mergejoin = off; ANALYZE \(tables.incoming)")
    if !shape.isKeyedBySource && manifest.archive?.isKeyedBySource == true { try spread() }
    if !shape.hasUserInPrimaryKey { try avoidIDsOfOthers() }
    try Comparison.createDecisions(tables, connection)
    try collectPresent()
    try skipPresent()
    try LiveRows(tables: tables, user: manifest.user, connection: connection).findAside()
    try skipTwins()
    try Comparison.skipWithheld(tables, user: manifest.user, condition: SQLFragments.isOurs("s"), connection)
    try connection.execute("ANALYZE \(tables.skip)")
    try PlaceFinder(tables: tables, isOlder: true, connection: connection).findPlaces()
    try faults.pass("after-compare")
    try write(&rows)
  }

  private func write(_ rows: inout ArchiveOutcome.Rows) throws {
    let result = try connection.query("SELECT reason, count(*) FROM \(tables.skip) GROUP BY reason")
    var skipped: [String: Int] = [:]
    for row in result.rows { skipped[try row.text(0)] = try row.int(1) }
    rows.same = skipped["same"] ?? 0
    rows.kept = skipped["kept"] ?? 0
    rows.twins = skipped["twin"] ?? 0
    rows.withheld = skipped["withheld"] ?? 0
    rows.changed = try change()
    rows.kept += (skipped["change"] ?? 0) - rows.changed
    let publisher = RowPublisher(
      shape: shape, userID: manifest.user, tables: tables, connection: connection, keepsSyncedAt: true)
    let expected = rows.copied - skipped.values.reduce(0, +)
    try faults.pass("before-insert")
    rows.new = try publisher.insert(expected: expected, isCompared: true)
    rows.unplaced = expected - rows.new
    rows.moved = try connection.query("SELECT count(*) FROM \(tables.place)")[0].int(0)
  }

  // MARK: Preparing

  /// Rows of one type and start, of several sources, where the key admits one.
  private func spread() throws {
    try connection.execute(
      """
      UPDATE \(tables.incoming) s SET started_at = s.started_at + (n.number - 1) * interval '1 microsecond'
      FROM (SELECT id, row_number() OVER (PARTITION BY metric_type, started_at ORDER BY source_device, id) AS number
        FROM \(tables.incoming)) n
      WHERE n.id = s.id AND n.number > 1
      """)
  }

  /// A re-keyed copy beside its original: ids of other programs, which are nobody's to make, stay as they are unless
  /// they are taken. Then they change by the same XOR as ours, so that the next copy finds them again.
  private func avoidIDsOfOthers() throws {
    guard let former = manifest.archive?.formerUser else { return }
    let mask = RowID(high: 0, low: 0).rekeyed(from: UserKey(userID: former), to: UserKey(userID: manifest.user))
    func half(_ start: Int, _ word: UInt64) -> String {
      """
      lpad(to_hex(('x' || substr(replace(s.id::text, '-', ''), \(start), 16))::bit(64)::bigint
        # (\(Int64(bitPattern: word)))::bigint), 16, '0')
      """
    }
    try connection.execute(
      """
      UPDATE \(tables.incoming) s SET id = (\(half(1, mask.high)) || \(half(17, mask.low)))::uuid
      FROM \(table) t WHERE t.id = s.id AND t.user_id <> \(user) AND NOT \(SQLFragments.hasOurID("s"))
      """)
  }

  /// Rows of the user on the types and UTC days that arrive.
  private func collectPresent() throws {
    try connection.execute(
      """
      CREATE UNLOGGED TABLE \(tables.days) AS
        SELECT DISTINCT metric_type, \(SQLFragments.utcDay("started_at")) AS utc_day FROM \(tables.incoming);
      ANALYZE \(tables.days)
      """)
    let dayCount = try connection.query("SELECT count(*) FROM \(tables.days)")[0].int(0)
    let isOurs = SQLFragments.isOurs("e")
    try connection.execute(
      """
      CREATE UNLOGGED TABLE \(tables.present) AS
      SELECT e.id, e.metric_type, \(SQLFragments.sourceName("e.source_device")) AS source, e.started_at, e.value,
        \(isOurs) AS is_ours,
        NOT \(isOurs) AND e.metadata ? 'h4ai_aggregation' AND e.source_device = '\(SQLFragments.allSources)' AS is_hourly,
        s.id IS NOT NULL AS is_staged, s.synced_at > e.synced_at AS is_newer, s.id IS NOT NULL AND \(differs) AS differs
      FROM \(dayCount > ArchiveRows.fewDays ? scanOfAll : scanByDay) LEFT JOIN \(tables.incoming) s ON s.id = e.id;
      ANALYZE \(tables.present)
      """)
    try connection.execute(RowSecurity.close(tables.present))
  }

  private var differs: String {
    """
    (e.metric_type <> s.metric_type OR e.value IS DISTINCT FROM s.value
      OR date_trunc('second', e.started_at) <> date_trunc('second', s.started_at)
      OR date_trunc('second', e.ended_at) IS DISTINCT FROM date_trunc('second', s.ended_at)
      OR coalesce(e.unit, '') <> coalesce(s.unit, '')
      OR \(SQLFragments.sourceName("e.source_device")) <> \(SQLFragments.sourceName("s.source_device"))
      OR e.metadata IS DISTINCT FROM s.metadata)
    """
  }

  private var scanOfAll: String {
    """
    \(table) e JOIN \(tables.days) d
      ON e.user_id = \(user) AND d.metric_type = e.metric_type AND d.utc_day = \(SQLFragments.utcDay("e.started_at"))
    """
  }

  /// One look into the unique key's index a day. OFFSET 0 keeps the planner from turning it round.
  private var scanByDay: String {
    """
    \(tables.days) d CROSS JOIN LATERAL (
      SELECT t.* FROM \(table) t WHERE t.user_id = \(user) AND t.metric_type = d.metric_type
        AND t.started_at >= d.utc_day::timestamp AT TIME ZONE 'UTC'
        AND t.started_at < (d.utc_day + 1)::timestamp AT TIME ZONE 'UTC' OFFSET 0) e
    """
  }

  // MARK: Rows that are not inserted

  private func skipPresent() throws {
    try connection.execute(
      """
      INSERT INTO \(tables.skip)
      SELECT id, CASE WHEN NOT differs THEN 'same' WHEN is_ours AND is_newer THEN 'change' ELSE 'kept' END
      FROM \(tables.present) WHERE is_staged
      """)
  }

  /// Samples that a live row of the table stands for (`aside`), and live rows whose sample the table has from an
  /// import: there the n-th of a source and second is the n-th, by value.
  private func skipTwins() throws {
    func numbered(_ rows: String) -> String {
      """
      SELECT *, row_number() OVER (PARTITION BY metric_type, second, source ORDER BY value, id) AS number FROM (\(rows)) r
      """
    }
    try connection.execute(
      """
      INSERT INTO \(tables.skip) SELECT a.id, 'twin' FROM \(tables.aside) a JOIN \(tables.incoming) s ON s.id = a.id
        WHERE NOT EXISTS (SELECT FROM \(tables.skip) k WHERE k.id = a.id);
      INSERT INTO \(tables.skip)
      SELECT l.id, 'twin'
      FROM (\(numbered("""
        SELECT s.id, s.metric_type, date_trunc('second', s.started_at) AS second,
          \(SQLFragments.sourceName("s.source_device")) AS source, s.value
        FROM \(tables.incoming) s WHERE NOT \(SQLFragments.isOurs("s"))
          AND NOT EXISTS (SELECT FROM \(tables.skip) k WHERE k.id = s.id)
        """))) l
      JOIN (\(numbered("""
        SELECT p.id, p.metric_type, date_trunc('second', p.started_at) AS second, p.source, p.value
        FROM \(tables.present) p WHERE p.is_ours AND NOT p.is_staged
        """))) p USING (metric_type, second, source, number)
      WHERE \(SQLFragments.isSameValue("l.value", "p.value"))
      """)
  }

  // MARK: Rows that are rewritten

  private func change() throws -> Int {
    try connection.execute(
      """
      UPDATE \(table) t SET metric_type = s.metric_type, value = s.value,
        unit = \(shape.hasUnitAlways ? "coalesce(s.unit, '')" : "s.unit"),
        source_device = \(shape.hasSourceAlways ? "coalesce(s.source_device, '')" : "s.source_device"),
        ended_at = CASE WHEN s.ended_at IS NOT NULL THEN greatest(s.ended_at, t.started_at) END,
        metadata = s.metadata, synced_at = s.synced_at
      FROM \(tables.skip) k JOIN \(tables.incoming) s ON s.id = k.id
      WHERE k.reason = 'change' AND t.user_id = \(user) AND t.id = k.id AND \(SQLFragments.isOurs("t"))
      """
    ).affectedRows
  }
}
