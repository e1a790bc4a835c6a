import HealthModel

/// Minutes of the union of a category's intervals, whole on the day they start (DESIGN §4).
struct CategoryFold {
  private var cursor: ZoneCursor
  private var day = CivilDay(daysSince1970: 0)
  private var totals = SampleTotals()
  private var union = UnionLength()
  private(set) var rows: [DayRow] = []

  init(zone: ZoneRules) { cursor = ZoneCursor(zone) }

  mutating func add(_ sample: FoldSample) {
    let day = cursor.localDay(of: Instant(microseconds: sample.start))
    if day != self.day {
      finish()
      self.day = day
    }
    totals.add(sample.minutes)
    union.add(start: sample.start, end: sample.end)
  }

  mutating func finish() {
    if totals.count > 0 { rows.append(DayRow(day: day, totals: totals, sum: union.minutes)) }
    totals = SampleTotals()
    union = UnionLength()
  }
}

/// Length of the union of intervals that come in order of start.
struct UnionLength {
  private var microseconds = 0.0
  private var end = Int64.min

  mutating func add(start: Int64, end: Int64) {
    let from = max(start, self.end)
    guard end > from else { return }
    // Whole numbers: exact up to 285 years.
    microseconds += Double(end) - Double(from)
    self.end = end
  }

  var minutes: Double { microseconds / 60_000_000 }
}

/// Distinct hours stood per day (DESIGN §4.4). The raw value 0 is "stood", 1 is "idle".
///
/// Hours begin on the wall clock's full hours, so +05:45 counts as others do, and the hour that the end of daylight
/// saving repeats is two hours.
struct StandHourFold {
  private var cursor: ZoneCursor
  private var day = CivilDay(daysSince1970: 0)
  private var count = 0
  private var hours = 0
  /// Where the last hour stood begins, in seconds.
  private var lastHour = Int64.min
  private(set) var rows: [DayRow] = []

  init(zone: ZoneRules) { cursor = ZoneCursor(zone) }

  mutating func add(_ sample: FoldSample) {
    let start = Instant(microseconds: sample.start)
    let day = cursor.localDay(of: start)
    if day != self.day {
      finish()
      self.day = day
    }
    count += 1
    guard sample.value == 0 else { return }
    let local = start.seconds + Int64(cursor.rules.offsetSeconds(at: start))
    let hour = start.seconds - (local - local.flooredQuotient(3600) * 3600)
    if hour != lastHour { hours += 1 }
    lastHour = hour
  }

  mutating func finish() {
    if count > 0 {
      var row = DayRow(day: day, totals: SampleTotals(), sum: Double(hours))
      row.count = count
      rows.append(row)
    }
    count = 0
    hours = 0
    lastHour = Int64.min
  }
}
