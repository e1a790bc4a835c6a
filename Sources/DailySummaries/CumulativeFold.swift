import HealthModel

/// Daily totals of a cumulative type (DESIGN §4.1): sources merged by time, samples divided at midnight, zero-length
/// samples whole. Holds one day, and the samples under way.
struct CumulativeFold {
  private var merge = IntervalMerge(keepsDays: false)
  private var cursor: ZoneCursor
  private var day = CivilDay(daysSince1970: 0)
  private var dayEnd = Int64.min
  private var isOpen = false
  /// A sample from before midnight reaches into the day.
  private var hasSpillOver = false
  /// A sample that has met no other so far. Most never do, and count whole without any merging.
  private var lone = FoldSample.none
  private var hasLone = false
  private var totals = SampleTotals()
  /// Until here an hourly row of `HealthKit (all sources)` stands for what others measured in an instant.
  private var allSourcesEnd = Int64.min
  private(set) var rows: [DayRow] = []

  init(zone: ZoneRules) { cursor = ZoneCursor(zone) }

  /// Samples come in order of start.
  mutating func add(_ sample: FoldSample, sources: borrowing SourceSlots) {
    while isOpen, sample.start >= dayEnd { closeDay(sources) }
    if hasLone, lone.end <= sample.start { settleLone() }
    if !merge.isEmpty { merge.advance(to: sample.start) }
    if !isOpen { open(sample.start) }
    totals.add(sample.value)
    var sample = sample
    sample.end = sample.coveredEnd
    if sample.slot == sources.allSourcesSlot {
      allSourcesEnd = max(allSourcesEnd, sample.end)
    } else if sample.end == sample.start, sample.start < allSourcesEnd {
      return
    }
    if sample.end == sample.start {
      merge.addWhole(sample.value, day: day.daysSince1970)
    } else if merge.isEmpty, !hasLone {
      lone = sample
      hasLone = true
    } else {
      beginLone(sources)
      begin(sample, sources)
    }
  }

  mutating func finish(sources: borrowing SourceSlots) {
    while isOpen { closeDay(sources) }
  }

  private mutating func settleLone() {
    merge.addWhole(lone.value, day: day.daysSince1970)
    hasLone = false
  }

  private mutating func beginLone(_ sources: borrowing SourceSlots) {
    guard hasLone else { return }
    hasLone = false
    begin(lone, sources)
  }

  private mutating func begin(_ sample: FoldSample, _ sources: borrowing SourceSlots) {
    merge.advance(to: sample.start)
    merge.begin(sample, end: sample.end, day: day.daysSince1970, sources: sources)
  }

  private mutating func open(_ time: Int64) {
    day = cursor.localDay(of: Instant(microseconds: time))
    // Days end where instants do; time must go on.
    dayEnd = max(cursor.dayEnd.microseconds, time + 1)
    isOpen = true
  }

  private mutating func closeDay(_ sources: borrowing SourceSlots) {
    if hasLone, lone.end <= dayEnd { settleLone() }
    beginLone(sources)
    merge.advance(to: dayEnd)
    let continues = !merge.isEmpty
    if continues { merge.divide() }
    let merged = merge.takeCredit()
    if totals.count > 0 || hasSpillOver { rows.append(DayRow(day: day, totals: totals, sum: merged.total)) }
    totals = SampleTotals()
    hasSpillOver = continues
    isOpen = false
    if continues { open(dayEnd) }
  }
}
