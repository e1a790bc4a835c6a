import DailySummaries
import HealthModel
import PostgresClient
import Staging

/// Which summaries an import must not compute again from the rows in the table, since rows were withheld.
///
/// ```
/// the export is newer   days of its own raw window have a staged summary; what it lacks altogether, and what an earlier
///                       import's window had withheld, is history
/// it is older           what an earlier import's window had withheld, too
/// ```
/// What the rows of the table make more of is computed again all the same (`outweighed`).
///
/// Days that are cut otherwise than so far are not its matter, but that of a `DaySettlement`.
struct StayingDays {
  private let relation: ExportRelation
  private let zone: ZoneRules
  private let own: RawCoverage
  private let earlier: RawCoverage
  /// Days with a staged summary, by type; only where they may matter.
  private var staged: [String: [CivilDay: DayWeight]] = [:]
  private let summaries: StoredSummaries?
  private var contested: [String: Set<CivilDay>] = [:]

  init(
    relation: ExportRelation, manifest: Manifest, zone: ZoneRules, earlier: RawCoverage, settles: Bool,
    tables: WorkingTables, connection: PostgresConnection
  ) throws {
    self.relation = relation
    self.zone = zone
    own = RawCoverage(of: manifest, zone: zone)
    self.earlier = earlier
    let shape = try TableShape.read(.dailySummaries, connection)
    summaries = shape.map { StoredSummaries(shape: $0, userID: manifest.user, connection: connection) }
    if let shape, !own.windows.isEmpty, !relation.isOlder {
      try readContested(shape, of: manifest.user, tables, connection)
    }
    if isWholeAlways && !settles && !relation.isOlder { return }
    let result = try connection.query(
      """
      SELECT \(SummaryReplacement.sampleType("w.metric_type")) AS type, w.summary_date - date '1970-01-01' AS day,
        max(w.sample_count) AS count, sum(w.sum_value) AS sum
      FROM \(tables.summaries) w GROUP BY 1, 2
      """)
    for row in result.rows {
      staged[try row.text("type"), default: [:]][try row.civilDay("day")] = DayWeight(
        count: try row.optionalInt("count") ?? 0, sum: try row.optionalDouble("sum") ?? 0)
    }
  }

  /// A summary whose rows this export withholds is to take the place of one that covers more samples: perhaps rows of
  /// other imports are there that it lacks.
  private mutating func readContested(
    _ shape: TableShape, of user: String, _ tables: WorkingTables, _ connection: PostgresConnection
  ) throws {
    let result = try connection.query(
      """
      SELECT DISTINCT \(SummaryReplacement.sampleType("w.metric_type")) AS type,
        w.summary_date - date '1970-01-01' AS day
      FROM \(tables.summaries) w JOIN \(shape.qualifiedName) t ON t.user_id = \(shape.user(user))
        AND t.metric_type = w.metric_type AND t.\(SQLText.identifier(shape.dayColumn)) = w.summary_date
      WHERE t.sample_count > w.sample_count
      """)
    for row in result.rows {
      let day = try row.civilDay("day")
      if !own.isComplete(zone.range(of: day)) { contested[try row.text("type"), default: []].insert(day) }
    }
  }

  var contestedTypes: Dictionary<String, Set<CivilDay>>.Keys { contested.keys }

  func contested(_ type: String) -> Set<CivilDay> { contested[type] ?? [] }

  private var isWholeAlways: Bool { own.windows.isEmpty && earlier.windows.isEmpty }

  func staged(_ type: String) -> CalendarChange.Staged {
    let days = Set((staged[type] ?? [:]).keys)
    return CalendarChange.Staged(
      days: days, alone: days.filter { !own.isComplete(zone.range(of: $0)) }, isOlder: relation.isOlder)
  }

  func fixedDays(
    _ type: String, among days: [CivilDay], pruned: Set<CivilDay>, _ settlement: DaySettlement?
  ) throws -> FixedDays {
    var withheld = Set(settlement?.kept.map(\.day) ?? [])
    if isWholeAlways { return FixedDays(pruned: pruned, withheld: withheld) }
    let (moved, refused) = (settlement?.moved ?? [], settlement?.refused ?? [])
    let stored = try summaries?.weights(type) ?? [:]
    let staged = Set((staged[type] ?? [:]).keys).subtracting(refused)
    withheld.formUnion(
      Set(days).union(stored.keys).filter { day in
        if refused.contains(day) { return false }
        if staged.contains(day) && !own.isComplete(zone.range(of: day)) { return true }
        if staged.contains(day) && !relation.isOlder { return false }
        if stored[day] == nil || moved.contains(day) { return false }
        let range = zone.range(of: day)
        return relation.isOlder ? earlier.isBeforeWindow(range) : !earlier.isComplete(range)
      })
    return FixedDays(pruned: pruned, withheld: withheld)
  }

  /// Days whose rows were withheld, and that the rows of the table say more about all the same: those of other imports.
  func outweighed(
    _ type: String, by recomputed: [CivilDay: DayWeight], _ settlement: DaySettlement?
  ) throws -> Set<CivilDay> {
    if isWholeAlways { return [] }
    let sumsCount = SummaryKind(metricType: type).dependsOnRanks
    let stored = relation.isOlder ? try summaries?.weights(type) ?? [:] : [:]
    let staged = (staged[type] ?? [:]).filter { !own.isComplete(zone.range(of: $0.key)) }
    let days = recomputed.keys.filter { day in
      guard let found = recomputed[day] else { return false }
      if let known = stored[day], !(settlement?.moved.contains(day) ?? false) {
        return found.outweighs(known, ranksDiffer: relation.isRankingNew)
      }
      // What reaches into the day shows in sums alone.
      guard let known = staged[day] else { return false }
      return found.count >= known.count
        && (!sumsCount || found.sum > known.sum || SameValue.holds(found.sum, known.sum))
    }
    return Set(days).subtracting(settlement?.kept.map(\.day) ?? [])
  }

  /// Staged days whose rows the export has, of an older one: where none of them is in the table, others overrule them.
  func overruled(_ type: String, among scope: RecomputeScope) -> Set<CivilDay> {
    guard relation.isOlder else { return [] }
    return Set((staged[type] ?? [:]).keys.filter { own.isComplete(zone.range(of: $0)) && !scope.contains($0) })
  }
}
