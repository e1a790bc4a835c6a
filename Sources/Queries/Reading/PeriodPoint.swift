import DailySummaries
import Foundation
package import HealthModel

/// A metric over several days.
package struct PeriodPoint: Equatable, Sendable {
  /// First day of the period, which may be before the first day with data.
  package var start: CivilDay
  /// Days with a figure.
  package var dayCount: Int
  /// Of totals: their sum.
  package var total: Double?
  /// Of totals: the mean of the days; of averages: of all samples; of levels: of the days' energy.
  package var mean: Double
  /// Of totals: of the days; otherwise: of the samples.
  package var minimum: Double?
  package var maximum: Double?
  package var sampleCount: Int
  package var unit: String
  package var tiers: Set<DailyPoint.Tier>

  /// - Parameter points: of one metric, in order of days.
  package static func points(
    _ points: [DailyPoint], _ measure: Metric.Measure, by period: Period
  ) -> [PeriodPoint] {
    var groups: [(start: CivilDay, points: [DailyPoint])] = []
    for point in points {
      let start = period.start(of: point.day)
      if groups.last?.start != start { groups.append((start, [])) }
      groups[groups.count - 1].points.append(point)
    }
    return groups.compactMap { PeriodPoint(start: $0.start, $0.points, measure) }
  }

  /// nil: no day has a figure. Days in another unit than most are left out: nothing is added up across units.
  package init?(start: CivilDay, _ points: [DailyPoint], _ measure: Metric.Measure) {
    let figures = Unit.common(points).filter { $0.value(measure) != nil }
    guard let first = figures.first else { return nil }
    let values = figures.compactMap { $0.value(measure) }
    self.start = start
    dayCount = values.count
    total = measure == .total ? values.reduce(0, +) : nil
    mean = PeriodPoint.mean(figures, values, measure)
    minimum = measure == .total ? values.min() : figures.compactMap(\.summary.minimum).min() ?? values.min()
    maximum = measure == .total ? values.max() : figures.compactMap(\.summary.maximum).max() ?? values.max()
    sampleCount = figures.reduce(0) { $0 + $1.sampleCount }
    unit = first.unit
    tiers = Set(figures.map(\.tier))
  }

  private static func mean(_ points: [DailyPoint], _ values: [Double], _ measure: Metric.Measure) -> Double {
    let count = Double(values.count)
    switch measure {
    case .total: return values.reduce(0, +) / count
    case .level: return 10 * log10(values.reduce(0) { $0 + pow(10, $1 / 10) } / count)
    case .average:
      // sum / count is the mean of the samples; another program's summary may lack one of them.
      let samples = points.reduce(0) { $0 + $1.sampleCount }
      let sums = points.compactMap(\.summary.sum)
      guard samples > 0, sums.count == points.count else { return values.reduce(0, +) / count }
      return sums.reduce(0, +) / Double(samples)
    }
  }
}

/// Units of a series: an unknown type may have days in several.
package enum Unit {
  /// Those points that have the unit most days have; of equals the first in byte order.
  package static func common(_ points: [DailyPoint]) -> [DailyPoint] {
    let counts = Dictionary(grouping: points, by: \.unit).mapValues(\.count)
    guard counts.count > 1 else { return points }
    let unit = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    return points.filter { $0.unit == unit }
  }
}
