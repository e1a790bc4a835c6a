import HealthModel

/// Daily totals of a cumulative type (DESIGN §4.1): sources merged by time, samples divided at midnight, zero-length
/// samples whole. Holds one day, and the samples under way.
struct CumulativeFold {
  private var merge = IntervalMerge()
  private var cursor: ZoneCursor
  private var day = CivilDay(daysSince1970: 0)
  private var dayEnd = Int64.min
  private var isOpen = false
  /// A sample from before midnight reaches into the day.
  private var hasSpillOver = false
  private var totals = SampleTotals()
  private var merged = RunningSum()
  /// Until here an hourly row of `HealthKit (all sources)` stands for what others measured in an instant.
  private var allSourcesEnd = Int64.min
  private(set) var rows: [DayRow] = []

  init(zone: ZoneRules) { cursor = ZoneCursor(zone) }

  /// Samples come in order of start.
  mutating func add(_ sample: FoldSample, sources: borrowing SourceSlots) {
    advance(to: sample.start)
    if !isOpen { open(sample.start) }
    totals.add(sample.value)
    let end = sample.coveredEnd
    if sample.slot == sources.allSourcesSlot {
      allSourcesEnd = max(allSourcesEnd, end)
    } else if end == sample.start, sample.start < allSourcesEnd {
      return
    }
    if end == sample.start {
      merged.add(sample.value)
    } else {
      merge.begin(sample, end: end, day: day.daysSince1970, sources: sources)
    }
  }

  mutating func finish() {
    while isOpen { closeDay() }
  }

  private mutating func advance(to time: Int64) {
    while isOpen, time >= dayEnd { closeDay() }
    merge.advance(to: time)
    collect()
  }

  private mutating func open(_ time: Int64) {
    day = cursor.localDay(of: Instant(microseconds: time))
    // Days end where instants do; time must go on.
    dayEnd = max(cursor.dayEnd.microseconds, time + 1)
    isOpen = true
  }

  private mutating func closeDay() {
    merge.advance(to: dayEnd)
    let continues = !merge.isEmpty
    if continues { merge.divide(nextDay: day.daysSince1970 + 1) }
    collect()
    if totals.count > 0 || hasSpillOver { rows.append(DayRow(day: day, totals: totals, sum: merged.total)) }
    totals = SampleTotals()
    merged = RunningSum()
    hasSpillOver = continues
    isOpen = false
    if continues { open(dayEnd) }
  }

  private mutating func collect() {
    guard !merge.credits.isEmpty else { return }
    for credit in merge.credits { merged.add(credit.amount) }
    merge.removeCredits()
  }
}
