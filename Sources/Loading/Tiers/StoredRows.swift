import DailySummaries
import HealthModel
import PostgresClient

/// The raw rows of one user as the table holds them, one type at a time in order of start: nothing is kept in memory.
///
/// Rows at infinity are no samples; nothing here sees them.
struct StoredRows {
  let shape: TableShape
  let userID: String
  let connection: PostgresConnection

  /// A row's fields: those of `DayRecompute.record(_:)`, then these.
  enum Field { static let (isRemovable, contentHash, count) = (7, 8, 9) }

  private var user: String { shape.user(userID) }

  /// One index look-up a type, however many rows there are.
  func types() throws -> [String] {
    let result = try connection.query(
      """
      WITH RECURSIVE types(metric_type) AS (
        (SELECT metric_type FROM \(shape.qualifiedName) WHERE user_id = \(user) ORDER BY metric_type LIMIT 1)
        UNION ALL
        SELECT (SELECT r.metric_type FROM \(shape.qualifiedName) r
          WHERE r.user_id = \(user) AND r.metric_type > t.metric_type ORDER BY r.metric_type LIMIT 1)
        FROM types t WHERE t.metric_type IS NOT NULL)
      SELECT metric_type FROM types WHERE metric_type IS NOT NULL ORDER BY metric_type COLLATE "C"
      """)
    return try result.rows.map { try $0.text(0) }
  }

  /// Calls `body` for each row of a type. Returns how many there were.
  ///
  /// - Parameters:
  ///   - range: rows that start in it, or up to two days before, and longer ones that reach into it; nil: all.
  ///   - end: rows that start before.
  ///   - hashed: the last two fields are needed; they are 0 otherwise.
  @discardableResult
  func read(
    _ metricType: String, range: Range<Instant>? = nil, before end: Instant? = nil, hashed: Bool,
    _ body: (inout CopyDecoder) throws -> Void
  ) throws -> Int {
    let extra =
      hashed
      ? "\(SQLFragments.isOurs("x"))::integer, \(StoredRows.contentHash("x"))" : "0, 0::bigint"
    var decoder = CopyDecoder(fieldCount: Field.count)
    try connection.copyOut(
      """
      COPY (
        SELECT x.source_device, x.unit, x.started_at, x.ended_at, x.value, \(SQLFragments.hasOurID("x"))::integer,
          x.metadata, \(extra)
        FROM \(shape.qualifiedName) x
        WHERE \(isOfType("x", metricType)) \(range.map { StoredRows.condition("x", in: $0) } ?? "")
          \(end.map { "AND x.started_at < '\($0.iso8601)'" } ?? "")
        ORDER BY x.started_at
      ) TO STDOUT (FORMAT binary)
      """
    ) { piece in
      decoder.append(piece)
      while try decoder.nextRow() { try body(&decoder) }
    }
    try decoder.finish()
    return decoder.rowCount
  }

  /// Rows of the type that are samples.
  func isOfType(_ row: String, _ metricType: String) -> String {
    """
    \(row).user_id = \(user) AND \(row).metric_type = \(SQLText.literal(metricType))
      AND isfinite(\(row).started_at) AND coalesce(isfinite(\(row).ended_at), true)
    """
  }

  private static func condition(_ row: String, in range: Range<Instant>) -> String {
    let (first, end) = (range.lowerBound.iso8601, range.upperBound.iso8601)
    return """
      AND \(row).started_at < '\(end)' AND (\(row).started_at >= timestamptz '\(first)' - interval '2 days'
        OR (\(row).ended_at - \(row).started_at > interval '2 days' AND \(row).ended_at >= '\(first)'))
      """
  }

  /// Of everything that may change in a row.
  static func contentHash(_ row: String) -> String {
    """
    hash_record_extended(ROW(\(row).id, \(row).value, \(row).unit, \(row).source_device, \(row).started_at, \
    \(row).ended_at, \(row).metadata), 0)
    """
  }
}
