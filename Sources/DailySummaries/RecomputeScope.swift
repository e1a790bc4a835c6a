package import HealthModel

/// Start and end of a row, for `RecomputeScope`.
package struct RowInterval: Equatable, Sendable {
  package var start: Instant
  package var end: Instant

  package init(start: Instant, end: Instant) {
    self.start = start
    self.end = end
  }
}

/// What must be read and replaced when rows of one type were added, removed or changed, so that recomputed days are what
/// a fold of all rows would give (DESIGN §4.7).
///
/// ```
/// sums, levels, categories   a changed row shows on the days it touches; those need all rows that touch them
/// workouts                   also on the days on which workouts start that overlap it (they share time)
/// sleep                      also on the days of the sessions it belongs to, which it may join or divide
/// ```
/// The fold gives incomplete rows for other days as well: only `days` are to be replaced, and a day of `days` without a
/// row in the result has none.
package struct RecomputeScope: Equatable, Sendable {
  /// Ascending.
  package private(set) var days: [CivilDay] = []
  /// Rows to read are those for which `reads(_:)` is true; ascending, apart from one another.
  package private(set) var reads: [Range<Instant>] = []

  /// Sleep samples at most so far apart belong to one session.
  package static let sleepGapMicroseconds = SleepFold.longestGapMicroseconds

  /// Whether the days of a type depend on more than the rows that touch them: `intervals` are needed then.
  package static func needsIntervals(metricType: String) -> Bool {
    [.sleep, .workout].contains(SummaryKind(metricType: metricType))
  }

  /// Adds the local days that a row touches to `days`.
  package static func addDays(of row: RowInterval, zone: ZoneRules, to days: inout Set<CivilDay>) {
    let sample = covered(row)
    var day = zone.localDay(of: sample.start)
    let last = zone.localDay(of: sample.end)
    days.insert(day)
    while day < last {
      day = day.advanced(by: 1)
      // A row that ends at midnight touches the next day too: a session may end there.
      days.insert(day)
    }
  }

  /// - Parameters:
  ///   - touched: `addDays` of every row that was added or removed, before and after of one that changed.
  ///   - intervals: all rows of the type as the table now holds them, by start; only if `needsIntervals`.
  package init(metricType: String, touched: Set<CivilDay>, intervals: [RowInterval], zone: ZoneRules) {
    let rows = intervals.map(RecomputeScope.covered)
    switch SummaryKind(metricType: metricType) {
    case .none: return
    case .sleep: planSleep(touched, rows, zone)
    case .workout: planWorkouts(touched, rows, zone)
    default:
      days = touched.sorted()
      reads = RecomputeScope.joined(days.map { RecomputeScope.range(of: $0, zone) })
    }
  }

  /// Whether a row must be read: it starts in one of `reads`, or reaches into it.
  package func reads(_ row: RowInterval) -> Bool {
    // The last range that begins before the row ends.
    var low = 0
    var high = reads.count
    while low < high {
      let middle = (low + high) / 2
      if reads[middle].lowerBound <= row.end { low = middle + 1 } else { high = middle }
    }
    return reads[..<low].reversed().prefix { $0.upperBound > row.start }.contains { range in
      row.start < range.upperBound && (row.end > range.lowerBound || row.start >= range.lowerBound)
    }
  }

  package func contains(_ day: CivilDay) -> Bool {
    var low = 0
    var high = days.count
    while low < high {
      let middle = (low + high) / 2
      if days[middle] < day { low = middle + 1 } else { high = middle }
    }
    return low < days.count && days[low] == day
  }

  // MARK: Sleep

  private mutating func planSleep(_ touched: Set<CivilDay>, _ rows: [RowInterval], _ zone: ZoneRules) {
    let gap = SleepFold.longestGapMicroseconds
    var sessions: [RowInterval] = []
    for row in rows {
      if let last = sessions.last, row.start.microseconds <= last.end.microseconds + gap {
        sessions[sessions.count - 1].end = max(last.end, row.end)
      } else {
        sessions.append(row)
      }
    }
    // A session within an hour of a touched day may have been one with it, or is now.
    let near = RecomputeScope.joined(
      touched.sorted().map { day in
        let range = RecomputeScope.range(of: day, zone)
        return Instant(
          microseconds: range.lowerBound.microseconds - gap)..<Instant(
            microseconds: range.upperBound.microseconds + gap)
      })
    var affected = touched
    for day in touched { affected.insert(day.advanced(by: -1)) }
    for session in RecomputeScope.rows(of: sessions, in: near) {
      RecomputeScope.addDays(of: session, zone: zone, to: &affected)
    }
    days = affected.sorted()
    // Whole sessions: a part of one would end too early, on a day that may be replaced.
    let ranges = RecomputeScope.joined(days.map { RecomputeScope.range(of: $0, zone) })
    reads = RecomputeScope.rows(of: sessions, in: ranges).map {
      $0.start..<Instant(microseconds: $0.end.microseconds + 1)
    }
  }

  // MARK: Workouts

  private mutating func planWorkouts(_ touched: Set<CivilDay>, _ rows: [RowInterval], _ zone: ZoneRules) {
    let ranges = RecomputeScope.joined(touched.sorted().map { RecomputeScope.range(of: $0, zone) })
    var affected = touched
    for row in RecomputeScope.rows(of: rows, in: ranges) { affected.insert(zone.localDay(of: row.start)) }
    days = affected.sorted()
    // Workouts that start on these days, with all that overlap them until the last one ends.
    var ends: [CivilDay: Instant] = [:]
    for row in rows {
      let day = zone.localDay(of: row.start)
      if affected.contains(day) { ends[day] = max(ends[day] ?? row.end, row.end) }
    }
    let hulls = days.map { day in
      let range = RecomputeScope.range(of: day, zone)
      return range.lowerBound..<max(range.upperBound, ends[day] ?? range.upperBound)
    }
    reads = RecomputeScope.joined(hulls)
  }

  // MARK: Ranges

  /// As the folds take it: no end after which a sample is taken as one of no length.
  package static func covered(_ row: RowInterval) -> RowInterval {
    let length = row.end.microseconds.subtractingReportingOverflow(row.start.microseconds)
    let isSane = !length.overflow && length.partialValue <= FoldSample.longestMicroseconds
    return RowInterval(start: row.start, end: isSane ? max(row.start, row.end) : row.start)
  }

  private static func range(of day: CivilDay, _ zone: ZoneRules) -> Range<Instant> {
    zone.firstInstant(of: day)..<zone.firstInstant(of: day.advanced(by: 1))
  }

  /// Ascending ranges, those that touch made one; empty ones (skipped days) left out.
  private static func joined(_ ranges: [Range<Instant>]) -> [Range<Instant>] {
    var result: [Range<Instant>] = []
    for range in ranges where !range.isEmpty {
      if let last = result.last, range.lowerBound <= last.upperBound {
        result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }

  /// Rows that touch one of the ranges, ends included.
  private static func rows(of rows: [RowInterval], in ranges: [Range<Instant>]) -> [RowInterval] {
    var scope = RecomputeScope()
    scope.reads = ranges
    return rows.filter { row in
      scope.reads(row) || scope.reads(RowInterval(start: row.end, end: row.end))
    }
  }

  private init() {}
}
