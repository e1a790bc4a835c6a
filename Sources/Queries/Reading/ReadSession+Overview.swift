package import HealthModel
import Loading

/// One metric type that the tables hold of the user.
package struct StoredMetric: Equatable, Sendable {
  package var metric: Metric
  /// First and last local day with something, in either tier.
  package var days: ClosedRange<CivilDay>
  /// Days with a summary; nil: there are raw rows alone, which nobody has counted.
  package var summarizedDayCount: Int?
  /// Samples behind the summaries.
  package var sampleCount: Int?
  /// Raw rows are there, for the newest of the days at least.
  package var hasRawRows: Bool
}

extension ReadSession {
  /// Everything there is, by metric type in byte order. Raw rows are looked up, not counted, however many there are.
  package func overview() throws -> [StoredMetric] {
    var result: [String: StoredMetric] = [:]
    if let shape = tables.summaries {
      for row in try StoredDays(shape: shape, user: user, connection: connection).overview() {
        result[row.metricType] = StoredMetric(
          metric: Metric(row.metricType), days: row.days, summarizedDayCount: row.dayCount,
          sampleCount: row.sampleCount, hasRawRows: false)
      }
    }
    if let shape = tables.metrics {
      for extent in try RawExtents.read(shape, user: user, connection) {
        let days = zone.localDay(of: extent.first)...zone.localDay(of: extent.last)
        if var known = result[extent.metricType] {
          known.days =
            min(known.days.lowerBound, days.lowerBound)...max(known.days.upperBound, days.upperBound)
          known.hasRawRows = true
          result[extent.metricType] = known
        } else {
          result[extent.metricType] = StoredMetric(
            metric: Metric(extent.metricType), days: days, summarizedDayCount: nil, sampleCount: nil, hasRawRows: true)
        }
      }
    }
    return result.values.sorted {
      $0.metric.identifier.utf8.lexicographicallyPrecedes($1.metric.identifier.utf8)
    }
  }
}
