package import HealthModel

/// A metric over a range of days, put together by day, week or month: the answer to `hk2pg query METRIC`.
package struct Series: Equatable, Sendable {
  package var metric: Metric
  package var days: ClosedRange<CivilDay>
  /// Whose local days they are.
  package var zone: String
  package var period: Period
  /// Days with a figure, in order.
  package var daily: [DailyPoint]
  /// What comes from the same rows, by metric type: stages of sleep, activities of workouts.
  package var parts: [String: [DailyPoint]]

  package init(
    metric: Metric, days: ClosedRange<CivilDay>, zone: String, period: Period, daily: [DailyPoint],
    parts: [String: [DailyPoint]]
  ) {
    self.metric = metric
    self.days = days
    self.zone = zone
    self.period = period
    self.daily = daily
    self.parts = parts
  }

  package var points: [PeriodPoint] { PeriodPoint.points(daily, metric.measure, by: period) }

  /// All days together; nil: there are none.
  package var overall: PeriodPoint? { PeriodPoint(start: days.lowerBound, daily, metric.measure) }

  /// First days of the periods in which there is anything, in order.
  package var starts: [CivilDay] {
    let all = (daily + parts.values.joined()).map { period.start(of: $0.day) }
    return Set(all).sorted()
  }

  /// The parts by period, those with the most first.
  package var partPoints: [(metric: Metric, points: [PeriodPoint])] {
    parts.map { (Metric($0.key), PeriodPoint.points($0.value, .total, by: period)) }
      .sorted { a, b in
        let totals = [a, b].map { $0.1.reduce(0) { $0 + ($1.total ?? 0) } }
        return totals[0] == totals[1] ? a.0.identifier < b.0.identifier : totals[0] > totals[1]
      }
  }
}

extension ReadSession {
  package func series(_ metric: Metric, _ days: ClosedRange<CivilDay>, by period: Period) throws -> Series {
    if days.lowerBound > days.upperBound { throw QueryError.emptyRange(days.lowerBound, days.upperBound) }
    // A stage or an activity alone has no parts.
    let isWhole = metric.identifier == metric.rawType && metric.familyPrefix != nil
    var family = isWhole ? try dailyFamily(metric, days) : [metric.identifier: try daily(metric, days)]
    let daily = family.removeValue(forKey: metric.identifier) ?? []
    return Series(metric: metric, days: days, zone: zone.name, period: period, daily: daily, parts: family)
  }
}
