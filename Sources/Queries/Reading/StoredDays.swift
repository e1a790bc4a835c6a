import DailySummaries
import HealthModel
import Loading
import PostgresClient

/// The stored daily summaries of one user.
struct StoredDays {
  let shape: TableShape
  let user: String
  let connection: PostgresConnection

  private var day: String { SQLText.identifier(shape.dayColumn) }

  /// One row per name and day, in order: where a day has a summary for each of several units, the one of most samples.
  ///
  /// - Parameter names: nil: all.
  func summaries(_ names: [String]?, _ days: ClosedRange<CivilDay>) throws -> [DailySummary] {
    let oneByDay = shape.isKeyedByUnit ? "DISTINCT ON (s.metric_type, s.\(day))" : ""
    let result = try connection.query(
      """
      SELECT \(oneByDay) s.metric_type, s.\(day) - date '1970-01-01' AS day, s.avg_value, s.min_value, s.max_value,
        s.sum_value, coalesce(s.sample_count, 0) AS sample_count, coalesce(s.unit, '') AS unit
      FROM \(shape.qualifiedName) s
      WHERE s.user_id = $1 AND s.\(day) BETWEEN $2::date AND $3::date
        \(names == nil ? "" : "AND s.metric_type = ANY ($4::text[])")
      ORDER BY s.metric_type, s.\(day), s.sample_count DESC NULLS LAST, s.unit
      """,
      [user, days.lowerBound.description, days.upperBound.description] + (names.map { [TextArray.text($0)] } ?? []))
    return try result.rows.map { row in
      DailySummary(
        metricType: try row.text(0), day: CivilDay(daysSince1970: Int32(clamping: try row.int(1))),
        average: try finite(row, 2), minimum: try finite(row, 3), maximum: try finite(row, 4),
        sum: try finite(row, 5), sampleCount: try row.int(6), unit: try row.text(7))
    }
  }

  /// Other programs may write NaN or infinity: no number to go on with.
  private func finite(_ row: QueryResult.Row, _ column: Int) throws -> Double? {
    try row.optionalDouble(.index(column)).flatMap { $0.isFinite ? $0 : nil }
  }

  /// First and last day, number of days and samples, by name.
  func overview() throws -> [(metricType: String, days: ClosedRange<CivilDay>, dayCount: Int, sampleCount: Int)] {
    // A day has one summary, unless units have one each.
    let dayCount = shape.isKeyedByUnit ? "count(DISTINCT s.\(day))" : "count(*)"
    let result = try connection.query(
      """
      SELECT s.metric_type, min(s.\(day)) - date '1970-01-01' AS first, max(s.\(day)) - date '1970-01-01' AS last,
        \(dayCount) AS days, coalesce(sum(s.sample_count), 0)::bigint AS samples
      FROM \(shape.qualifiedName) s WHERE s.user_id = $1 AND isfinite(s.\(day))
      GROUP BY 1 ORDER BY 1
      """, [user])
    return try result.rows.map { row in
      let first = CivilDay(daysSince1970: Int32(clamping: try row.int(1)))
      let last = CivilDay(daysSince1970: Int32(clamping: try row.int(2)))
      return (try row.text(0), first...last, try row.int(3), try row.int(4))
    }
  }
}

/// `{"a","b"}`: a text array as one bound parameter.
enum TextArray {
  static func text(_ items: [String]) -> String {
    let quoted = items.map { item in
      "\"" + item.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] } + "\""
    }
    return "{" + quoted.joined(separator: ",") + "}"
  }
}

/// The metric types that a table has of a user: one index look-up each, however many rows there are.
enum StoredTypes {
  static func read(_ shape: TableShape, user: String, _ connection: PostgresConnection) throws -> [String] {
    let result = try connection.query(
      """
      WITH RECURSIVE types(metric_type) AS (
        (SELECT metric_type FROM \(shape.qualifiedName) WHERE user_id = $1 ORDER BY metric_type LIMIT 1)
        UNION ALL
        SELECT (SELECT r.metric_type FROM \(shape.qualifiedName) r
          WHERE r.user_id = $1 AND r.metric_type > t.metric_type ORDER BY r.metric_type LIMIT 1)
        FROM types t WHERE t.metric_type IS NOT NULL)
      SELECT metric_type FROM types WHERE metric_type IS NOT NULL
      """, [user])
    return try result.rows.map { try $0.text(0) }.sorted()
  }
}
