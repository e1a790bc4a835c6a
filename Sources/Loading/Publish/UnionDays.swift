import DailySummaries
import HealthModel
import PostgresClient
import Staging

/// Recomputes the summaries of days that the export shares with rows it lacks: kept history, live rows, and rows that
/// this load removes (DESIGN §4.7). After the comparison, before the shared tables are touched: from the rows the table
/// will hold.
///
/// ```
/// (type, UTC day) with rows the export lacks ─► local days they touch ─► RecomputeScope ─► rows ─► fold ─► summaries
/// ```
struct UnionDays {
  let run: ImportRun
  let plan: ImportPlan
  let manifest: Manifest
  let shape: TableShape
  /// The working tables of a comparison exist.
  let isCompared: Bool
  let connection: PostgresConnection

  private var tables: WorkingTables { run.tables }
  private var user: String { shape.user(manifest.user) }

  func recompute() throws {
    try writeKeptDays()
    let intervals = try touchedIntervals()
    if intervals.isEmpty { return }
    let zone = try SystemZones.load(name: manifest.zone)
    let former = plan.relation.formerZone.flatMap { try? SystemZones.load(name: $0) }
    try connection.execute("CREATE TABLE \(tables.unionDays) (metric_type text NOT NULL, day date NOT NULL)")
    let symbols = SymbolTable()
    let ranking = SourceRanking(
      sources: try sources(symbols), symbols: symbols, priority: manifest.options.sourcePriority)
    let pruned = try PrunedDays.read(userID: manifest.user, connection)
    let coverage = RawCoverage(of: manifest, zone: zone)
    let rows = PostState(
      tables: tables, shape: shape, userID: manifest.user, isCompared: isCompared, connection: connection)
    if intervals.count > 2 && plan.rows.selectedRows > 100_000 {
      try connection.execute("CREATE INDEX ON \(tables.incoming) (metric_type)")
    }
    for type in intervals.keys.sorted() {
      var touched: Set<CivilDay> = []
      for interval in intervals[type] ?? [] { RecomputeScope.addDays(of: interval, zone: zone, to: &touched) }
      let everyInterval = RecomputeScope.needsIntervals(metricType: type) ? try rows.intervals(of: type) : []
      let scope = RecomputeScope(metricType: type, touched: touched, intervals: everyInterval, zone: zone)
      if scope.days.isEmpty { continue }
      let fixed = DaysWithoutRows(metricType: type, zone: zone, pruned: pruned, coverage: coverage)
      var days = scope.days.filter { !fixed.contains($0) }
      var fold = SummaryFold(metricType: type, zone: zone, ranking: ranking, symbols: symbols)
      var samples = DayRecompute(metricType: type, symbols: symbols)
      try rows.read(type, scope) { fold.add(try samples.record(&$0)) }
      let summaries = fold.finish().filter { scope.contains($0.day) && !fixed.contains($0.day) }
      if let former {
        // Days of the former zone that no row falls on any more.
        var stale: Set<CivilDay> = []
        for interval in intervals[type] ?? [] { RecomputeScope.addDays(of: interval, zone: former, to: &stale) }
        days += stale.subtracting(scope.days).filter { !fixed.contains($0) }
      }
      try SummaryReplacement(tables: tables, userID: manifest.user, connection: connection)
        .replace(type, days: days, recomputed: Set(scope.days), by: summaries)
    }
  }

  // MARK: Which days

  /// Types and UTC days with rows that the export lacks, where the export has samples of the type a day around.
  private func writeKeptDays() throws {
    let isZoneNew = plan.relation.formerZone != nil
    var kept: Set<ImportPlan.TypeDay> = []
    let staged = plan.stagedDays
    for (day, isLacking) in plan.tableDays where isLacking || isZoneNew {
      let isShared = (-1...1).contains { staged.contains(.init(type: day.type, day: day.day.advanced(by: $0))) }
      if isShared || isZoneNew { kept.insert(day) }
    }
    try connection.execute(
      "CREATE TABLE \(tables.keptDays) (metric_type text NOT NULL, utc_day date NOT NULL)")
    var encoder = CopyEncoder()
    encoder.appendHeader()
    for key in kept {
      encoder.beginRow(fieldCount: 2)
      encoder.append(text: plan.name(key.type))
      encoder.append(date: key.day)
    }
    encoder.appendTrailer()
    try connection.copyIn("COPY \(tables.keptDays) FROM STDIN (FORMAT binary)") { try $0.send(encoder.bytes.span) }
    guard isCompared else { return }
    try connection.execute(
      """
      INSERT INTO \(tables.keptDays)
      SELECT DISTINCT metric_type, \(SQLFragments.utcDay("started_at")) FROM \(tables.present)
      WHERE NOT (is_staged AND is_ours)
      EXCEPT SELECT metric_type, utc_day FROM \(tables.keptDays)
      """)
  }

  /// From the first start to the last end of each such day's rows, by type. An older export touches the days that it
  /// adds rows to, too.
  private func touchedIntervals() throws -> [String: [RowInterval]] {
    let isWhole = try connection.query("SELECT count(*) * 5 > \(plan.tableDays.count) FROM \(tables.keptDays)")[0].bool(
      0)
    let scan =
      isWhole
      ? """
      \(shape.qualifiedName) t JOIN \(tables.keptDays) d
        ON t.user_id = \(user) AND d.metric_type = t.metric_type AND d.utc_day = \(SQLFragments.utcDay("t.started_at"))
      """
      : """
      \(tables.keptDays) d CROSS JOIN LATERAL (
        SELECT r.metric_type, r.started_at, r.ended_at FROM \(shape.qualifiedName) r
        WHERE r.user_id = \(user) AND r.metric_type = d.metric_type
          AND r.started_at >= d.utc_day::timestamp AT TIME ZONE 'UTC'
          AND r.started_at < (d.utc_day + 1)::timestamp AT TIME ZONE 'UTC' OFFSET 0) t
      """
    let added =
      plan.relation.isOlder && isCompared
      ? """
      UNION ALL
      SELECT s.metric_type, min(s.started_at), max(coalesce(s.ended_at, s.started_at)) FROM \(tables.incoming) s
      WHERE NOT EXISTS (SELECT FROM \(tables.skip) k WHERE k.id = s.id)
      GROUP BY s.metric_type, \(SQLFragments.utcDay("s.started_at"))
      """ : ""
    var result: [String: [RowInterval]] = [:]
    var decoder = CopyDecoder(fieldCount: 3)
    try connection.copyOut(
      """
      COPY (
        SELECT t.metric_type, min(t.started_at), max(coalesce(t.ended_at, t.started_at)) FROM \(scan)
        WHERE isfinite(t.started_at) AND coalesce(isfinite(t.ended_at), true)
        GROUP BY t.metric_type, d.utc_day
        \(added)
      ) TO STDOUT (FORMAT binary)
      """
    ) { piece in
      decoder.append(piece)
      while try decoder.nextRow() {
        let type = try decoder.required(decoder.string(0), 0)
        let start = try decoder.required(decoder.timestamptz(1), 1)
        let end = try decoder.required(decoder.timestamptz(2), 2)
        result[type, default: []].append(RowInterval(start: start, end: max(start, end)))
      }
    }
    try decoder.finish()
    return result
  }

  /// Sources of all imports, this one's first.
  private func sources(_ symbols: SymbolTable) throws -> [Symbol: SourceFacts] {
    let result = try connection.query(
      """
      SELECT DISTINCT ON (name) name, class, extract(epoch FROM first_at)::bigint AS first_second FROM (
        SELECT name, class, first_sample_at AS first_at, 0 AS age FROM \(tables.sources)
        UNION ALL SELECT name, class, first_sample_at, 1 FROM hk2pg.sources WHERE user_id = $1) s
      ORDER BY name, age
      """, [manifest.user])
    var sources: [Symbol: SourceFacts] = [:]
    for row in result.rows {
      let first = try row.optionalInt("first_second").map { Instant(seconds: Int64($0)) }
      sources[symbols.intern(try row.text("name"))] = SourceFacts(
        deviceClass: SourceFacts.DeviceClass(rawValue: try row.text("class")) ?? .other, firstSample: first)
    }
    return sources
  }
}
