import DailySummaries
import HealthModel
import PostgresClient

/// From the days that a user's summaries have so far to those of a zone: reads what `DaySettlement` decides by.
struct CalendarChange {
  let former: SummaryCalendar
  let zone: ZoneRules
  /// Of all imports, the one at hand included.
  let coverage: RawCoverage
  /// Summaries so far were made by other source ranks.
  let ranksDiffer: Bool
  let userID: String
  let ranking: SourceRanking
  let symbols: SymbolTable
  let connection: PostgresConnection

  /// Summaries of all types are cut anew.
  var isZoneNew: Bool { former.undatedZone != nil || former.zone.map { $0.name != zone.name } ?? false }

  /// Types with days that may be cut otherwise than so far, or than in the zone.
  func types() throws -> Set<String> {
    let irregular = Set(former.irregularTypes(than: zone))
    guard isZoneNew, let shape = try TableShape.read(.dailySummaries, connection) else { return irregular }
    return irregular.union(try StoredSummaries(shape: shape, userID: userID, connection: connection).types())
  }

  /// What an import brings beside.
  struct Staged {
    var days: Set<CivilDay> = []
    /// Days whose rows the export withholds.
    var alone: Set<CivilDay> = []
    var isOlder = false
  }

  /// nil: the type's days are those of the zone, before and after.
  ///
  /// - Parameter arriving: reads the rows of the type that touch some days, as the table will hold them.
  func settlement(
    of metricType: String, _ rows: StoredRows, staged: Staged = Staged(),
    arriving: ((Set<CivilDay>, ZoneRules, inout TypeRecompute) throws -> Void)? = nil
  ) throws -> DaySettlement? {
    let rules = former.rules(of: metricType, zone: zone)
    guard isZoneNew || !former.irregularDays(of: metricType, than: zone).isEmpty else { return nil }
    var facts = DaySettlement.Facts(former: rules, undated: former.undatedZone, zone: zone)
    if let shape = try TableShape.read(.dailySummaries, connection) {
      facts.stored = try StoredSummaries(shape: shape, userID: userID, connection: connection)
        .weights(metricType, oursOnly: true)
    }
    facts.pruned = former.pruned.days(of: metricType)
    (facts.staged, facts.stagedAlone, facts.isOlder) = (staged.days, staged.alone, staged.isOlder)
    let unknown = DaySettlement.irregularDays(facts).subtracting(facts.pruned)
    facts.ranksDiffer = ranksDiffer
    facts.doubtful = unknown.filter { coverage.isBeforeWindow(rules.range(of: $0)) }
    facts.border = unknown.filter { coverage.isBorder(rules.range(of: $0)) }
    if let first = unknown.min(), let last = unknown.max() {
      let hull = rules.firstInstant(of: first)..<rules.firstInstant(of: last.advanced(by: 1))
      facts.counted = try weights(metricType, rules) { recompute in
        try rows.read(metricType, range: hull, hashed: false) { try recompute.add(&$0) }
      }
      let short = unknown.subtracting(facts.border).filter(facts.isShort)
      if let arriving, !short.isEmpty {
        let later = try weights(metricType, rules) { try arriving(short, rules, &$0) }
        for (day, weight) in later where short.contains(day) { facts.counted[day] = weight }
      }
    }
    return DaySettlement(facts)
  }

  private func weights(
    _ metricType: String, _ rules: ZoneRules, _ read: (inout TypeRecompute) throws -> Void
  ) throws -> [CivilDay: DayWeight] {
    var recompute = TypeRecompute(metricType: metricType, zone: rules, ranking: ranking, symbols: symbols)
    try read(&recompute)
    return recompute.finish().summaries.weights
  }
}
