package import HealthModel
import Loading
import PostgresClient

/// How far the three activity rings were closed on a day: 1 is the goal. nil: no such goal that day.
package struct ActivityRings: Equatable, Sendable {
  package var day: CivilDay
  package var move: Double?
  package var exercise: Double?
  package var stand: Double?
}

extension ReadSession {
  /// The rings of the exported activity summaries, in order of days. Energy and goal are in one unit, whichever it is;
  /// whoever moves by minutes has a goal in minutes.
  package func rings(_ days: ClosedRange<CivilDay>) throws -> [ActivityRings] {
    guard let shape = tables.metrics else { return [] }
    func number(_ key: String) -> String {
      "CASE WHEN jsonb_typeof(m.metadata->'\(key)') = 'number' THEN (m.metadata->>'\(key)')::float8 END"
    }
    func share(_ key: String) -> String { "\(number(key)) / nullif(\(number(key + "Goal")), 0)" }
    let result = try connection.query(
      """
      SELECT (floor(extract(epoch FROM m.started_at)))::bigint AS start,
        coalesce(\(share("activeEnergyBurned")), \(share("appleMoveTime"))) AS move,
        \(share("appleExerciseTime")) AS exercise, \(share("appleStandHours")) AS stand
      FROM \(shape.qualifiedName) m
      WHERE m.user_id = $1 AND m.metric_type = 'HKActivitySummaryTypeIdentifier'
        AND m.started_at >= $2::timestamptz AND m.started_at < $3::timestamptz
      ORDER BY m.started_at
      """,
      [
        user, zone.firstInstant(of: days.lowerBound).iso8601,
        zone.firstInstant(of: days.upperBound.advanced(by: 1)).iso8601,
      ])
    func finite(_ row: QueryResult.Row, _ column: QueryResult.Column) throws -> Double? {
      try row.optionalDouble(column).flatMap { $0.isFinite ? $0 : nil }
    }
    return try result.rows.map { row in
      ActivityRings(
        day: zone.localDay(of: Instant(seconds: Int64(try row.int("start")))), move: try finite(row, "move"),
        exercise: try finite(row, "exercise"), stand: try finite(row, "stand"))
    }
  }
}
