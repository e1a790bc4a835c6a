import DailySummaries
import HealthModel
import PostgresClient

/// The rows of one type as the table will hold them when the decisions of the comparison have been carried out.
struct PostState {
  let tables: WorkingTables
  let shape: TableShape
  let userID: String
  /// Without a comparison, nothing will change.
  let isCompared: Bool
  let connection: PostgresConnection

  private func rows(of metricType: String) -> String {
    let type = SQLText.literal(metricType)
    let columns = "x.source_device, x.unit, x.started_at, x.ended_at, x.value, x.metadata"
    let isOurs = "(\(SQLFragments.hasOurID("x")))::integer AS is_ours"
    let finite = "isfinite(x.started_at) AND coalesce(isfinite(x.ended_at), true)"
    let ofTable = """
      SELECT \(columns), \(isOurs) FROM \(shape.qualifiedName) x
      WHERE x.user_id = \(shape.user(userID)) AND x.metric_type = \(type) AND \(finite)
      """
    guard isCompared else { return ofTable }
    return """
      \(ofTable)
        AND NOT EXISTS (SELECT FROM \(tables.remove) r WHERE r.id = x.id)
        AND NOT EXISTS (SELECT FROM \(tables.change) c WHERE c.id = x.id)
      UNION ALL
      SELECT \(columns), \(isOurs) FROM \(tables.arriving) a JOIN \(tables.incoming) x ON x.id = a.id
      WHERE x.metric_type = \(type)
      """
  }

  /// Start and end of every row, by start.
  func intervals(of metricType: String) throws -> [RowInterval] {
    var result: [RowInterval] = []
    var decoder = CopyDecoder(fieldCount: 2)
    try connection.copyOut(
      """
      COPY (SELECT started_at, coalesce(ended_at, started_at) FROM (\(rows(of: metricType))) r ORDER BY 1, 2)
      TO STDOUT (FORMAT binary)
      """
    ) { piece in
      decoder.append(piece)
      while try decoder.nextRow() {
        let start = try decoder.required(decoder.timestamptz(0), 0)
        result.append(RowInterval(start: start, end: max(start, try decoder.required(decoder.timestamptz(1), 1))))
      }
    }
    try decoder.finish()
    return result
  }

  /// Rows that `scope` needs, by start. Rows of up to two days are looked for by the UTC day of their start, the few
  /// longer ones one by one.
  func read(_ metricType: String, _ scope: RecomputeScope, _ body: (inout CopyDecoder) throws -> Void) throws {
    guard let first = scope.reads.first?.lowerBound, let last = scope.reads.last?.upperBound else { return }
    var days: Set<CivilDay> = []
    for range in scope.reads {
      var day = range.lowerBound.utcDay.advanced(by: -2)
      while day <= range.upperBound.utcDay {
        days.insert(day)
        day = day.advanced(by: 1)
      }
    }
    let list = days.sorted().map(\.description).joined(separator: ",")
    var decoder = CopyDecoder(fieldCount: 7)
    try connection.copyOut(
      """
      COPY (
        SELECT source_device, unit, started_at, ended_at, value, is_ours, metadata FROM (\(rows(of: metricType))) r
        WHERE \(SQLFragments.utcDay("r.started_at")) = ANY ('{\(list)}'::date[])
          OR (r.ended_at - r.started_at > interval '2 days' AND r.ended_at >= '\(first.iso8601)'
            AND r.started_at < '\(last.iso8601)')
        ORDER BY r.started_at
      ) TO STDOUT (FORMAT binary)
      """
    ) { piece in
      decoder.append(piece)
      while try decoder.nextRow() {
        let start = try decoder.required(decoder.timestamptz(2), 2)
        let end = try decoder.timestamptz(3) ?? start
        if scope.reads(RowInterval(start: start, end: max(start, end))) { try body(&decoder) }
      }
    }
    try decoder.finish()
  }
}

extension DayRecompute {
  /// The sample of a row as `PostState.read` gives it.
  mutating func record(_ row: inout CopyDecoder) throws -> SampleRecord {
    let bytes = row.bytes.span
    let metadata = try row.jsonbRange(of: 6) ?? 0..<0
    return record(
      sourceDevice: bytes.extracting(row.range(of: 0) ?? 0..<0), unit: bytes.extracting(row.range(of: 1) ?? 0..<0),
      startedAt: try row.required(row.timestamptz(2), 2), endedAt: try row.timestamptz(3), value: try row.float8(4),
      isOurs: try row.int4(5) == 1, metadata: bytes.extracting(metadata))
  }
}
