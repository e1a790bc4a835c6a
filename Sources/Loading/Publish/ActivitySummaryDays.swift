import HealthModel
import PostgresClient

/// Rows of ActivitySummaries span a local day, so all of them move when the user's zone does (DESIGN §3.3): also those
/// that no export at hand has, or an older one.
struct ActivitySummaryDays {
  static let metricType = "HKActivitySummaryTypeIdentifier"

  let shape: TableShape
  let userID: String
  let connection: PostgresConnection

  private struct Row {
    var id: RowID
    var day: CivilDay
    var start: Instant
    var end: Instant?
  }

  /// Number of rows moved.
  func move(to zone: ZoneRules) throws -> Int {
    let (rows, held) = try read()
    var moved: [(row: Row, start: Instant, end: Instant)] = []
    // Days that the zone skipped begin with the next one; other programs' rows keep their microseconds.
    for (start, group) in Dictionary(grouping: rows, by: { zone.firstInstant(of: $0.day) }) {
      let group = group.sorted { $0.day < $1.day }
      let taken = Set(held.filter { $0.seconds == start.seconds }.map { Int($0.microseconds - start.microseconds) })
      guard let offsets = Placement.offsets(wanted: Array(group.indices), held: taken) else { continue }
      for (row, offset) in zip(group, offsets) {
        let place = Instant(microseconds: start.microseconds + Int64(offset))
        let end = max(zone.firstInstant(of: row.day.advanced(by: 1)), place)
        if row.start != place || row.end != end { moved.append((row, place, end)) }
      }
    }
    if moved.isEmpty { return 0 }
    func array(_ values: [String]) -> String { "{\(values.joined(separator: ","))}" }
    let ids = array(moved.map { "\($0.row.id)" })
    let isOfUser = "t.user_id = \(shape.user(userID)) AND \(SQLFragments.isOurs("t"))"
    // Far away first: the unique key is checked row by row.
    try connection.query(
      """
      UPDATE \(shape.qualifiedName) t SET started_at = t.started_at - interval '1500000 days'
      WHERE t.id = ANY ($1::uuid[]) AND \(isOfUser)
      """, [ids])
    return try connection.query(
      """
      UPDATE \(shape.qualifiedName) t SET started_at = m.started_at, ended_at = m.ended_at, synced_at = now()
      FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS m(id, started_at, ended_at)
      WHERE t.id = m.id AND \(isOfUser)
      """, [ids, array(moved.map { $0.start.iso8601 }), array(moved.map { $0.end.iso8601 })]
    ).affectedRows
  }

  /// Rows of ours with their dates, and places that rows of others hold.
  private func read() throws -> (rows: [Row], held: [Instant]) {
    var result: (rows: [Row], held: [Instant]) = ([], [])
    var decoder = CopyDecoder(fieldCount: 4)
    try connection.copyOut(
      """
      COPY (
        SELECT t.id, CASE WHEN \(SQLFragments.isOurs("t")) THEN t.metadata->>'dateComponents' END, t.started_at,
          t.ended_at
        FROM \(shape.qualifiedName) t
        WHERE t.user_id = \(shape.user(userID)) AND t.metric_type = '\(ActivitySummaryDays.metricType)'
          AND isfinite(t.started_at) AND coalesce(isfinite(t.ended_at), true)
      ) TO STDOUT (FORMAT binary)
      """
    ) { piece in
      decoder.append(piece)
      while try decoder.nextRow() {
        let start = try decoder.required(decoder.timestamptz(2), 2)
        if let day = decoder.range(of: 1).flatMap({ DateParser.day($0, of: decoder.bytes.span) }) {
          result.rows.append(
            Row(id: try decoder.required(decoder.uuid(0), 0), day: day, start: start, end: try decoder.timestamptz(3)))
        } else {
          result.held.append(start)
        }
      }
    }
    try decoder.finish()
    return result
  }
}
