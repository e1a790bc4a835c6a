/// The rules of one time zone, read from a TZif file (RFC 9636) and the POSIX TZ string at its end: what local day an
/// instant belongs to, and where a local day begins.
///
/// Local days cut time into pieces without gaps or overlaps, so that every sample is on one day and every split has
/// one place:
///
/// ```
/// day      [firstInstant(day), firstInstant(day + 1))      23, 24 or 25 hours mostly
/// skipped  empty: firstInstant(day) == firstInstant(day + 1), for instance Samoa's 2011-12-30
/// ```
/// A day is the date on the wall clock, but never goes back: where clocks are set back over a midnight that has already
/// struck (Newfoundland until 2011 at 00:01), the minutes that follow stay on the new day.
package struct ZoneRules: Sendable {
  /// IANA name, for instance `Asia/Kathmandu`.
  package let name: String

  /// A stretch of time with one offset, whose local days are limited to `firstDay` … `lastDay`.
  struct Span: BitwiseCopyable, Sendable {
    var start: Int64
    var offset: Int64
    var firstDay: Int64
    var lastDay: Int64
  }
  /// In order of time, the first from the beginning of time; seconds since 1970.
  let spans: [Span]
  /// From here on rules repeat every 400 years (a whole number of weeks), so `spans` ends a cycle later.
  private let cycleStart: Int64

  static let secondsPerDay: Int64 = 86_400
  private static let daysPerCycle: Int64 = 146_097
  private static let cycle = daysPerCycle * secondsPerDay
  /// Seconds that an `Instant` can hold.
  static let earliest: Int64 = -9_200_000_000_000
  static let latest: Int64 = 9_200_000_000_000

  package static let utc = ZoneRules(name: "UTC", offsetSeconds: 0)

  /// A zone that never changes.
  package init(name: String, offsetSeconds: Int) {
    self.init(name: name, file: TZifFile(initialOffset: offsetSeconds), footer: nil)
  }

  /// - Parameter tzif: the whole file, version 1 to 4. Version 1 has no rules for the future: its last offset stays.
  package init(name: String, tzif: [UInt8]) throws(ZoneError) {
    let file = try TZifFile(parsing: tzif)
    let footer = file.footer.isEmpty ? nil : try PosixZone(parsing: file.footer)
    self.init(name: name, file: file, footer: footer)
  }

  private init(name: String, file: TZifFile, footer: PosixZone?) {
    self.name = name
    var changes = file.transitions.map {
      (time: min(max($0.time, Self.earliest), Self.latest), offset: Int64($0.offset))
    }
    let lastChange = changes.last?.time ?? Self.earliest
    let lastYear = changes.isEmpty ? 1900 : CivilDay(daysSince1970: Int32(lastChange / Self.secondsPerDay)).civil.year
    // One year of rules alone before the cycle, so that the state at its beginning is the state at its end.
    cycleStart = Int64(CivilDay(year: lastYear + 2, month: 1, day: 1).daysSince1970) * Self.secondsPerDay
    if let footer {
      for change in footer.transitions(years: lastYear...lastYear + 402) where change.time > lastChange {
        changes.append((change.time, Int64(change.offset)))
      }
    }
    spans = ZoneRules.spans(initialOffset: Int64(file.initialOffset), changes: changes)
  }

  /// The same rules with other spans.
  init(_ rules: ZoneRules, spans: [Span]) {
    name = rules.name
    cycleStart = rules.cycleStart
    self.spans = spans
  }

  private static func spans(initialOffset: Int64, changes: [(time: Int64, offset: Int64)]) -> [Span] {
    var spans = [Span(start: earliest, offset: initialOffset, firstDay: 0, lastDay: 0)]
    for change in changes {
      if change.time <= spans[spans.count - 1].start {
        spans[spans.count - 1].offset = change.offset
      } else if change.offset != spans[spans.count - 1].offset {
        spans.append(Span(start: change.time, offset: change.offset, firstDay: 0, lastDay: 0))
      }
    }
    var day = (earliest + spans[0].offset).flooredQuotient(secondsPerDay)
    for i in spans.indices {
      let end = i + 1 < spans.count ? spans[i + 1].start : latest
      spans[i].firstDay = max(day, (spans[i].start + spans[i].offset).flooredQuotient(secondsPerDay))
      day = max(day, (end - 1 + spans[i].offset).flooredQuotient(secondsPerDay))
      spans[i].firstDay = min(spans[i].firstDay, day)
      spans[i].lastDay = day
    }
    return spans
  }

  /// The local day that holds `instant`. For many instants in order use a `ZoneCursor`.
  package func localDay(of instant: Instant) -> CivilDay {
    let (seconds, cycles) = folded(instant.seconds)
    let span = spans[spanIndex(at: seconds)]
    let day = min(span.lastDay, max(span.firstDay, (seconds + span.offset).flooredQuotient(Self.secondsPerDay)))
    return CivilDay(daysSince1970: Int32(clamping: day + cycles * Self.daysPerCycle))
  }

  /// Where `day` begins: midnight, or the first moment after it where clocks jumped over midnight. The start of the
  /// next day for a day that the zone skipped.
  package func firstInstant(of day: CivilDay) -> Instant {
    var target = Int64(day.daysSince1970)
    let daysIntoCycle = target - cycleStart / Self.secondsPerDay
    let cycles = daysIntoCycle < Self.daysPerCycle ? 0 : daysIntoCycle / Self.daysPerCycle
    target -= cycles * Self.daysPerCycle
    // The first span that reaches the day.
    var low = 0
    var high = spans.count - 1
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].lastDay >= target { high = middle } else { low = middle + 1 }
    }
    let span = spans[low]
    let midnight = target <= span.firstDay ? span.start : target * Self.secondsPerDay - span.offset
    let seconds = max(span.start, midnight) + cycles * Self.cycle
    return Instant(seconds: min(max(seconds, Self.earliest), Self.latest))
  }

  /// Seconds east of UTC at `instant`.
  package func offsetSeconds(at instant: Instant) -> Int {
    Int(spans[spanIndex(at: folded(instant.seconds).seconds)].offset)
  }

  private func folded(_ seconds: Int64) -> (seconds: Int64, cycles: Int64) {
    let intoCycle = seconds - cycleStart
    if intoCycle < Self.cycle { return (seconds, 0) }
    let cycles = intoCycle / Self.cycle
    return (seconds - cycles * Self.cycle, cycles)
  }

  /// The last span that starts at or before `seconds`.
  private func spanIndex(at seconds: Int64) -> Int {
    var low = 0
    var high = spans.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if spans[middle].start <= seconds { low = middle } else { high = middle - 1 }
    }
    return low
  }
}

/// A `ZoneRules` that remembers the last day: two comparisons for an instant on the same day as the one before.
package struct ZoneCursor: Sendable {
  package let rules: ZoneRules
  /// The day of the last instant asked for, and its limits: `dayStart` ≤ t < `dayEnd`.
  package private(set) var day: CivilDay
  package private(set) var dayStart: Instant
  package private(set) var dayEnd: Instant

  package init(_ rules: ZoneRules) {
    self.rules = rules
    day = CivilDay(daysSince1970: 0)
    dayStart = rules.firstInstant(of: day)
    dayEnd = rules.firstInstant(of: day.advanced(by: 1))
  }

  package mutating func localDay(of instant: Instant) -> CivilDay {
    if instant.microseconds < dayStart.microseconds || instant.microseconds >= dayEnd.microseconds { move(to: instant) }
    return day
  }

  private mutating func move(to instant: Instant) {
    day = rules.localDay(of: instant)
    dayStart = rules.firstInstant(of: day)
    dayEnd = rules.firstInstant(of: CivilDay(daysSince1970: day.daysSince1970 &+ 1))
  }
}
