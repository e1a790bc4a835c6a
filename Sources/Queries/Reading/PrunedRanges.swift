import HealthModel
import Loading
import PostgresClient

extension PrunedDays {
  /// What `overlaps` needs to know of some types within a period: neighbouring days come as one range, so that ten
  /// years are read as fast as one.
  static func ranges(
    of metricTypes: [String], within period: Range<Instant>, user: String, _ connection: PostgresConnection
  ) throws -> PrunedDays {
    let result = try connection.query(
      """
      WITH days AS (
        SELECT metric_type, starts_at, ends_at,
          max(ends_at) OVER (PARTITION BY metric_type ORDER BY starts_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
            AS known_end
        FROM hk2pg.pruned_days WHERE user_id = $1 AND metric_type = ANY ($2::text[]) AND starts_at < ends_at
          AND ends_at > $3::timestamptz AND starts_at < $4::timestamptz),
      ranges AS (
        SELECT metric_type, starts_at, ends_at,
          count(*) FILTER (WHERE known_end IS NULL OR starts_at > known_end)
            OVER (PARTITION BY metric_type ORDER BY starts_at) AS number
        FROM days)
      SELECT metric_type, extract(epoch FROM min(starts_at))::bigint AS first,
        extract(epoch FROM max(ends_at))::bigint AS last
      FROM ranges GROUP BY metric_type, number ORDER BY metric_type, first
      """, [user, TextArray.text(metricTypes), period.lowerBound.iso8601, period.upperBound.iso8601])
    var pruned = PrunedDays()
    for row in result.rows {
      let (first, last) = (Int64(try row.int("first")), Int64(try row.int("last")))
      pruned.add(try row.text("metric_type"), Instant(seconds: first)..<Instant(seconds: last))
    }
    return pruned
  }
}
