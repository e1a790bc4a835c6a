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

  var tables: WorkingTables { run.tables }
  var user: String { shape.user(manifest.user) }

  func recompute() throws {
    try writeKeptDays()
    let intervals = try touchedIntervals()
    let zone = try SystemZones.load(name: manifest.zone)
    let pruned = try PrunedDays.read(userID: manifest.user, connection)
    let types = Set(intervals.keys).union(pruned.typesOfOtherZones(than: zone))
      .filter { SummaryKind(metricType: $0) != .none }
    if types.isEmpty { return }
    try connection.execute("CREATE TABLE \(tables.unionDays) (metric_type text NOT NULL, day date NOT NULL)")
    let symbols = SymbolTable()
    let ranking = SourceRanking(
      sources: try StoredSources.read(
        userID: manifest.user, staged: tables.sources, symbols: symbols, connection), symbols: symbols,
      priority: manifest.options.sourcePriority)
    let staying = try StayingDays(
      relation: plan.relation, manifest: manifest, zone: zone, types: types, tables: tables, connection: connection)
    if types.count > 2 && plan.rows.selectedRows > 100_000 {
      try connection.execute("CREATE INDEX ON \(tables.incoming) (metric_type)")
    }
    for type in types.sorted() {
      try recompute(type, intervals[type] ?? [], pruned: pruned, staying: staying, zone, ranking, symbols)
    }
  }

  private func recompute(
    _ type: String, _ intervals: [RowInterval], pruned: PrunedDays, staying: StayingDays, _ zone: ZoneRules,
    _ ranking: SourceRanking, _ symbols: SymbolTable
  ) throws {
    let rows = PostState(
      tables: tables, shape: shape, userID: manifest.user, isCompared: isCompared, connection: connection)
    var touched: Set<CivilDay> = []
    for interval in intervals { RecomputeScope.addDays(of: interval, zone: zone, to: &touched) }
    var fixed = FixedDays(metricType: type, zone: zone, pruned: pruned)
    touched.formUnion(fixed.daysBeside(zone))
    let everyInterval = RecomputeScope.needsIntervals(metricType: type) ? try rows.intervals(of: type) : []
    let scope = RecomputeScope(metricType: type, touched: touched, intervals: everyInterval, zone: zone)
    if scope.days.isEmpty { return }
    fixed = try staying.fixedDays(type, among: scope.days, pruned: pruned)
    var days = scope.days.filter { !fixed.contains($0) }
    var fold = SummaryFold(metricType: type, zone: zone, ranking: ranking, symbols: symbols)
    var samples = DayRecompute(metricType: type, symbols: symbols)
    var uncounted = UncountedSamples(metricType: type, fixed: fixed)
    try rows.read(type, scope) { uncounted.add(try samples.record(&$0), to: &fold) }
    uncounted.finish(&fold)
    let summaries = fold.finish().filter { scope.contains($0.day) && !fixed.contains($0.day) }
    // Days of former zones that no row falls on any more.
    var stale: Set<CivilDay> = []
    for former in plan.relation.formerZones.compactMap({ try? SystemZones.load(name: $0) }) {
      for interval in intervals { RecomputeScope.addDays(of: interval, zone: former, to: &stale) }
    }
    days += stale.subtracting(scope.days).filter { !fixed.contains($0) }
    try SummaryReplacement(tables: tables, userID: manifest.user, connection: connection)
      .replace(type, days: days, recomputed: Set(scope.days).filter { !fixed.contains($0) }, by: summaries)
  }
}
