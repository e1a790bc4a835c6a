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

  struct Result {
    /// What the days are from now on.
    var calendar = SummaryCalendar(zone: nil)
    /// Days are cut otherwise than by the zone, or than so far.
    var isCutAnew = false
  }

  func recompute() throws -> Result {
    try writeKeptDays()
    let intervals = try touchedIntervals()
    let zone = try SystemZones.load(name: manifest.zone)
    var result = Result(calendar: SummaryCalendar(zone: zone))
    let former = try SummaryCalendar.read(userID: manifest.user, connection)
    let symbols = SymbolTable()
    let ranking = SourceRanking(
      sources: try StoredSources.read(
        userID: manifest.user, staged: tables.sources, symbols: symbols, connection), symbols: symbols,
      priority: manifest.options.sourcePriority)
    let coverage = try RawCoverage.read(userID: manifest.user, connection)
    let change = CalendarChange(
      former: former, zone: zone, coverage: coverage.adding(RawCoverage(of: manifest, zone: zone)),
      ranksDiffer: plan.relation.isRankingNew, userID: manifest.user, ranking: ranking, symbols: symbols,
      connection: connection)
    let settled = try change.types()
    result.isCutAnew = change.isZoneNew || !settled.isEmpty
    let staying = try StayingDays(
      relation: plan.relation, manifest: manifest, zone: zone, earlier: coverage, settles: result.isCutAnew,
      tables: tables, connection: connection)
    let types = Set(intervals.keys).union(settled).union(staying.contestedTypes)
      .filter { SummaryKind(metricType: $0) != .none }
    if types.isEmpty { return result }
    try connection.execute("CREATE TABLE \(tables.unionDays) (metric_type text NOT NULL, day date NOT NULL)")
    if isCompared && types.count > 2 && plan.rows.selectedRows > 100_000 {
      try connection.execute("CREATE INDEX ON \(tables.incoming) (metric_type)")
    }
    for type in types.sorted() {
      let kept = try recompute(type, intervals[type] ?? [], change: change, staying: staying)
      result.calendar.setWithheld(kept.filter { !former.pruned.days(of: type).contains($0.day) }, of: type)
    }
    return result
  }

  /// Returns days of the type that are none of the zone.
  private func recompute(
    _ type: String, _ intervals: [RowInterval], change: CalendarChange, staying: StayingDays
  ) throws -> [DayRange] {
    let rows = PostState(
      tables: tables, shape: shape, userID: manifest.user, isCompared: isCompared, connection: connection)
    let settlement = try change.settlement(
      of: type, StoredRows(shape: shape, userID: manifest.user, connection: connection), staged: staying.staged(type)
    ) { days, rules, recompute in
      try rows.read(type, try makeScope(type, days, rules, rows)) { try recompute.add(&$0) }
    }
    let rules = settlement?.rules ?? change.zone
    var touched = staying.contested(type).union(settlement?.recomputed ?? [])
    // Of a table without rows, no group tells which days are to be looked at.
    let rowsToCome = plan.isWhole && settlement != nil ? try rows.intervals(of: type) : []
    for interval in intervals + rowsToCome { RecomputeScope.addDays(of: interval, zone: rules, to: &touched) }
    let scope = try makeScope(type, touched, rules, rows)
    var recompute = TypeRecompute(
      metricType: type, zone: rules, ranking: change.ranking, symbols: change.symbols)
    try rows.read(type, scope) { try recompute.add(&$0) }
    var summaries = recompute.finish().summaries.filter { scope.contains($0.day) }
    var fixed = try staying.fixedDays(
      type, among: scope.days, pruned: change.former.pruned.days(of: type), settlement)
    fixed.release(try staying.outweighed(type, by: summaries.weights, settlement))
    summaries.removeAll { fixed.contains($0.day) }
    let recomputed = scope.days.filter { !fixed.contains($0) }
    // Days of a former zone that no row falls on any more.
    let moved = (settlement?.moved ?? []).subtracting(recomputed).filter { !fixed.contains($0) }
    let replacement = SummaryReplacement(tables: tables, userID: manifest.user, connection: connection)
    try replacement.drop(type, (settlement?.refused ?? []).union(staying.overruled(type, among: scope)))
    if !recomputed.isEmpty || !moved.isEmpty {
      try replacement.replace(type, days: recomputed + moved, recomputed: Set(recomputed), by: summaries)
    }
    return settlement?.kept ?? []
  }

  private func makeScope(
    _ type: String, _ touched: Set<CivilDay>, _ rules: ZoneRules, _ rows: PostState
  ) throws -> RecomputeScope {
    let intervals = RecomputeScope.needsIntervals(metricType: type) ? try rows.intervals(of: type) : []
    return RecomputeScope(metricType: type, touched: touched, intervals: intervals, zone: rules)
  }
}
