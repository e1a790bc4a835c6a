import HealthModel
package import Queries

/// One metric as the page draws it: by day, by ISO week and by month, put together as `hk2pg query` does.
package struct PageSeries: Encodable, Equatable, Sendable {
  /// Figures in order of time. Short names: a page holds hundreds of thousands of them.
  package struct Points: Encodable, Equatable, Sendable {
    /// First days of the periods: days since 1970-01-01, the first in full, then the days from one to the next.
    package var d: [Int] = []
    /// Of totals the mean of the days with a figure; otherwise the mean.
    package var v: [Double] = []
    /// Least and greatest sample of the last so many periods; nil: there is nothing beside the mean.
    package var lo: [Double]?
    package var hi: [Double]?
    /// Days with a figure in each period; nil: one.
    package var n: [Int]?
  }

  /// `metric_type`.
  package var id: String
  package var name: String
  package var unit: String
  package var measure: String
  /// Days that were summed up from raw rows just now; the others are stored summaries.
  package var rawDays: Int
  package var day: Points
  package var week: Points
  package var month: Points

  /// nil: no day has a figure.
  package init?(_ metric: Metric, _ points: [DailyPoint]) {
    let points = Unit.common(points).filter { $0.value(metric.measure) != nil }
    guard let first = points.first else { return nil }
    id = metric.identifier
    name = metric.shortName
    unit = first.unit
    measure = metric.measure.rawValue
    rawDays = points.count { $0.tier == .raw }
    day = Points(PeriodPoint.points(points, metric.measure, by: .day), metric.measure)
    week = Points(PeriodPoint.points(points, metric.measure, by: .week), metric.measure)
    month = Points(PeriodPoint.points(points, metric.measure, by: .month), metric.measure)
  }
}

extension PageSeries {
  /// Days that ranges show one by one, or week by week, at most (`rangeOf` in `series.js`), and some to spare.
  static let shownDays = (single: 200, inWeeks: 800)

  /// Leaves out what no range shows: months stay, and the figure of every day, which means are made of.
  /// - Parameter newestDay: the day that all ranges end with.
  mutating func trim(newestDay: Int) {
    day.dropSpread(before: newestDay - PageSeries.shownDays.single)
    week.drop(before: newestDay - PageSeries.shownDays.inWeeks)
  }
}

extension PageSeries.Points {
  /// How many periods start before the day.
  private func count(before first: Int) -> Int {
    var start = 0
    return d.firstIndex {
      start += $0
      return start >= first
    } ?? d.count
  }

  fileprivate mutating func drop(before first: Int) {
    let dropped = count(before: first)
    guard dropped > 0 else { return }
    let start = d.prefix(dropped).reduce(0, +)
    d.removeFirst(dropped)
    if !d.isEmpty { d[0] += start }
    v.removeFirst(dropped)
    lo?.removeFirst(dropped)
    hi?.removeFirst(dropped)
    n?.removeFirst(dropped)
  }

  fileprivate mutating func dropSpread(before first: Int) {
    let dropped = count(before: first)
    lo?.removeFirst(dropped)
    hi?.removeFirst(dropped)
  }

  init(_ points: [PeriodPoint], _ measure: Metric.Measure) {
    var last = 0
    for point in points {
      let day = Int(point.start.daysSince1970)
      d.append(day - last)
      last = day
      v.append(PageNumber.rounded(point.mean))
    }
    if points.contains(where: { $0.dayCount > 1 }) { n = points.map(\.dayCount) }
    guard measure != .total else { return }
    let lows = zip(points, v).map { PageNumber.rounded($0.minimum ?? $1) }
    let highs = zip(points, v).map { PageNumber.rounded($0.maximum ?? $1) }
    if lows != v || highs != v { (lo, hi) = (lows, highs) }
  }
}

enum PageNumber {
  /// What a reader of a chart can tell apart: whole numbers from 1,000 on, else four significant digits.
  static func rounded(_ value: Double) -> Double {
    guard value.isFinite else { return 0 }
    let size = abs(value)
    if size >= 1000 { return value.rounded() }
    let scale: Double = size >= 100 ? 10 : size >= 10 ? 100 : size >= 1 ? 1000 : 10_000
    return (value * scale).rounded() / scale
  }
}
