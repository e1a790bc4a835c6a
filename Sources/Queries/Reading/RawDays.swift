import DailySummaries
import HealthModel
import Loading
import PostgresClient

/// Sums up raw rows of one type, read by time, with the fold that makes the stored summaries.
struct RawDays {
  let shape: TableShape
  let user: String
  let connection: PostgresConnection
  let zone: ZoneRules
  let ranking: SourceRanking
  let symbols: SymbolTable

  /// Rows fetched at a time: what is kept in memory.
  private static let batch = 5_000

  /// Days beside the wanted ones whose rows are read too: samples reach over midnight, and nights and overlapping
  /// workouts over more. A sample longer than this is seen by the days near its start alone.
  static func margin(_ kind: SummaryKind) -> (before: Int, after: Int) {
    switch kind {
    case .cumulative, .workout: (7, 2)
    case .sleep: (7, 2)
    case .discrete, .level, .category, .standHours, .none: (0, 0)
    }
  }

  /// Those of `stretches` that hold rows. Rows of the day before that end in them count: one that ends at midnight too,
  /// for a night may end there.
  func stretchesWithRows(
    _ type: String, _ stretches: [ClosedRange<CivilDay>]
  ) throws -> [ClosedRange<CivilDay>] {
    guard !stretches.isEmpty else { return [] }
    let reachesIn = RawDays.margin(SummaryKind(metricType: type)).before > 0
    func list(_ instants: [Instant]) -> String { "{" + instants.map(\.iso8601).joined(separator: ",") + "}" }
    let starts = stretches.map { zone.firstInstant(of: $0.lowerBound) }
    let ends = stretches.map { zone.firstInstant(of: $0.upperBound.advanced(by: 1)) }
    // The index alone answers whether rows start there; only those of the day before have to be looked at.
    let rows = "SELECT FROM \(shape.qualifiedName) m WHERE m.user_id = $1 AND m.metric_type = $2 AND m.started_at"
    let reaching =
      "OR EXISTS (\(rows) >= s.first - interval '1 day' AND m.started_at < s.first AND m.ended_at >= s.first)"
    let result = try connection.query(
      """
      SELECT s.number::integer FROM unnest($3::timestamptz[], $4::timestamptz[]) WITH ORDINALITY AS s(first, last, number)
      WHERE EXISTS (\(rows) >= s.first AND m.started_at < s.last) \(reachesIn ? reaching : "")
      ORDER BY 1
      """, [user, type, list(starts), list(ends)])
    return try result.rows.map { stretches[try $0.int(0) - 1] }
  }

  /// First and last local day on which rows of the type start; nil: there are none.
  func extent(_ type: String) throws -> ClosedRange<CivilDay>? {
    func end(_ direction: String) -> String {
      """
      (SELECT (floor(extract(epoch FROM m.started_at)))::bigint FROM \(shape.qualifiedName) m
        WHERE m.user_id = $1 AND m.metric_type = $2 AND isfinite(m.started_at)
        ORDER BY m.started_at \(direction) LIMIT 1)
      """
    }
    let row = try connection.query("SELECT \(end("ASC")) AS first, \(end("DESC")) AS last", [user, type])[0]
    guard let first = try row.optionalInt("first"), let last = try row.optionalInt("last") else { return nil }
    return zone.localDay(of: Instant(seconds: Int64(first)))...zone.localDay(of: Instant(seconds: Int64(last)))
  }

  /// Summaries of the days in `stretch`, of all names that the type's rows give.
  func summaries(_ type: String, _ stretch: ClosedRange<CivilDay>) throws -> [DailySummary] {
    let kind = SummaryKind(metricType: type)
    let margin = RawDays.margin(kind)
    var fold = SummaryFold(metricType: type, zone: zone, ranking: ranking, symbols: symbols)
    var samples = DayRecompute(metricType: type, symbols: symbols)
    let first = zone.firstInstant(of: stretch.lowerBound.advanced(by: -margin.before))
    let end = zone.firstInstant(of: stretch.upperBound.advanced(by: 1 + margin.after))
    try connection.query(RawDays.cursor(shape), [user, type, first.iso8601, end.iso8601])
    while true {
      let rows = try connection.execute("FETCH \(RawDays.batch) FROM hk2pg_rows")
      for row in rows.rows { fold.add(try RawDays.record(row, &samples)) }
      if rows.rowCount < RawDays.batch { break }
    }
    try connection.execute("CLOSE hk2pg_rows")
    return fold.finish().filter { stretch.contains($0.day) }
  }

  /// Of metadata, only what the fold looks at.
  private static func cursor(_ shape: TableShape) -> String {
    let members = ["HKWasUserEntered", "h4ai_aggregation", "workout_type", "sleep_stage"]
      .map { "'\($0)', m.metadata->'\($0)'" }.joined(separator: ", ")
    return """
      DECLARE hk2pg_rows NO SCROLL CURSOR FOR
      SELECT coalesce(m.source_device, ''), coalesce(m.unit, ''),
        (extract(epoch FROM m.started_at) * 1000000)::bigint, (extract(epoch FROM m.ended_at) * 1000000)::bigint,
        m.value, m.id, CASE WHEN jsonb_typeof(m.metadata) = 'object'
          THEN jsonb_strip_nulls(jsonb_build_object(\(members)))::text ELSE '' END
      FROM \(shape.qualifiedName) m
      WHERE m.user_id = $1 AND m.metric_type = $2 AND m.started_at >= $3::timestamptz AND m.started_at < $4::timestamptz
        AND coalesce(isfinite(m.ended_at), true)
      ORDER BY m.started_at
      """
  }

  private static func record(_ row: QueryResult.Row, _ samples: inout DayRecompute) throws -> SampleRecord {
    let (source, unit) = (Array(try row.text(0).utf8), Array(try row.text(1).utf8))
    let metadata = Array(try row.text(6).utf8)
    return samples.record(
      sourceDevice: source.span, unit: unit.span, startedAt: Instant(microseconds: Int64(try row.int(2))),
      endedAt: try row.optionalInt(3).map { Instant(microseconds: Int64($0)) }, value: try row.optionalDouble(4),
      isOurs: RowText.isOurs(try row.text(5)), metadata: metadata.span)
  }
}
