import DailySummaries
package import HealthModel
import Loading
package import PostgresClient

/// One read-only transaction of `HealthReader.read`, with what is known of the user.
package final class ReadSession {
  package let connection: PostgresConnection
  package let user: String
  package let now: Instant
  let tables: ReadableTables
  private let facts: UserFacts
  private let symbols = SymbolTable()
  private var rankingCache: SourceRanking?
  private var rawTypesCache: [String]?
  private var summaryTypesCache: [String]?

  init(connection: PostgresConnection, user: String, tables: ReadableTables, now: Instant) throws {
    self.connection = connection
    self.user = user
    self.tables = tables
    self.now = now
    facts = try UserFacts.read(tables, user: user, connection)
  }

  /// The zone whose local days the summaries have; UTC where nothing says otherwise.
  package var zone: ZoneRules { facts.zone }
  package var today: CivilDay { zone.localDay(of: now) }
  /// The date of the newest export that was imported.
  package var newestExportDate: Instant? { facts.newestExportDate }

  /// The last `count` local days, today included.
  package func lastDays(_ count: Int) -> ClosedRange<CivilDay> { today.advanced(by: 1 - max(1, count))...today }

  // MARK: What is there

  /// Metric types of raw rows and of summaries, in order.
  package var storedTypes: [String] {
    get throws { try Set(rawTypes).union(summaryTypes).sorted() }
  }

  private var rawTypes: [String] {
    get throws { try types(tables.metrics, &rawTypesCache) }
  }

  private var summaryTypes: [String] {
    get throws { try types(tables.summaries, &summaryTypesCache) }
  }

  private func types(_ shape: TableShape?, _ cache: inout [String]?) throws -> [String] {
    if let cache { return cache }
    let types = try shape.map { try StoredTypes.read($0, user: user, connection) } ?? []
    cache = types
    return types
  }

  /// Names of the catalogue and of everything that is stored.
  package var names: MetricNames { get throws { MetricNames(stored: try storedTypes) } }

  /// The metric that a name means; throws `QueryError.unknownMetric`.
  package func metric(named name: String) throws -> Metric {
    // What the catalogue knows needs no look into the tables.
    if let identifier = MetricNames().identifier(of: name) { return Metric(identifier) }
    let names = try self.names
    if let identifier = names.identifier(of: name) { return Metric(identifier) }
    throw QueryError.unknownMetric(name, nearest: names.nearest(to: name))
  }

  // MARK: Days

  /// The metric day by day, in order; days without data are absent. Each day is from one tier (`TierPlan`).
  ///
  /// Raw days are summed up by the fold that makes the summaries (DESIGN §4), so overlapping sources count once.
  package func daily(_ metric: Metric, _ days: ClosedRange<CivilDay>) throws -> [DailyPoint] {
    try family(metric, days, only: [metric.identifier])[metric.identifier] ?? []
  }

  /// The metric and all that comes from the same rows, by metric type: of sleep its stages and the time in bed, of
  /// workouts their activities. A day of a family is from one tier as a whole.
  package func dailyFamily(_ metric: Metric, _ days: ClosedRange<CivilDay>) throws -> [String: [DailyPoint]] {
    try family(metric, days, only: nil)
  }

  /// Every metric of one day, by metric type.
  package func snapshot(_ day: CivilDay) throws -> [String: DailyPoint] {
    var stored: [String: [DailySummary]] = [:]
    if let shape = tables.summaries {
      let all = try StoredDays(shape: shape, user: user, connection: connection).summaries(nil, day...day)
      stored = Dictionary(grouping: all) { Metric($0.metricType).rawType }
    }
    // A day that only rows may tell of: look which types have any.
    let rawTypes = try typesWithRows(on: day)
    let pruned = try prunedRanges(rawTypes.sorted(), day...day)
    var result: [String: DailyPoint] = [:]
    for type in Set(stored.keys).union(rawTypes).sorted() {
      let metric = Metric(type)
      guard metric.kind != .none else { continue }
      let points = try merged(metric, day...day, stored[type] ?? [], pruned) { candidates in
        rawTypes.contains(type) ? candidates : []
      }
      for point in points { result[point.summary.metricType] = point }
    }
    return result
  }

  private func family(
    _ metric: Metric, _ days: ClosedRange<CivilDay>, only wanted: Set<String>?
  ) throws -> [String: [DailyPoint]] {
    guard metric.kind != .none else { throw QueryError.noDailyValues(metric.identifier) }
    let points = try merged(
      metric, days, try storedSummaries(metric, days), try prunedRanges([metric.rawType], days)
    ) { candidates in try stretchesWithRows(metric, candidates) }
    return Dictionary(grouping: points.filter { wanted?.contains($0.summary.metricType) ?? true }) {
      $0.summary.metricType
    }.mapValues { $0.sorted { $0.day < $1.day } }
  }

  /// Stored summaries of a family and what its raw rows give, each day from one of them.
  ///
  /// - Parameter withRows: those of some stretches of days that hold rows; others may be among them.
  private func merged(
    _ metric: Metric, _ days: ClosedRange<CivilDay>, _ stored: [DailySummary], _ pruned: PrunedDays,
    withRows: ([ClosedRange<CivilDay>]) throws -> [ClosedRange<CivilDay>]
  ) throws -> [DailyPoint] {
    let plan = TierPlan(
      newestExportDay: facts.newestExportDay,
      summarized: stored.reduce(into: [:]) { $0[$1.day, default: 0] += $1.sampleCount },
      isPruned: { [zone] day in
        pruned.overlaps(metric.rawType, zone.firstInstant(of: day)..<zone.firstInstant(of: day.advanced(by: 1)))
      })
    let raw = try rawSummaries(metric, try withRows(plan.candidates(days)))
    let rawCounts = raw.reduce(into: [CivilDay: Int]()) { $0[$1.day, default: 0] += $1.sampleCount }
    let rawDays = Set(rawCounts.filter { plan.prefersRaw($0.key, sampleCount: $0.value) }.keys)
    return stored.filter { !rawDays.contains($0.day) }.map { DailyPoint($0, .summary) }
      + raw.filter { rawDays.contains($0.day) }.map { DailyPoint($0, .raw) }
  }

  /// Types that have rows on the day, or rows of the day before that may reach into it.
  private func typesWithRows(on day: CivilDay) throws -> Set<String> {
    guard let shape = tables.metrics else { return [] }
    let types = try rawTypes
    let reachesIn = types.map { RawDays.margin(Metric($0).kind).before > 0 ? "t" : "f" }
    let limits = [day, day.advanced(by: 1)].map { zone.firstInstant(of: $0).iso8601 }
    let rows =
      "SELECT FROM \(shape.qualifiedName) m WHERE m.user_id = $1 AND m.metric_type = t.metric_type AND m.started_at"
    let result = try connection.query(
      """
      SELECT t.metric_type FROM unnest($2::text[], $3::boolean[]) AS t(metric_type, reaches_in)
      WHERE EXISTS (\(rows) >= $4::timestamptz AND m.started_at < $5::timestamptz)
        OR t.reaches_in AND EXISTS (\(rows) >= $4::timestamptz - interval '1 day'
          AND m.started_at < $4::timestamptz AND m.ended_at >= $4::timestamptz)
      """, [user, TextArray.text(types), TextArray.text(reachesIn)] + limits)
    return Set(try result.rows.map { try $0.text(0) })
  }

  private func storedSummaries(_ metric: Metric, _ days: ClosedRange<CivilDay>) throws -> [DailySummary] {
    guard let shape = tables.summaries else { return [] }
    var names = [metric.rawType]
    if let prefix = metric.familyPrefix { names += try summaryTypes.filter { $0.hasPrefix(prefix) } }
    return try StoredDays(shape: shape, user: user, connection: connection).summaries(names, days)
  }

  private func rawDays(_ shape: TableShape) throws -> RawDays {
    RawDays(shape: shape, user: user, connection: connection, zone: zone, ranking: try ranking, symbols: symbols)
  }

  private func stretchesWithRows(
    _ metric: Metric, _ candidates: [ClosedRange<CivilDay>]
  ) throws -> [ClosedRange<CivilDay>] {
    guard let shape = tables.metrics, !candidates.isEmpty else { return [] }
    let rows = try rawDays(shape)
    guard let extent = try rows.extent(metric.rawType) else { return [] }
    // Where rows reach over midnight, the day after the last one has something too.
    let reach = extent.lowerBound...extent.upperBound.advanced(by: RawDays.margin(metric.kind).before)
    let clipped = candidates.filter { $0.overlaps(reach) }.map { $0.clamped(to: reach) }
    return try rows.stretchesWithRows(metric.rawType, clipped)
  }

  private func rawSummaries(_ metric: Metric, _ stretches: [ClosedRange<CivilDay>]) throws -> [DailySummary] {
    guard let shape = tables.metrics, !stretches.isEmpty else { return [] }
    let rows = try rawDays(shape)
    var result: [DailySummary] = []
    for read in ReadSession.joined(stretches, gap: 2 * RawDays.margin(metric.kind).before) {
      let summaries = try rows.summaries(metric.rawType, read)
      result += summaries.filter { summary in stretches.contains { $0.contains(summary.day) } }
    }
    return result
  }

  /// Stretches whose margins would be read twice are read as one.
  private static func joined(_ stretches: [ClosedRange<CivilDay>], gap: Int) -> [ClosedRange<CivilDay>] {
    var result: [ClosedRange<CivilDay>] = []
    for stretch in stretches {
      if let last = result.last, stretch.lowerBound <= last.upperBound.advanced(by: gap + 1) {
        result[result.count - 1] = last.lowerBound...stretch.upperBound
      } else {
        result.append(stretch)
      }
    }
    return result
  }

  private var ranking: SourceRanking {
    get throws {
      if let known = rankingCache { return known }
      let sources = try UserFacts.sources(tables, user: user, symbols: symbols, connection)
      let ranking = SourceRanking(sources: sources, symbols: symbols, priority: facts.priority)
      rankingCache = ranking
      return ranking
    }
  }

  private func prunedRanges(_ types: [String], _ days: ClosedRange<CivilDay>) throws -> PrunedDays {
    guard tables.own.contains("pruned_days"), !types.isEmpty else { return PrunedDays() }
    let period = zone.firstInstant(of: days.lowerBound)..<zone.firstInstant(of: days.upperBound.advanced(by: 1))
    return try PrunedDays.ranges(of: types, within: period, user: user, connection)
  }
}
