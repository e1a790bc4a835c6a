package import HealthModel
import Loading
import PostgresClient

/// One raw row.
package struct StoredSample: Equatable, Sendable {
  package var value: Double?
  package var unit: String
  package var source: String
  package var start: Instant
  package var end: Instant?
}

/// One raw row of a workout.
package struct StoredWorkout: Equatable, Sendable {
  /// `HKWorkoutActivityTypeRunning`; empty when the row does not say.
  package var activity: String
  /// Without pauses.
  package var seconds: Double
  package var distanceMeters: Double?
  /// Active energy.
  package var energyKilocalories: Double?
  package var source: String
  package var start: Instant
  package var end: Instant?
}

extension ReadSession {
  /// Raw rows of a type that start on the days, newest first, at most `limit`.
  ///
  /// Starts are those exported: rows of ours that share a second lie a microsecond apart in the table.
  package func samples(_ metricType: String, _ days: ClosedRange<CivilDay>, limit: Int) throws -> [StoredSample] {
    guard let shape = tables.metrics else { return [] }
    let result = try connection.query(
      """
      SELECT m.value, coalesce(m.unit, '') AS unit, coalesce(m.source_device, '') AS source,
        \(ReadSession.microseconds("m.started_at")) AS start, \(ReadSession.microseconds("m.ended_at")) AS "end", m.id
      FROM \(shape.qualifiedName) m
      WHERE m.user_id = $1 AND m.metric_type = $2 AND m.started_at >= $3::timestamptz AND m.started_at < $4::timestamptz
      ORDER BY m.started_at DESC, m.id LIMIT $5::bigint
      """, [user, metricType] + limits(days) + [String(limit)])
    return try result.rows.map { row in
      StoredSample(
        value: try row.optionalDouble("value").flatMap { $0.isFinite ? $0 : nil }, unit: try row.text("unit"),
        source: try row.text("source"), start: try start(row), end: try end(row))
    }
  }

  /// Raw rows of workouts that start on the days, newest first, at most `limit`. Pruned ones are in the daily figures
  /// alone.
  package func workouts(_ days: ClosedRange<CivilDay>, limit: Int) throws -> [StoredWorkout] {
    guard let shape = tables.metrics else { return [] }
    func number(_ key: String) -> String {
      "CASE WHEN jsonb_typeof(m.metadata->'\(key)') = 'number' THEN (m.metadata->>'\(key)')::float8 END"
    }
    let result = try connection.query(
      """
      SELECT coalesce(m.metadata->>'workout_type', '') AS activity,
        coalesce(m.value, extract(epoch FROM m.ended_at - m.started_at)::float8, 0) AS seconds,
        \(number("total_distance_meters")) AS meters, \(number("total_energy_burned_cal")) AS energy,
        coalesce(m.source_device, '') AS source, \(ReadSession.microseconds("m.started_at")) AS start,
        \(ReadSession.microseconds("m.ended_at")) AS "end", m.id
      FROM \(shape.qualifiedName) m
      WHERE m.user_id = $1 AND m.metric_type = $2 AND m.started_at >= $3::timestamptz AND m.started_at < $4::timestamptz
      ORDER BY m.started_at DESC, m.id LIMIT $5::bigint
      """, [user, Metric.workouts.rawType] + limits(days) + [String(limit)])
    return try result.rows.map { row in
      StoredWorkout(
        activity: try row.text("activity"), seconds: try row.double("seconds"),
        distanceMeters: try row.optionalDouble("meters"), energyKilocalories: try row.optionalDouble("energy"),
        source: try row.text("source"), start: try start(row), end: try end(row))
    }
  }

  private func limits(_ days: ClosedRange<CivilDay>) -> [String?] {
    [zone.firstInstant(of: days.lowerBound).iso8601, zone.firstInstant(of: days.upperBound.advanced(by: 1)).iso8601]
  }

  private static func microseconds(_ column: String) -> String {
    "(CASE WHEN isfinite(\(column)) THEN extract(epoch FROM \(column)) * 1000000 END)::bigint"
  }

  private func start(_ row: QueryResult.Row) throws -> Instant {
    let instant = Instant(microseconds: Int64(try row.int("start")))
    return RowText.isOurs(try row.text("id")) ? Instant(seconds: instant.seconds) : instant
  }

  private func end(_ row: QueryResult.Row) throws -> Instant? {
    guard let microseconds = try row.optionalInt("end") else { return nil }
    let instant = Instant(microseconds: Int64(microseconds))
    return RowText.isOurs(try row.text("id")) ? Instant(seconds: instant.seconds) : instant
  }
}

enum RowText {
  /// `RowID.isOurs`, of the text of an id: xxxxxxxx-xxxx-8xxx-[89ab]xxx-xxxxxxxxxxxx.
  static func isOurs(_ id: String) -> Bool {
    let bytes = Array(id.utf8)
    return bytes.count == 36 && bytes[14] == UInt8(ascii: "8") && "89ab".utf8.contains(bytes[19])
  }
}
