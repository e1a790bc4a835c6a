import DailySummaries
import HealthModel

/// Local days of a type whose raw rows are not all in the table, on purpose: their summary cannot be recomputed, and
/// stays.
///
/// After a change of zone, a summary that stays is of a day in the former zone. It holds the samples of that stretch of
/// time, so days of the new zone are summed up without them: no sample counts on two days.
///
/// ```
/// former zone   │ 8 May, pruned │ 9 May, pruned │ 10 May        │
/// new zone    │ 8 May: stays  │ 9 May: stays  │ 10 May: ░░──────│    ░ starts in the former 9 May: counted there
/// ```
/// Where the new zone's day begins later instead, a few hours after the last such day are in no summary; their rows stay.
struct FixedDays {
  private let pruned: Set<CivilDay>
  private let withheld: Set<CivilDay>
  /// Stretches of time whose samples stand in summaries of another zone's days; ascending, apart.
  let countedElsewhere: [Range<Instant>]

  /// - Parameters:
  ///   - withheld: days before a raw window whose summary is to stay.
  ///   - withheldZones: other zones that those summaries may be of.
  init(
    metricType: String, zone: ZoneRules, pruned: PrunedDays, withheld: Set<CivilDay> = [],
    withheldZones: [ZoneRules] = []
  ) {
    self.pruned = pruned.days(of: metricType)
    self.withheld = withheld
    let counted = pruned.ofOtherZones(metricType, than: zone)
    countedElsewhere = FixedDays.joined(
      counted + withheldZones.flatMap { zone in withheld.map { zone.range(of: $0) } })
  }

  func contains(_ day: CivilDay) -> Bool { isPruned(day) || isWithheld(day) }

  func isPruned(_ day: CivilDay) -> Bool { pruned.contains(day) }

  func isWithheld(_ day: CivilDay) -> Bool { withheld.contains(day) }

  /// A sample that starts then stands in the summary of another zone's day.
  func isCountedElsewhere(_ instant: Instant) -> Bool {
    var low = 0
    var high = countedElsewhere.count
    while low < high {
      let middle = (low + high) / 2
      if countedElsewhere[middle].upperBound <= instant { low = middle + 1 } else { high = middle }
    }
    return low < countedElsewhere.count && countedElsewhere[low].lowerBound <= instant
  }

  /// Local days that such a stretch of time reaches into, other than the fixed ones: they are to be recomputed.
  func daysBeside(_ zone: ZoneRules) -> Set<CivilDay> {
    FixedDays.days(countedElsewhere, zone).filter { !contains($0) }
  }

  static func days(_ ranges: [Range<Instant>], _ zone: ZoneRules) -> Set<CivilDay> {
    var result: Set<CivilDay> = []
    for range in ranges where !range.isEmpty {
      var day = zone.localDay(of: range.lowerBound)
      let last = zone.localDay(of: Instant(microseconds: range.upperBound.microseconds - 1))
      while day <= last {
        result.insert(day)
        day = day.advanced(by: 1)
      }
    }
    return result
  }

  static func joined(_ ranges: [Range<Instant>]) -> [Range<Instant>] {
    var result: [Range<Instant>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
      if let last = result.last, range.lowerBound <= last.upperBound {
        result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }
}

extension ZoneRules {
  /// From the first instant of a local day to that of the next.
  func range(of day: CivilDay) -> Range<Instant> { firstInstant(of: day)..<firstInstant(of: day.advanced(by: 1)) }
}

/// Passes samples on to a fold, those left out that a summary of another zone's day holds. Sleep goes by whole
/// sessions, which count where they end.
struct UncountedSamples {
  private let fixed: FixedDays
  private let isSleep: Bool
  private var session: [SampleRecord] = []
  private var sessionEnd = Instant(microseconds: 0)

  init(metricType: String, fixed: FixedDays) {
    self.fixed = fixed
    isSleep = SummaryKind(metricType: metricType) == .sleep
  }

  /// Samples come in order of start; `finish` follows the last one.
  mutating func add(_ record: SampleRecord, to fold: inout SummaryFold) {
    if fixed.countedElsewhere.isEmpty { return fold.add(record) }
    guard isSleep else {
      if !fixed.isCountedElsewhere(record.start) { fold.add(record) }
      return
    }
    let row = RecomputeScope.covered(RowInterval(start: record.start, end: record.end))
    if row.start.microseconds > sessionEnd.microseconds + RecomputeScope.sleepGapMicroseconds { passOn(to: &fold) }
    sessionEnd = session.isEmpty ? row.end : max(sessionEnd, row.end)
    session.append(record)
  }

  mutating func finish(_ fold: inout SummaryFold) { passOn(to: &fold) }

  private mutating func passOn(to fold: inout SummaryFold) {
    if !fixed.isCountedElsewhere(sessionEnd) {
      for record in session { fold.add(record) }
    }
    session.removeAll(keepingCapacity: true)
  }
}
