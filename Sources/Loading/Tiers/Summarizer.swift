import DailySummaries
import HealthModel
import PostgresClient
import Staging

extension Loader {
  /// `hk2pg summarize`: recomputes the user's daily summaries from the raw rows of all programs (DESIGN §4.7).
  package func summarize(_ request: SummarizeRequest) throws -> SummarizeOutcome {
    try underLease { try Summarizer(context: $0, request: request).run() }
  }
}

/// Recomputes summaries from the raw rows in the table, by the fold that sums up exports.
///
/// ```
/// one snapshot: rows of a type by start ─► TypeRecompute ─► days whose rows are all there ─┐
/// one short transaction: working table ◄───────────────────────────────────────────────────┘ ─► rows that differ, settings
/// ```
/// Memory holds summaries, never rows. Rows that a live app adds meanwhile are for the next run.
struct Summarizer {
  let context: LoadContext
  let request: SummarizeRequest

  private var connection: PostgresConnection { context.connection }

  /// What is to be published of one type.
  struct TypeResult {
    var metricType: String
    var summaries: [DailySummary]
    /// Summaries of ours on these days that are not among `summaries` have no rows any more.
    var emptied: [CivilDay]
  }

  func run() throws -> SummarizeOutcome {
    var outcome = SummarizeOutcome()
    outcome.zone = request.zone
    let zone = try SystemZones.load(name: request.zone)
    let settings = try Ledger(connection).settings(of: context.userID)
    let formerZones = settings?.summarizedZones.filter { $0 != request.zone } ?? []
    outcome.formerZone = settings?.summarizedZones.last.flatMap { $0 == request.zone ? nil : $0 }
    let serverZone = try ExportRelation.serverZone(request.zone, connection)
    outcome.isZoneUnknownToServer = serverZone == nil
    var results: [TypeResult] = []
    if let shape = try TableShape.read(.metrics, connection) {
      context.onEvent(.began(.compare, total: nil))
      results = try snapshot { try recompute(shape, zone, formerZones, &outcome) }
      context.onEvent(.ended(.compare))
    }
    try context.options.faults.pass("before-publish")
    context.onEvent(.began(.publish, total: nil))
    try SummaryRewrite(
      context: context, request: request, serverZone: serverZone, formerZones: formerZones
    ).publish(results, &outcome)
    context.onEvent(.ended(.publish))
    return outcome
  }

  /// One state of the table, however long reading takes.
  private func snapshot<T>(_ body: () throws -> T) throws -> T {
    try connection.transaction(TransactionOptions(isolation: .repeatableRead, isReadOnly: true)) {
      try context.server.prepareTransaction(connection)
      return try body()
    }
  }

  // MARK: Recomputing

  private func recompute(
    _ shape: TableShape, _ zone: ZoneRules, _ formerZones: [String], _ outcome: inout SummarizeOutcome
  ) throws -> [TypeResult] {
    let rows = StoredRows(shape: shape, userID: context.userID, connection: connection)
    let symbols = SymbolTable()
    let ranking = SourceRanking(
      sources: try StoredSources.read(userID: rows.userID, symbols: symbols, rows.connection), symbols: symbols,
      priority: request.sourcePriority)
    outcome.sourceRanking = ranking.order().map(\.name)
    outcome.unmatchedNames = ranking.unmatchedNames
    let former = formerZones.compactMap { try? SystemZones.load(name: $0) }
    let pruned = try PrunedDays.read(userID: context.userID, connection)
    let coverage = try RawCoverage.read(userID: context.userID, connection)
    let summaryShape = try TableShape.read(.dailySummaries, connection)
    var results: [TypeResult] = []
    for type in try rows.types() where SummaryKind(metricType: type) != .none {
      let stored =
        try summaryShape.map {
          try StoredSummaries(shape: $0, userID: context.userID, connection: connection).counts(type)
        } ?? [:]
      // Before a raw window, rows of other programs make a summary only where imports have none.
      let zones = former.isEmpty ? [zone] : former
      let withheld = stored.keys.filter { day in zones.contains { !coverage.isComplete($0.range(of: day)) } }
      let fixed = FixedDays(
        metricType: type, zone: zone, pruned: pruned, withheld: Set(withheld), withheldZones: former)
      var recompute = TypeRecompute(
        metricType: type, zone: zone, formerZones: former, ranking: ranking, symbols: symbols, fixed: fixed)
      outcome.rows += try rows.read(type, range: readRange(type, zone), hashed: false) { try recompute.add(&$0) }
      outcome.types += 1
      let (summaries, leftOut) = recompute.finish()
      outcome.leftOutRows += leftOut.total
      let selection = DaySelector(
        days: recompute.days, spills: recompute.formerSpillDays,
        fixed: fixed, stored: stored, limits: request.days)
      results.append(
        TypeResult(
          metricType: type, summaries: summaries.filter { selection.writes($0) }, emptied: selection.recomputedDays))
      outcome.prunedDays += selection.prunedCount
      outcome.withheldDays += selection.withheldCount
      context.onEvent(.advanced(.compare, done: Int64(outcome.rows)))
    }
    return results
  }

  /// Sessions and overlaps may reach far beyond the days wanted; of other types, what touches them is enough.
  private func readRange(_ type: String, _ zone: ZoneRules) -> Range<Instant>? {
    guard let days = request.days, !RecomputeScope.needsIntervals(metricType: type) else { return nil }
    return zone.firstInstant(of: days.lowerBound)..<zone.firstInstant(of: days.upperBound.advanced(by: 1))
  }
}

/// Which days of a type a recomputation may write.
private struct DaySelector {
  /// Local days with rows, ascending, that are neither pruned nor withheld, inside the limits.
  private(set) var recomputedDays: [CivilDay] = []
  private(set) var prunedCount = 0
  private(set) var withheldCount = 0
  private let withRows: Set<CivilDay>
  private let fixed: FixedDays
  private let stored: [CivilDay: Int]
  private let limits: ClosedRange<CivilDay>?

  /// - Parameters:
  ///   - spills: days of a former zone that only received spill-overs, if their summary has no samples.
  ///   - stored: samples of the fullest summary that the table has of the type on a day.
  init(
    days: Set<CivilDay>, spills: Set<CivilDay>, fixed: FixedDays, stored: [CivilDay: Int],
    limits: ClosedRange<CivilDay>?
  ) {
    let days = days.union(spills.filter { stored[$0] == 0 })
    withRows = days
    self.fixed = fixed
    self.stored = stored
    self.limits = limits
    for day in days.sorted() where limits?.contains(day) ?? true {
      if fixed.isPruned(day) {
        prunedCount += 1
      } else if fixed.isWithheld(day) {
        withheldCount += 1
      } else {
        recomputedDays.append(day)
      }
    }
  }

  func writes(_ summary: DailySummary) -> Bool {
    let day = summary.day
    guard limits?.contains(day) ?? true, !fixed.contains(day) else { return false }
    // A day that only receives a spill-over has no rows of its own: what sums up samples there says more.
    return withRows.contains(day) || (stored[day] ?? 0) == 0
  }
}
