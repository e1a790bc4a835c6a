import HealthModel
import Loading
import PostgresClient

/// First and last raw row of every metric type of a user: three index look-ups each.
struct RawExtents {
  var metricType: String
  var first: Instant
  var last: Instant

  static func read(_ shape: TableShape, user: String, _ connection: PostgresConnection) throws -> [RawExtents] {
    let types = try StoredTypes.read(shape, user: user, connection)
    guard !types.isEmpty else { return [] }
    func end(_ direction: String) -> String {
      """
      (SELECT (extract(epoch FROM m.started_at) * 1000000)::bigint FROM \(shape.qualifiedName) m
        WHERE m.user_id = $1 AND m.metric_type = t.metric_type AND isfinite(m.started_at)
        ORDER BY m.started_at \(direction) LIMIT 1)
      """
    }
    let result = try connection.query(
      """
      SELECT t.metric_type, \(end("ASC")) AS first, \(end("DESC")) AS last
      FROM unnest($2::text[]) WITH ORDINALITY AS t(metric_type, number) ORDER BY t.number
      """, [user, TextArray.text(types)])
    return try result.rows.compactMap { row in
      guard let first = try row.optionalInt(1), let last = try row.optionalInt(2) else { return nil }
      return RawExtents(
        metricType: try row.text(0), first: Instant(microseconds: Int64(first)),
        last: Instant(microseconds: Int64(last)))
    }
  }
}
