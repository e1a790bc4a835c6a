import DailySummaries
import HealthModel
import PostgresClient

/// The summaries that the table has of a metric type: for sleep and workouts, those of stages and activities as well.
struct StoredSummaries {
  let shape: TableShape
  let userID: String
  let connection: PostgresConnection

  private var day: String { SQLText.identifier(shape.dayColumn) }

  func isOfType(_ row: String, _ metricType: String) -> String {
    """
    \(row).user_id = \(shape.user(userID)) AND isfinite(\(row).\(day))
      AND \(SummaryReplacement.condition("\(row).metric_type", isOf: metricType))
    """
  }

  /// Types whose samples hk2pg has summed up.
  func types() throws -> Set<String> {
    let result = try connection.query(
      """
      SELECT DISTINCT \(SummaryReplacement.sampleType("s.metric_type")) FROM \(shape.qualifiedName) s
      WHERE s.user_id = \(shape.user(userID)) AND \(SQLFragments.hasOurID("s"))
      """)
    return Set(try result.rows.map { try $0.text(0) })
  }

  func weights(_ metricType: String, oursOnly: Bool = false) throws -> [CivilDay: DayWeight] {
    var result: [CivilDay: DayWeight] = [:]
    var decoder = CopyDecoder(fieldCount: 3)
    try connection.copyOut(
      """
      COPY (
        SELECT s.\(day), max(coalesce(s.sample_count, 0)), coalesce(sum(s.sum_value), 0) FROM \(shape.qualifiedName) s
        WHERE \(isOfType("s", metricType)) \(oursOnly ? "AND \(SQLFragments.hasOurID("s"))" : "") GROUP BY 1
      ) TO STDOUT (FORMAT binary)
      """
    ) { piece in
      decoder.append(piece)
      while try decoder.nextRow() {
        result[try decoder.required(decoder.date(0), 0)] = DayWeight(
          count: Int(try decoder.required(decoder.int4(1), 1)), sum: try decoder.required(decoder.float8(2), 2))
      }
    }
    try decoder.finish()
    return result
  }

  /// All summaries of days in a range, in an order that is the same every time.
  func rows(_ metricType: String, _ days: ClosedRange<CivilDay>? = nil) throws -> [CivilDay: [DailySummary]] {
    let limits = days.map { "AND s.\(day) BETWEEN '\($0.lowerBound)' AND '\($0.upperBound)'" } ?? ""
    var result: [CivilDay: [DailySummary]] = [:]
    var decoder = CopyDecoder(fieldCount: 8)
    try connection.copyOut(
      """
      COPY (
        SELECT s.metric_type, s.\(day), s.avg_value, s.min_value, s.max_value, s.sum_value, coalesce(s.sample_count, 0),
          coalesce(s.unit, '')
        FROM \(shape.qualifiedName) s WHERE \(isOfType("s", metricType)) \(limits) ORDER BY s.\(day), s.id
      ) TO STDOUT (FORMAT binary)
      """
    ) { piece in
      decoder.append(piece)
      while try decoder.nextRow() {
        let row = DailySummary(
          metricType: try decoder.required(decoder.string(0), 0), day: try decoder.required(decoder.date(1), 1),
          average: try decoder.float8(2), minimum: try decoder.float8(3), maximum: try decoder.float8(4),
          sum: try decoder.float8(5), sampleCount: Int(try decoder.required(decoder.int4(6), 6)),
          unit: try decoder.required(decoder.string(7), 7))
        result[row.day, default: []].append(row)
      }
    }
    try decoder.finish()
    return result
  }
}
