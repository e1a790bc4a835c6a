import HealthModel
import Queries

/// What `hk2pg query` tells without a metric: which there are.
struct MetricsReport: Encodable {
  var database: String
  var user: String
  var zone: String
  var metrics: [Item]

  struct Item: Encodable, Equatable {
    var metric: String
    var metricType: String
    var first: String
    var last: String
    /// Days with a summary, and the samples behind these.
    var summarizedDays: Int?
    var samples: Int?
    var hasRawRows: Bool
    var unit: String?
  }
}

extension MetricsReport {
  init(_ session: ReadSession, database: String, metrics: [StoredMetric]) {
    self.database = database
    user = session.user
    zone = session.zone.name
    self.metrics = metrics.map { stored in
      Item(
        metric: stored.metric.shortName, metricType: stored.metric.identifier,
        first: stored.days.lowerBound.description, last: stored.days.upperBound.description,
        summarizedDays: stored.summarizedDayCount, samples: stored.sampleCount, hasRawRows: stored.hasRawRows,
        unit: stored.metric.unit)
    }
  }

  func text(_ paint: Paint) -> String {
    if metrics.isEmpty {
      return "The database has no rows of this user.\n"
    }
    var table = TextTable([
      ("metric", .left), ("unit", .left), ("first", .left), ("last", .left), ("days", .right), ("samples", .right),
      ("raw rows", .left), ("metric_type", .left),
    ])
    for item in metrics.sorted(by: { $0.metric < $1.metric }) {
      table.add([
        item.metric.shown(limit: 44), (item.unit ?? "").shown(limit: 16), item.first, item.last,
        item.summarizedDays.map { Words.count($0) } ?? "", item.samples.map { Words.count($0) } ?? "",
        item.hasRawRows ? "yes" : "", item.metricType.shown(limit: 60),
      ])
    }
    return ([paint.bold("What there is, by local day in \(zone)")] + table.lines(paint: paint))
      .map { $0 + "\n" }.joined()
  }

  func csv() -> String {
    let lines = metrics.map { item in
      [
        CSVText.field(item.metric), CSVText.field(item.metricType), item.first, item.last,
        item.summarizedDays.map { "\($0)" } ?? "", item.samples.map { "\($0)" } ?? "", "\(item.hasRawRows)",
        CSVText.field(item.unit ?? ""),
      ].joined(separator: ",")
    }
    return (["metric,metric_type,first,last,summarized_days,samples,has_raw_rows,unit"] + lines)
      .map { $0 + "\r\n" }.joined()
  }
}
