import HealthModel
import Loading
import PostgresClient
import Staging

/// What comparing one raw row needs, in 64 bytes: strings are hashed by the server.
struct RowRecord: Sendable {
  var id: RowID
  /// Start, cut to the second.
  var second: Instant
  var value: Double?
  var source: Int64
  /// Unit, end and metadata.
  var rest: Int64
  /// Made by hk2pg, and not taken over by another program since.
  var isOurs: Bool
  /// A live row that stands for all samples of its hour.
  var isHourly: Bool
}

extension ComparedSide {
  /// Rows of one type on some UTC days.
  func rows(of metricType: String, on days: [String]) throws -> [RowRecord] {
    guard let relation = relations[.metrics], let first = days.min(), let last = days.max() else { return [] }
    let isOurs = SQLFragments.isOurs("t")
    var records: [RowRecord] = []
    var decoder = CopyDecoder(fieldCount: 7)
    try connection.copyOut(
      """
      COPY (
        SELECT t.id, date_trunc('second', t.started_at), t.value,
          hashtextextended(\(SQLFragments.sourceName("t.source_device")), 1), \(ComparedSide.rest(seed: "1")),
          (\(isOurs))::int4,
          (NOT \(isOurs) AND coalesce(t.metadata ? 'h4ai_aggregation', false)
            AND t.source_device = '\(SQLFragments.allSources)')::int4
        FROM \(relation.from)
        WHERE \(relation.condition) AND t.metric_type = \(SQLText.literal(metricType))
          AND t.started_at >= '\(first)'::timestamp AT TIME ZONE 'UTC'
          AND t.started_at < ('\(last)'::date + 1)::timestamp AT TIME ZONE 'UTC'
          AND \(SQLFragments.utcDay("t.started_at")) = ANY ('{\(days.joined(separator: ","))}'::date[])
        ORDER BY t.id
      ) TO STDOUT (FORMAT binary)
      """
    ) { piece in
      decoder.append(piece)
      while try decoder.nextRow() {
        records.append(
          RowRecord(
            id: try decoder.required(decoder.uuid(0), 0), second: try decoder.required(decoder.timestamptz(1), 1),
            value: try decoder.float8(2), source: try decoder.required(decoder.int8(3), 3),
            rest: try decoder.required(decoder.int8(4), 4), isOurs: try decoder.int4(5) == 1,
            isHourly: try decoder.int4(6) == 1))
      }
    }
    try decoder.finish()
    return records
  }
}

extension RowRecord {
  /// DESIGN §3.6.
  func hasSameValue(as other: RowRecord) -> Bool { RowRecord.isSame(value, other.value) }

  /// As PostgreSQL has it: NaN equals NaN.
  static func isEqual(_ a: Double?, _ b: Double?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return a == b || (a.isNaN && b.isNaN)
  }

  static func isSame(_ a: Double?, _ b: Double?) -> Bool {
    if isEqual(a, b) { return true }
    guard let a, let b, a.isFinite, b.isFinite else { return false }
    return abs(a - b) <= 1e-5 * max(abs(a), abs(b))
  }
}
