import HealthModel
import Queries

/// The facts of `hk2pg query METRIC`, as JSON, as text and as CSV.
struct QueryReport: Encodable {
  var database: String
  var user: String
  var metric: String
  var metricType: String
  /// Of the points; nil: there are none.
  var unit: String?
  /// total, average or level: which figure of a point says what people want to know.
  var valueType: String
  /// First and last day asked for.
  var first: String
  var last: String
  /// Days are local days there.
  var zone: String
  var by: String
  var points: [Point]
  var overall: Figures?
  /// The days on which there is something, when there is nothing on those asked for.
  var elsewhere: [String]?

  struct Point: Encodable {
    /// First day of the week or month.
    var start: String
    /// nil: a night of which only the time in bed is known.
    var figures: Figures?
    /// By metric type: minutes of stages or activities.
    var parts: [String: Figures]?

    func encode(to encoder: any Encoder) throws {
      try figures?.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(start, forKey: .start)
      try container.encodeIfPresent(parts, forKey: .parts)
    }

    private enum Key: CodingKey { case start, parts }
  }

  /// Of a day, of several, or of all.
  struct Figures: Encodable, Equatable {
    /// The total of a day, the mean of several; or the mean of the samples.
    var value: Double
    /// Of totals: over all days.
    var total: Double?
    var minimum: Double?
    var maximum: Double?
    /// Days with a figure.
    var days: Int
    var samples: Int
    /// summary, raw, or both for several days.
    var source: String
    var unit: String
  }
}

extension QueryReport.Figures {
  init(_ point: PeriodPoint) {
    value = point.mean
    total = point.total
    minimum = point.minimum
    maximum = point.maximum
    days = point.dayCount
    samples = point.sampleCount
    source = point.tiers.count == 1 ? point.tiers.first?.rawValue ?? "" : "both"
    unit = point.unit
  }
}

extension QueryReport {
  init(_ series: Series, user: String, database: String, elsewhere: ClosedRange<CivilDay>?) {
    self.database = database
    self.user = user
    metric = series.metric.shortName
    metricType = series.metric.identifier
    valueType = series.metric.measure.rawValue
    first = series.days.lowerBound.description
    last = series.days.upperBound.description
    zone = series.zone
    by = series.period.rawValue
    points = QueryReport.points(series)
    overall = series.overall.map(Figures.init)
    unit = overall?.unit ?? points.first?.parts?.values.first?.unit
    self.elsewhere = elsewhere.map { [$0.lowerBound.description, $0.upperBound.description] }
  }

  private static func points(_ series: Series) -> [Point] {
    func byStart(_ points: [PeriodPoint]) -> [CivilDay: Figures] {
      Dictionary(uniqueKeysWithValues: points.map { ($0.start, Figures($0)) })
    }
    let whole = byStart(series.points)
    let parts = series.partPoints.map { ($0.metric.identifier, byStart($0.points)) }
    return series.starts.map { start in
      let own = parts.compactMap { name, points in points[start].map { (name, $0) } }
      return Point(
        start: start.description, figures: whole[start],
        parts: series.metric.familyPrefix == nil ? nil : Dictionary(uniqueKeysWithValues: own))
    }
  }
}
