import PostgresClient

/// Finds the samples that rows of other programs stand for (DESIGN §3.8). Our rows beside them step aside.
struct LiveRows {
  let tables: WorkingTables
  let user: String
  let connection: PostgresConnection

  /// Fills `aside` with ids of staged samples, and of rows of ours that the export lacks: not of those whose sample is
  /// staged under another id.
  func findAside() throws {
    try connection.execute("CREATE UNLOGGED TABLE \(tables.aside) (id uuid NOT NULL)")
    let hasLive = try connection.query("SELECT EXISTS (SELECT FROM \(tables.present) WHERE NOT is_ours)")[0].bool(0)
    if !hasLive { return }
    try collectSourceNames()
    try matchOneToOne()
    try matchHours()
  }

  /// Each source under its own name and the names of its devices.
  private func collectSourceNames() throws {
    try connection.execute(
      """
      CREATE UNLOGGED TABLE \(tables.sourceNames) AS
      SELECT DISTINCT source, \(SQLFragments.sourceName("alias")) AS alias FROM (
        SELECT name AS source, unnest(device_names || name) AS alias FROM \(tables.sources)
        UNION SELECT name, unnest(device_names || name) FROM hk2pg.sources WHERE user_id = \(SQLText.literal(user))
        UNION SELECT source_device, source_device FROM (SELECT DISTINCT source_device FROM \(tables.incoming)) i
        UNION SELECT source, source FROM (SELECT DISTINCT source FROM \(tables.present) WHERE is_ours) p) n
      """)
  }

  private var samples: String {
    """
    SELECT s.id, s.metric_type, s.source_device AS source, s.started_at, s.value FROM \(tables.incoming) s
    UNION ALL
    SELECT p.id, p.metric_type, p.source, p.started_at, p.value FROM \(tables.present) p
    WHERE p.is_ours AND NOT p.is_staged AND NOT EXISTS (SELECT FROM \(tables.replaced) r WHERE r.id = p.id)
    """
  }

  /// A live row is one sample. Where several samples and several live rows of a second are alike, as many samples step
  /// aside as there are live rows, the first ones first: nothing is lost, and the choice is the same every time. Rows
  /// that are alike form a cluster, named by its least live id.
  private func matchOneToOne() throws {
    try connection.execute(
      """
      INSERT INTO \(tables.aside)
      WITH samples AS (\(samples)),
      pairs AS MATERIALIZED (
        SELECT s.id AS sample, s.started_at, l.id::text AS live
        FROM \(tables.present) l
        JOIN samples s ON s.metric_type = l.metric_type
          AND date_trunc('second', s.started_at) = date_trunc('second', l.started_at)
          AND \(SQLFragments.isSameValue("l.value", "s.value"))
        JOIN \(tables.sourceNames) n ON n.source = s.source AND n.alias = l.source
        WHERE NOT l.is_ours AND NOT l.is_hourly),
      near AS (SELECT sample, min(live) AS cluster FROM pairs GROUP BY sample),
      live AS (SELECT p.live, min(n.cluster) AS cluster FROM pairs p JOIN near n USING (sample) GROUP BY p.live),
      sizes AS (SELECT cluster, count(*) AS live_count FROM live GROUP BY cluster),
      ranked AS (
        SELECT p.sample, min(l.cluster) AS cluster, min(p.started_at) AS started_at
        FROM pairs p JOIN live l USING (live) GROUP BY p.sample),
      numbered AS (
        SELECT sample, cluster, row_number() OVER (PARTITION BY cluster ORDER BY started_at, sample) AS number
        FROM ranked)
      SELECT n.sample FROM numbered n JOIN sizes z USING (cluster) WHERE n.number <= z.live_count
      """)
  }

  /// A row for a whole hour stands for all samples of its type that start in the hour. Joined by clock hours, of which
  /// such an hour touches one or two.
  private func matchHours() throws {
    try connection.execute(
      """
      INSERT INTO \(tables.aside)
      WITH samples AS (\(samples)),
      hours AS (
        SELECT DISTINCT metric_type, date_trunc('second', started_at) AS starts_at,
          date_trunc('hour', date_trunc('second', started_at) + part) AS clock_hour
        FROM \(tables.present), unnest(ARRAY[interval '0', interval '1 hour' - interval '1 microsecond']) AS part
        WHERE is_hourly)
      SELECT DISTINCT s.id FROM hours h
      JOIN samples s ON s.metric_type = h.metric_type AND date_trunc('hour', s.started_at) = h.clock_hour
      WHERE s.started_at >= h.starts_at AND s.started_at < h.starts_at + interval '1 hour'
        AND NOT EXISTS (SELECT FROM \(tables.aside) a WHERE a.id = s.id)
      """)
  }
}
