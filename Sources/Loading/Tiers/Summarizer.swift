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

  /// All types, with what the days are from now on.
  struct Result {
    var types: [TypeResult] = []
    var calendar: SummaryCalendar
    var isZoneNew = false
  }

  func run() throws -> SummarizeOutcome {
    var outcome = SummarizeOutcome()
    outcome.zone = request.zone
    let zone = try SystemZones.load(name: request.zone)
    let settings = try Ledger(connection).settings(of: context.userID)
    if request.days != nil, let settings { try refuseOtherSettings(settings) }
    outcome.formerZone = settings?.summarizedZones.last.flatMap { $0 == request.zone ? nil : $0 }
    let serverZone = try ExportRelation.serverZone(request.zone, connection)
    outcome.isZoneUnknownToServer = serverZone == nil
    var result = Result(calendar: SummaryCalendar(zone: zone))
    if let shape = try TableShape.read(.metrics, connection) {
      context.onEvent(.began(.compare, total: nil))
      let ranksDiffer = settings.map { $0.summarizedPriority != request.sourcePriority } ?? false
      result = try snapshot { try recompute(shape, zone, ranksDiffer: ranksDiffer, &outcome) }
      context.onEvent(.ended(.compare))
    }
    try context.options.faults.pass("before-publish")
    context.onEvent(.began(.publish, total: nil))
    try SummaryRewrite(context: context, request: request, serverZone: serverZone).publish(result, &outcome)
    context.onEvent(.ended(.publish))
    return outcome
  }

  /// Some days by other rules would stand beside the rest by the rules so far.
  private func refuseOtherSettings(_ settings: UserSettings) throws {
    let zones = settings.summarizedZones
    if zones.contains(where: { $0 != request.zone }) {
      throw LoadError.daysOfOtherZone(summaries: zones.last ?? "", wanted: request.zone)
    }
    if !zones.isEmpty && settings.summarizedPriority != request.sourcePriority { throw LoadError.daysByOtherRanks }
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
    _ shape: TableShape, _ zone: ZoneRules, ranksDiffer: Bool, _ outcome: inout SummarizeOutcome
  ) throws -> Result {
    let rows = StoredRows(shape: shape, userID: context.userID, connection: connection)
    let symbols = SymbolTable()
    let ranking = SourceRanking(
      sources: try StoredSources.read(userID: rows.userID, symbols: symbols, rows.connection), symbols: symbols,
      priority: request.sourcePriority)
    outcome.sourceRanking = ranking.order().map(\.name)
    outcome.unmatchedNames = ranking.unmatchedNames
    let former = try SummaryCalendar.read(userID: context.userID, connection)
    let change = CalendarChange(
      former: former, zone: zone, coverage: try RawCoverage.read(userID: context.userID, connection),
      ranksDiffer: ranksDiffer, userID: context.userID, ranking: ranking, symbols: symbols, connection: connection)
    let withRows = try rows.types()
    var result = Result(calendar: SummaryCalendar(zone: zone), isZoneNew: change.isZoneNew)
    for type in withRows + (try change.types()).subtracting(withRows).sorted()
    where SummaryKind(metricType: type) != .none {
      let settlement = try change.settlement(of: type, rows)
      let kept = settlement?.kept ?? []
      let pruned = former.pruned.days(of: type)
      result.calendar.setWithheld(kept.filter { !pruned.contains($0.day) }, of: type)
      result.types.append(try recompute(type, rows, change, settlement, &outcome))
      context.onEvent(.advanced(.compare, done: Int64(outcome.rows)))
    }
    outcome.types = withRows.count { SummaryKind(metricType: $0) != .none }
    return result
  }

  private func recompute(
    _ type: String, _ rows: StoredRows, _ change: CalendarChange, _ settlement: DaySettlement?,
    _ outcome: inout SummarizeOutcome
  ) throws -> TypeResult {
    let rules = settlement?.rules ?? change.zone
    var recompute = TypeRecompute(metricType: type, zone: rules, ranking: change.ranking, symbols: change.symbols)
    outcome.rows += try rows.read(type, range: readRange(type, rules), hashed: false) { try recompute.add(&$0) }
    let (summaries, leftOut) = recompute.finish()
    outcome.leftOutRows += leftOut.total
    let stored =
      try TableShape.read(.dailySummaries, connection).map {
        try StoredSummaries(shape: $0, userID: context.userID, connection: connection).weights(type)
      } ?? [:]
    let moved = settlement?.moved ?? []
    // Before a raw window, rows of other programs make a summary only where imports have none.
    let found = summaries.weights
    let withheld = stored.filter { day, known in
      let range = change.zone.range(of: day)
      if moved.contains(day) || !change.coverage.isBeforeWindow(range) { return false }
      return !change.coverage.isComplete(range)
        || !(found[day]?.outweighs(known, ranksDiffer: change.ranksDiffer) ?? false)
    }.keys
    let selection = DaySelector(
      days: recompute.days, moved: moved,
      fixed: FixedDays(
        pruned: change.former.pruned.days(of: type), withheld: Set(withheld).union((settlement?.kept ?? []).map(\.day))),
      stored: stored.mapValues(\.count), limits: request.days)
    outcome.prunedDays += selection.prunedCount
    outcome.withheldDays += selection.withheldCount
    return TypeResult(
      metricType: type, summaries: summaries.filter { selection.writes($0) }, emptied: selection.recomputedDays)
  }

  /// Sessions and overlaps may reach far beyond the days wanted; of other types, what touches them is enough.
  private func readRange(_ type: String, _ zone: ZoneRules) -> Range<Instant>? {
    guard let days = request.days, !RecomputeScope.needsIntervals(metricType: type) else { return nil }
    return zone.firstInstant(of: days.lowerBound)..<zone.firstInstant(of: days.upperBound.advanced(by: 1))
  }
}

/// Which days of a type a recomputation may write.
private struct DaySelector {
  /// Local days with rows, or with a summary that is of other limits, ascending, that are neither pruned nor withheld,
  /// inside the limits.
  private(set) var recomputedDays: [CivilDay] = []
  private(set) var prunedCount = 0
  private(set) var withheldCount = 0
  private let writable: Set<CivilDay>
  private let fixed: FixedDays
  private let stored: [CivilDay: Int]
  private let limits: ClosedRange<CivilDay>?

  /// - Parameters:
  ///   - days: days with rows.
  ///   - moved: days whose summary so far is of another stretch of time.
  ///   - stored: samples of the fullest summary that the table has of the type on a day.
  init(
    days: Set<CivilDay>, moved: Set<CivilDay>, fixed: FixedDays, stored: [CivilDay: Int],
    limits: ClosedRange<CivilDay>?
  ) {
    writable = days.union(moved)
    self.fixed = fixed
    self.stored = stored
    self.limits = limits
    for day in writable.sorted() where limits?.contains(day) ?? true {
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
    return writable.contains(day) || (stored[day] ?? 0) == 0
  }
}
