import Queries

extension Failure {
  init(query error: QueryError) {
    switch error {
    case .noTables:
      self.init(
        .refused, "the database has neither healthkit_metrics nor healthkit_daily_summaries",
        next: "Load an export first: hk2pg import EXPORT. Or is another database meant (--database URL)?")
    case .unknownMetric(let name, let nearest):
      self.init(
        .usage, "there is no metric “\(name.shown())”",
        next: nearest.map { "Did you mean \($0)? All there is: hk2pg query" } ?? "All there is: hk2pg query")
    case .noDailyValues(let type):
      self.init(
        .usage, "\(MetricNames.shortName(of: type)) has no figures by day: its samples are not summed up",
        next: "Its rows are in healthkit_metrics, with metric_type \(type.shown()).")
    case .emptyRange(let first, let last):
      self.init(.usage, "\(first) is after \(last)", next: "Name the earlier day first.")
    }
  }
}
