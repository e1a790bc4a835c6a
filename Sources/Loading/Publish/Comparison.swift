import HealthModel
import PostgresClient
import Staging

/// Row by row: what of the incoming rows is new, changed, there already, or not to be written, and which rows of the
/// table have to go. Only reads the shared table; the answers stand in working tables.
///
/// ```
/// incoming ─┬─ skip     staged rows that are not inserted: present, live, held, withheld, superseded
///           └─ place    staged rows that go elsewhere in their second than staged
/// present ──┬─ remove   rows of ours that go: live (a live row stands for them), full/thin/absent (missing), replaced
///           └─ change   rows of ours to rewrite, with their place
/// ```
struct Comparison {
  let run: ImportRun
  let shape: TableShape
  let relation: ExportRelation
  let manifest: Manifest
  let rule: RemovalRule
  /// Types of which nothing is removed, since too much would be.
  let sparedTypes: Set<String>
  let connection: PostgresConnection

  var tables: WorkingTables { run.tables }
  private var user: String { shape.user(manifest.user) }

  /// `wholeScan`: the selected days hold a large part of the user's rows. Returns the types of which other rows would
  /// be rewritten if nothing of them may be removed.
  func compare(wholeScan: Bool) throws -> Set<String> {
    // Merge joins would sort what hash joins take as it comes.
    try connection.execute("SET LOCAL enable_mergejoin = off; ANALYZE \(tables.incoming), \(tables.days)")
    try collectPresent(from: wholeScan ? scanOfAll : scanByDay)
    try connection.execute("ANALYZE \(tables.present)")
    try createDecisions()
    try findAside()
    let conditional = try SharedIdentities(
      tables: tables, shape: shape, userID: manifest.user, isOlder: relation.isOlder, rule: rule,
      sparedTypes: sparedTypes, connection: connection
    ).resolve(comparesValues: !relation.isMappingNew, refresh: collectAgain)
    try skipAside()
    try skipPresent()
    try connection.execute("ANALYZE \(tables.skip)")
    try Comparison.skipWithheld(tables, user: manifest.user, connection)
    if relation.isOlder { try skipSuperseded() }
    try findMissing()
    return conditional
  }

  // MARK: What is there

  private func collectPresent(from scan: String) throws {
    try connection.execute("CREATE UNLOGGED TABLE \(tables.present) AS \(rowsBesideStaged(scan))")
    try connection.execute(RowSecurity.close(tables.present))
  }

  /// Rows whose ids are in `ids`, after staged samples got other ids.
  private func collectAgain(_ ids: String) throws {
    let scan = "\(ids) d JOIN \(shape.qualifiedName) e ON e.user_id = \(user) AND e.id = d.id"
    try connection.execute(
      """
      DELETE FROM \(tables.present) p USING \(ids) d WHERE d.id = p.id;
      INSERT INTO \(tables.present) \(rowsBesideStaged(scan));
      DROP TABLE \(tables.aside);
      DROP TABLE IF EXISTS \(tables.sourceNames)
      """)
    try findAside()
  }

  private func findAside() throws {
    try LiveRows(tables: tables, user: manifest.user, connection: connection).findAside()
  }

  /// A value that is another one, and another source, are told apart from whatever else may differ.
  private func rowsBesideStaged(_ scan: String) -> String {
    let isOurs = SQLFragments.isOurs("e")
    return """
      SELECT e.id, e.metric_type, \(SQLFragments.sourceName("e.source_device")) AS source, e.started_at, e.ended_at,
        e.value, \(isOurs) AS is_ours,
        NOT \(isOurs) AND e.metadata ? 'h4ai_aggregation' AND e.source_device = '\(SQLFragments.allSources)' AS is_hourly,
        s.id IS NOT NULL AS is_staged, s.started_at AS staged_at,
        s.id IS NOT NULL AND (NOT \(SQLFragments.isSameValue("e.value", "s.value"))
          OR e.value IS NULL AND e.metadata IS DISTINCT FROM s.metadata) AS has_other_value,
        s.id IS NOT NULL AND e.source_device IS DISTINCT FROM s.source_device AS has_other_source,
        s.id IS NOT NULL AND (e.metric_type <> s.metric_type OR e.unit IS DISTINCT FROM s.unit
          OR e.metadata IS DISTINCT FROM s.metadata
          OR e.ended_at IS DISTINCT FROM CASE WHEN s.ended_at IS NOT NULL THEN greatest(s.ended_at, e.started_at) END)
          AS differs
      FROM \(scan) LEFT JOIN \(tables.incoming) s ON s.id = e.id
      """
  }

  /// One pass over the user's rows.
  private var scanOfAll: String {
    """
    \(shape.qualifiedName) e JOIN \(tables.days) d
      ON e.user_id = \(user) AND d.metric_type = e.metric_type AND d.utc_day = \(SQLFragments.utcDay("e.started_at"))
    """
  }

  /// One look into the unique key's index a day. OFFSET 0 keeps the planner from turning it round.
  private var scanByDay: String {
    """
    \(tables.days) d CROSS JOIN LATERAL (
      SELECT t.* FROM \(shape.qualifiedName) t WHERE t.user_id = \(user) AND t.metric_type = d.metric_type
        AND t.started_at >= d.utc_day::timestamp AT TIME ZONE 'UTC'
        AND t.started_at < (d.utc_day + 1)::timestamp AT TIME ZONE 'UTC' OFFSET 0) e
    """
  }

  private func createDecisions() throws { try Comparison.createDecisions(tables, connection) }

  static func createDecisions(_ tables: WorkingTables, _ connection: PostgresConnection) throws {
    try connection.execute(
      """
      CREATE UNLOGGED TABLE \(tables.renumbered) (former uuid NOT NULL, id uuid NOT NULL);
      CREATE UNLOGGED TABLE \(tables.replaced) (id uuid NOT NULL);
      CREATE UNLOGGED TABLE \(tables.superseded) (id uuid NOT NULL);
      CREATE UNLOGGED TABLE \(tables.skip) (id uuid NOT NULL, reason text NOT NULL);
      CREATE UNLOGGED TABLE \(tables.remove) (id uuid NOT NULL, metric_type text NOT NULL, reason text NOT NULL);
      CREATE UNLOGGED TABLE \(tables.place) (id uuid NOT NULL, started_at timestamptz NOT NULL)
      """)
  }

  // MARK: Staged rows that are not inserted

  private func skipAside() throws {
    try connection.execute(
      """
      INSERT INTO \(tables.skip) SELECT a.id, 'live' FROM \(tables.aside) a JOIN \(tables.incoming) s ON s.id = a.id;
      INSERT INTO \(tables.remove) SELECT p.id, p.metric_type, 'live'
        FROM \(tables.aside) a JOIN \(tables.present) p ON p.id = a.id WHERE p.is_ours;
      -- The live app has taken the row over with its id: it is a live row now.
      INSERT INTO \(tables.skip) SELECT p.id, 'held' FROM \(tables.present) p
        WHERE p.is_staged AND NOT p.is_ours AND NOT EXISTS (SELECT FROM \(tables.aside) a WHERE a.id = p.id)
      """)
  }

  private func skipPresent() throws {
    try connection.execute(
      """
      INSERT INTO \(tables.skip) SELECT p.id, 'present' FROM \(tables.present) p
      WHERE p.is_staged AND p.is_ours AND NOT EXISTS (SELECT FROM \(tables.aside) a WHERE a.id = p.id)
      """)
  }

  /// DESIGN §4.6: a re-import brings back no raw row of a pruned day. `condition` chooses among the incoming rows `s`.
  static func skipWithheld(
    _ tables: WorkingTables, user: String, condition: String = "true", _ connection: PostgresConnection
  ) throws {
    let hasPruned = try connection.query(
      "SELECT EXISTS (SELECT FROM hk2pg.pruned_days WHERE user_id = $1)", [user])[0].bool(0)
    if !hasPruned { return }
    try connection.query(
      """
      INSERT INTO \(tables.skip)
      SELECT s.id, 'withheld' FROM \(tables.incoming) s
      JOIN (
        SELECT p.metric_type, p.starts_at, p.ends_at, g::date AS utc_day
        FROM hk2pg.pruned_days p, generate_series((p.starts_at AT TIME ZONE 'UTC')::date::timestamp,
          (p.ends_at AT TIME ZONE 'UTC')::date::timestamp, interval '1 day') AS g
        WHERE p.user_id = $1
      ) p ON p.metric_type = s.metric_type AND p.utc_day = \(SQLFragments.utcDay("s.started_at"))
        AND s.started_at >= p.starts_at AND s.started_at < p.ends_at
      WHERE \(condition) AND NOT EXISTS (SELECT FROM \(tables.skip) k WHERE k.id = s.id)
      """, [user])
  }

  /// An older export only adds groups that are absent; ids that are there under another source name are not absent.
  private func skipSuperseded() throws {
    let day = SQLFragments.utcDay("s.started_at")
    try connection.execute(
      """
      INSERT INTO \(tables.skip)
      SELECT o.id, 'superseded' FROM \(tables.superseded) o
      WHERE NOT EXISTS (SELECT FROM \(tables.skip) k WHERE k.id = o.id);
      INSERT INTO \(tables.skip)
      SELECT s.id, 'superseded' FROM \(tables.incoming) s
      WHERE NOT EXISTS (SELECT FROM \(tables.skip) k WHERE k.id = s.id) AND (
        EXISTS (SELECT FROM \(tables.groups) g WHERE g.metric_type = s.metric_type AND g.source = s.source_device
          AND g.utc_day = \(day) AND g.table_count > 0)
        OR (s.metric_type, s.source_device, \(day)) IN (
          SELECT o.metric_type, o.source_device, \(SQLFragments.utcDay("o.started_at"))
          FROM \(tables.incoming) o JOIN \(tables.skip) k ON k.id = o.id AND k.reason = 'present'))
      """)
  }

  // MARK: Rows of ours that the export lacks

  private func findMissing() throws {
    try connection.execute(
      """
      INSERT INTO \(tables.remove)
      SELECT p.id, p.metric_type, \(Comparison.missingReason("p", "g"))
      FROM \(tables.present) p LEFT JOIN \(tables.groups) g ON \(Comparison.isGroup("g", of: "p"))
      WHERE p.is_ours AND NOT p.is_staged AND NOT EXISTS (SELECT FROM \(tables.aside) a WHERE a.id = p.id)
        AND NOT EXISTS (SELECT FROM \(tables.replaced) r WHERE r.id = p.id)
        \(Comparison.rawWindowCondition(manifest));
      -- Inserted under another id, unless the day is pruned.
      INSERT INTO \(tables.remove)
      SELECT p.id, p.metric_type, 'replaced' FROM \(tables.present) p JOIN \(tables.replaced) r ON r.id = p.id
      WHERE NOT EXISTS (SELECT FROM \(tables.aside) a WHERE a.id = p.id)
        AND NOT EXISTS (SELECT FROM \(tables.skip) k JOIN \(tables.incoming) s ON s.id = k.id
          WHERE k.reason = 'withheld' AND s.metric_type = p.metric_type
            AND date_trunc('second', s.started_at) = date_trunc('second', p.started_at))
      """)
  }

  /// A `RemovalRule.Reason` for a row of `present` and its group.
  static func missingReason(_ row: String, _ group: String) -> String {
    """
    CASE WHEN coalesce(\(group).staged_count, 0) = 0 THEN 'absent'
      WHEN \(group).staged_count * 2 >= \(group).table_count THEN 'full' ELSE 'thin' END
    """
  }

  static func isGroup(_ group: String, of row: String) -> String {
    """
    \(group).metric_type = \(row).metric_type AND \(group).source = \(row).source
      AND \(group).utc_day = \(SQLFragments.utcDay("\(row).started_at"))
    """
  }

  /// `--raw-window`: what is older was withheld by staging, which does not make it missing.
  static func rawWindowCondition(_ manifest: Manifest) -> String {
    guard let days = manifest.options.rawWindowDays, let date = manifest.export.exportDate else { return "" }
    let zone = SQLText.literal(manifest.zone)
    return """
      AND p.started_at >= ((\(SQLText.literal(date))::timestamptz AT TIME ZONE \(zone))::date - \(days))::timestamp
        AT TIME ZONE \(zone)
      """
  }

  /// Missing rows by type, for the rules.
  func missing(rowsByType: [String: Int]) throws -> [RemovalRule.Candidates] {
    let result = try connection.query(
      """
      SELECT metric_type, count(*) FILTER (WHERE reason = 'full') AS full_groups,
        count(*) FILTER (WHERE reason = 'thin') AS thin_groups, count(*) FILTER (WHERE reason = 'absent') AS absent_groups
      FROM \(tables.remove) WHERE reason NOT IN ('live', 'replaced') GROUP BY 1 ORDER BY 1
      """)
    return try result.rows.map { row in
      let type = try row.text("metric_type")
      return RemovalRule.Candidates(
        metricType: type, tableRows: rowsByType[type] ?? 0, inFullGroups: try row.int("full_groups"),
        inThinGroups: try row.int("thin_groups"), inAbsentGroups: try row.int("absent_groups"))
    }
  }

  /// Takes back what the rules spare.
  func apply(_ verdict: RemovalRule.Verdict, removesAll: Bool) throws {
    let types = verdict.removedTypes.sorted().map(SQLText.literal).joined(separator: ", ")
    let isSpared = types.isEmpty ? "true" : "metric_type NOT IN (\(types))"
    let isThin = removesAll ? "" : " OR reason IN ('thin', 'absent')"
    try connection.execute(
      "DELETE FROM \(tables.remove) WHERE reason NOT IN ('live', 'replaced') AND (\(isSpared)\(isThin))")
  }
}
