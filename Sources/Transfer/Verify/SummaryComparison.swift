import HealthModel
import PostgresClient
import Staging

/// Daily summaries of one type, day by day.
struct SummaryComparison {
  struct Figures {
    var values: [Double?]
    var count: Int?
  }

  struct Key: Hashable {
    var day: String
    var unit: String
  }

  let metricType: String
  let rules: VerifyRules
  /// Days whose raw rows differ for a reason, of any type.
  let explainedDays: Set<String>

  private(set) var explained: [VerifyReason: Int] = [:]
  private(set) var days: [String: VerifyOutcome.Day] = [:]

  init(metricType: String, rules: VerifyRules, explainedDays: Set<String>) {
    self.metricType = metricType
    self.rules = rules
    self.explainedDays = explainedDays
  }

  mutating func compare(_ left: [Key: Figures], _ right: [Key: Figures]) {
    for (key, figures) in left {
      guard let other = right[key] else {
        rules.isOlder ? explain(.newerExport) : differ(key) { $0.missing += 1 }
        continue
      }
      if figures.count == other.count && zip(figures.values, other.values).allSatisfy(RowRecord.isEqual) { continue }
      let isSame = figures.count == other.count && zip(figures.values, other.values).allSatisfy(RowRecord.isSame)
      if isSame && rules.kind == .export {
        explain(.rounded)
      } else if rules.isOlder {
        explain(.newerExport)
      } else if rules.kind == .export && (explainedDays.contains(key.day) || other.count ?? 0 > figures.count ?? 0) {
        explain(.summary)
      } else if rules.hasNewerSummaries {
        explain(.newerExport)
      } else if rules.kind == .contained && other.count ?? 0 > figures.count ?? 0 {
        explain(.fullerSummary)
      } else {
        differ(key) { $0.changed += 1 }
      }
    }
    for key in right.keys where left[key] == nil {
      switch rules.kind {
      case .contained: explain(.additional)
      // Days of types or times that the export does not reach, and of rows that are there for a reason.
      case .export: explain(rules.isOlder ? .newerExport : .kept)
      case .exact: differ(key) { $0.extra += 1 }
      }
    }
  }

  private mutating func explain(_ reason: VerifyReason) { explained[reason, default: 0] += 1 }

  private mutating func differ(_ key: Key, _ change: (inout VerifyOutcome.Day) -> Void) {
    change(
      &days[
        key.day,
        default: VerifyOutcome.Day(
          table: ChunkTable.dailySummaries.rawValue, metricType: metricType, day: key.day)])
  }
}

extension ComparedSide {
  func summaries(of metricType: String, on days: [String]) throws -> [SummaryComparison.Key: SummaryComparison.Figures]
  {
    guard let relation = relations[.dailySummaries] else { return [:] }
    let result = try connection.query(
      """
      SELECT t.\(relation.dayColumn)::text AS day, coalesce(t.unit, '') AS unit, t.avg_value, t.min_value, t.max_value,
        t.sum_value, t.sample_count FROM \(relation.from)
      WHERE \(relation.condition) AND t.metric_type = $1 AND t.\(relation.dayColumn) = ANY ($2::date[])
      """, [metricType, "{\(days.joined(separator: ","))}"])
    var figures: [SummaryComparison.Key: SummaryComparison.Figures] = [:]
    for row in result.rows {
      figures[SummaryComparison.Key(day: try row.text("day"), unit: try row.text("unit"))] = .init(
        values: [
          try row.optionalDouble("avg_value"), try row.optionalDouble("min_value"), try row.optionalDouble("max_value"),
          try row.optionalDouble("sum_value"),
        ], count: try row.optionalInt("sample_count"))
    }
    return figures
  }
}
