import DailySummaries
import HealthModel
import Loading
import RowMapping
import Staging

/// State of one metric type during its pass.
struct TypePass {
  var resolver: IdentityResolver
  var fold: SummaryFold
  var batch = ResolvedBatch()
  var total: MergeStage.TypeResult
  var samples = Manifest.Samples()
  var witnesses: [TruthCheck.Witness] = []
  var rowsInForecastWindow = 0
  private let forecastStart: Instant
  private let isActivitySummary: Bool
  /// nil: all days are staged.
  private let known: KnownTypeDays?
  /// The last day that has rows in an earlier batch: some of them are staged, so all are.
  private var begunDay: CivilDay?
  /// Samples merged since progress was last told.
  var groupedCount = 0

  init(stage: MergeStage, type: Symbol) {
    let name = stage.symbols[Int(type.index)]
    let text = String(decoding: name, as: UTF8.self)
    resolver = IdentityResolver(
      metricType: name, symbols: stage.symbols, user: UserKey(userID: stage.user), zone: stage.zone)
    fold = SummaryFold(metricType: text, zone: stage.zone, ranking: stage.ranking, symbols: stage.symbols)
    forecastStart = stage.forecastStart
    known = stage.knownDays()?.ofType(name)
    isActivitySummary = text == "HKActivitySummaryTypeIdentifier"
    total = MergeStage.TypeResult(metricType: text, symbol: type, groups: GroupFingerprints(metricType: name))
  }

  // MARK: Batches

  /// A batch is worth passing on from this many rows, which fit into a processor's cache.
  private static let rowCount = 1024
  /// Where whole days are wanted, this many rows are held for the end of a day.
  private static let longestDay = 16_384
  /// Clinical records and odd metadata are large.
  private static let byteCount = 16 << 20

  /// Must the batch be passed on now, whether or not its day has ended?
  var isFull: Bool {
    batch.rows.count >= (known == nil ? TypePass.rowCount : TypePass.longestDay)
      || batch.payload.count >= TypePass.byteCount
  }

  /// Is the batch large enough, and does it end with its day?
  func isComplete(before next: SampleGroup) -> Bool {
    guard known != nil, batch.rows.count >= TypePass.rowCount else { return false }
    return next.records.first?.start.utcDay != batch.rows.last?.startedAt.utcDay
  }

  mutating func takeGroupedCount() -> Int {
    defer { groupedCount = 0 }
    return groupedCount
  }

  mutating func sum() {
    fold.add(batch.rows)
    if isActivitySummary { noteWitnesses() }
    rowsInForecastWindow += batch.rows.reduce(0) { $0 + ($1.startedAt >= forecastStart ? 1 : 0) }
    samples.repeats += batch.repeats
    samples.superseded += batch.superseded
    samples.rejected += batch.rejected
  }

  /// What the Health app itself had summed, for the truth check.
  private mutating func noteWitnesses() {
    for row in batch.rows {
      witnesses.append(
        TruthCheck.Witness(
          day: row.record.start.utcDay, activeEnergy: row.record.numericValue,
          metadata: batch.payload.span.extracting(row.record.payloadRange)))
    }
  }

  /// Rows are ordered by start, so those before the window are a prefix of the batch. An ActivitySummary starts with its
  /// local day, not where its date sorts.
  mutating func withhold(before start: Instant) {
    let count = batch.rows.prefix { $0.startedAt < start }.count
    batch.rows.removeFirst(count)
    samples.withheld += count
    total.withheld += count
  }

  /// Takes the batch's rows into the groups, and those of days that the table holds exactly out of the batch.
  ///
  /// - Parameter endsDay: the batch's last row is the last of its day.
  mutating func fingerprint(endsDay: Bool, symbols: [[UInt8]]) {
    let former = total.groups.groups.count
    total.groups.add(batch, symbols: symbols)
    guard let known else { return }
    if endsDay { total.groups.endDay(symbols: symbols) }
    let lastDay = batch.rows.last?.startedAt.utcDay
    var leftOut: Set<CivilDay> = []
    var ended = total.groups.groups[former...]
    while let day = ended.first?.day {
      let groups = ended.prefix { $0.day == day }
      if day != begunDay, known.holds(groups, on: day, symbols: symbols) { leftOut.insert(day) }
      ended = ended.dropFirst(groups.count)
    }
    begunDay = endsDay ? nil : lastDay
    for day in leftOut { total.groups.leaveOut(day) }
    removeRows(of: leftOut)
  }

  private mutating func removeRows(of days: Set<CivilDay>) {
    if days.isEmpty { return }
    var (day, isLeftOut) = (CivilDay?.none, false)
    batch.rows.removeAll {
      let its = $0.startedAt.utcDay
      if its != day { (day, isLeftOut) = (its, days.contains(its)) }
      return isLeftOut
    }
  }

  mutating func noteStaged() {
    samples.staged += batch.rows.count
    total.staged += batch.rows.count
    samples.moved += batch.rows.reduce(0) { $0 + ($1.startedAt.microseconds % 1_000_000 == 0 ? 0 : 1) }
    total.first = total.first ?? batch.rows.first?.startedAt
    total.last = batch.rows.last?.startedAt ?? total.last
  }

  mutating func end(symbols: [[UInt8]]) {
    total.summaries = fold.finish()
    total.groups.endDay(symbols: symbols)
  }
}
