package import HealthModel

/// Daily summaries of one metric type, from its samples in order (DESIGN §4).
///
/// Samples may come from an export or from rows of a database; equal samples give equal summaries, bit for bit, in
/// whatever order those of one second come. Nothing is kept but the finished days and what is under way: the samples of
/// a second, those that have not ended, a sleep session.
package struct SummaryFold {
  package let metricType: String
  package let kind: SummaryKind
  /// Samples that are in no summary; complete after `finish()`.
  package private(set) var leftOut = LeftOut()

  private let unit: String?
  private let names: SymbolNames
  private var sources: SourceSlots
  /// The samples of one second, to be put in an order of their own: mostly one.
  private var pending = FoldSample.none
  private var hasPending = false
  private var more: [FoldSample] = []
  private var pendingSecond = Int64.min
  private var pendingEnd = Int64.min

  private var cumulative: CumulativeFold
  private var discrete: DiscreteFold
  private var level: LevelFold
  private var category: CategoryFold
  private var standHours: StandHourFold
  private var workouts: WorkoutFold
  private var sleep: SleepFold

  /// - Parameters:
  ///   - zone: whose local days the summaries are of.
  ///   - symbols: `SymbolTable.snapshot()` that holds the sources, units and activities of all samples to come.
  package init(metricType: String, zone: ZoneRules, ranking: SourceRanking, symbols: [[UInt8]]) {
    self.init(metricType: metricType, zone: zone, ranking: ranking, names: .snapshot(symbols))
  }

  /// For samples that are still being read; new strings may come into `symbols` at any time.
  package init(metricType: String, zone: ZoneRules, ranking: SourceRanking, symbols: SymbolTable) {
    self.init(metricType: metricType, zone: zone, ranking: ranking, names: .table(symbols))
  }

  private init(metricType: String, zone: ZoneRules, ranking: SourceRanking, names: SymbolNames) {
    self.metricType = metricType
    self.names = names
    kind = SummaryKind(metricType: metricType)
    unit = Catalogue.canonicalUnit(ofType: metricType)
    sources = SourceSlots(ranking: ranking, metricType: metricType)
    cumulative = CumulativeFold(zone: zone)
    discrete = DiscreteFold(zone: zone, hasCanonicalUnit: unit != nil, names: names)
    level = LevelFold(zone: zone)
    category = CategoryFold(zone: zone)
    standHours = StandHourFold(zone: zone)
    workouts = WorkoutFold(zone: zone)
    sleep = SleepFold(zone: zone)
  }

  /// Adds a sample; none starts in an earlier second than the one before.
  package mutating func add(_ record: SampleRecord) {
    guard kind != .none, isUsable(record) else { return }
    let start = FoldSample.limited(record.start)
    let sample = FoldSample(
      start: start, end: max(start, FoldSample.limited(record.end)), value: record.value,
      slot: sources.slot(of: record.source), isUserEntered: record.flags.contains(.isUserEntered),
      subtype: record.subtype, unit: record.exportedUnit)
    if start >= pendingEnd {
      flush()
      pendingSecond = start.flooredQuotient(1_000_000) * 1_000_000
      pendingEnd = pendingSecond + 1_000_000
      pending = sample
      hasPending = true
    } else {
      precondition(start >= pendingSecond, "samples are not in order of start")
      more.append(sample)
    }
  }

  /// Adds resolved samples, in order.
  package mutating func add(_ rows: [ResolvedSample]) {
    guard kind != .none else { return }
    for i in rows.indices { add(rows[i].record) }
  }

  private mutating func isUsable(_ record: SampleRecord) -> Bool {
    switch kind {
    case .cumulative, .discrete, .level:
      if record.flags.contains(.isUnconvertible) {
        leftOut.unconvertible += 1
        return false
      }
      if !record.flags.contains(.hasValue) {
        leftOut.withoutValue += 1
        return false
      }
    case .sleep:
      if !record.flags.contains(.hasValue) || SummaryFold.sleepState(record.value) == nil {
        leftOut.withoutValue += 1
        return false
      }
    case .standHours, .workout:
      if !record.flags.contains(.hasValue) {
        leftOut.withoutValue += 1
        return false
      }
    case .category, .none: break
    }
    return true
  }

  private static func sleepState(_ value: Double) -> SleepState? {
    Int(exactly: value).flatMap(SleepState.init(rawValue:))
  }

  private mutating func flush() {
    guard hasPending else { return }
    hasPending = false
    guard !more.isEmpty else { return fold(pending) }
    more.append(pending)
    sortMore()
    for i in more.indices { fold(more[i]) }
    more.removeAll(keepingCapacity: true)
  }

  private mutating func fold(_ sample: FoldSample) {
    switch kind {
    case .cumulative: cumulative.add(sample, sources: sources)
    case .discrete: discrete.add(sample, sources: sources)
    case .level: level.add(sample, sources: sources)
    case .category: category.add(sample)
    case .standHours: standHours.add(sample)
    case .workout: workouts.add(sample, sources: sources)
    case .sleep:
      guard let state = SummaryFold.sleepState(sample.value) else { return }
      sleep.add(sample, state: state, sources: sources)
    case .none: break
    }
  }

  /// Order by content alone, so that neither the order of arrival nor the numbers of symbols show in rounding.
  private mutating func sortMore() {
    let sources = self.sources
    more.sort { a, b in
      if a.start != b.start { return a.start < b.start }
      // An hourly row of all sources comes before what it stands for.
      let isAll = (a.slot == sources.allSourcesSlot, b.slot == sources.allSourcesSlot)
      if isAll.0 != isAll.1 { return isAll.0 }
      if a.end != b.end { return a.end < b.end }
      let ranks = (
        sources.rank(slot: a.slot, isUserEntered: a.isUserEntered),
        sources.rank(slot: b.slot, isUserEntered: b.isUserEntered)
      )
      if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
      return a.value < b.value
    }
  }

  /// Ends the type: all its days, by metric type (sleep and workouts have several) in byte order, then day.
  package mutating func finish() -> [DailySummary] {
    flush()
    var result: [DailySummary] = []
    switch kind {
    case .cumulative:
      cumulative.finish(sources: sources)
      result = summaries(cumulative.rows, unit: unit ?? "")
    case .discrete:
      discrete.finish()
      leftOut.otherUnit = discrete.otherUnitCount
      for (row, unit) in discrete.rows {
        result += summaries([row], unit: self.unit ?? names.text(of: unit))
      }
    case .level:
      level.finish()
      result = summaries(level.rows, unit: unit ?? "")
    case .category:
      category.finish()
      result = summaries(category.rows, unit: "min")
    case .standHours:
      standHours.finish()
      result = summaries(standHours.rows, unit: "count")
    case .workout:
      for (activity, rows) in workouts.finish() {
        result += summaries(rows, as: activity.map(names.text), unit: "min")
      }
    case .sleep:
      for (state, rows) in sleep.finish(sources: sources) {
        result += summaries(rows, as: state?.exportName, unit: "min")
      }
    case .none: break
    }
    return result.sorted { a, b in
      a.metricType == b.metricType
        ? a.day < b.day : a.metricType.utf8.lexicographicallyPrecedes(b.metricType.utf8)
    }
  }

  private func summaries(_ rows: [DayRow], as name: String? = nil, unit: String) -> [DailySummary] {
    rows.map { row in
      DailySummary(
        metricType: name ?? metricType, day: row.day, average: row.average, minimum: row.minimum, maximum: row.maximum,
        sum: row.sum, sampleCount: row.count, unit: unit)
    }
  }
}
