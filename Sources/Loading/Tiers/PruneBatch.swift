import HealthModel
import PostgresClient

/// One batch of a `PrunePlan`, in SQL: is everything as it was surveyed, delete, and mark the days.
struct PruneBatch {
  let rows: StoredRows
  let metricType: String
  let batch: PrunePlan.Batch
  let zone: ZoneRules

  private var connection: PostgresConnection { rows.connection }

  /// Rows that change so many days away from the batch may change its sums: by a night's sleep, an overlap.
  private static let margin = 2

  /// First instants of consecutive days and of the day after the last, as an SQL array: width_bucket finds an instant's
  /// day in it, in the user's zone even where the server does not know that.
  private func borders(_ days: ClosedRange<CivilDay>) -> String {
    let instants = (days.lowerBound.daysSince1970...days.upperBound.daysSince1970 + 1).map {
      zone.firstInstant(of: CivilDay(daysSince1970: $0)).iso8601
    }
    return "'{\(instants.joined(separator: ","))}'::timestamptz[]"
  }

  private var isInBatch: String {
    """
    \(rows.isOfType("x", metricType)) AND x.started_at >= '\(batch.from.iso8601)' AND x.started_at < '\(batch.to.iso8601)'
      AND coalesce(x.ended_at, x.started_at) <= '\(batch.end.iso8601)' AND \(SQLFragments.isOurs("x"))
    """
  }

  // MARK: Before

  /// The days of the batch and those beside it, whose rows count with its own.
  var neighbourhood: ClosedRange<CivilDay> {
    batch.days.lowerBound.advanced(by: -PruneBatch.margin)...batch.days.upperBound.advanced(by: PruneBatch.margin)
  }

  /// Whether the rows of the neighbourhood are those that were surveyed: none came, went or changed.
  func isUnchanged(since survey: PruneSurvey) throws -> Bool {
    try fingerprints() == survey.fingerprints(of: neighbourhood)
  }

  /// Of the neighbourhood, as the table has it now.
  func fingerprints() throws -> [CivilDay: PruneSurvey.Fingerprint] {
    let days = neighbourhood
    let (first, end) = (zone.firstInstant(of: days.lowerBound), zone.firstInstant(of: days.upperBound.advanced(by: 1)))
    let result = try connection.query(
      """
      SELECT width_bucket(x.started_at, \(borders(days))) - 1 AS day, count(*) AS rows,
        bit_xor(\(StoredRows.contentHash("x"))) AS hash
      FROM \(rows.shape.qualifiedName) x
      WHERE \(rows.isOfType("x", metricType)) AND x.started_at >= '\(first.iso8601)' AND x.started_at < '\(end.iso8601)'
      GROUP BY 1
      """)
    var found: [CivilDay: PruneSurvey.Fingerprint] = [:]
    for row in result.rows {
      found[days.lowerBound.advanced(by: try row.int("day"))] = PruneSurvey.Fingerprint(
        rows: try row.int("rows"), hash: Int64(try row.int("hash")))
    }
    return found
  }

  /// Rows that would be deleted, and days they touch.
  func count() throws -> PrunedType {
    let result = try connection.query(
      """
      WITH gone AS (
        SELECT \(dayColumns) FROM \(rows.shape.qualifiedName) x WHERE \(isInBatch))
      \(touchedDays)
      SELECT coalesce(sum(rows), 0)::bigint AS rows, count(*) AS days FROM touched
      """)[0]
    return PrunedType(metricType: metricType, rows: try result.int("rows"), days: try result.int("days"))
  }

  // MARK: Deleting

  /// Deletes the rows, and marks every day that one of them touches: its summary cannot be recomputed any more.
  func delete() throws -> PrunedType {
    let result = try connection.query(
      """
      WITH gone AS (
        DELETE FROM \(rows.shape.qualifiedName) x WHERE \(isInBatch) RETURNING \(dayColumns))
      \(touchedDays),
      marked AS (
        INSERT INTO hk2pg.pruned_days AS p (user_id, metric_type, day, starts_at, ends_at, row_count)
        SELECT $1, $2, $3::date + (t.day - 1), b.borders[t.day], b.borders[t.day + 1], t.rows
        FROM touched t, (SELECT \(borders(batch.days)) AS borders) b
        ON CONFLICT (user_id, metric_type, day) DO UPDATE SET row_count = p.row_count + excluded.row_count,
          starts_at = least(p.starts_at, excluded.starts_at), ends_at = greatest(p.ends_at, excluded.ends_at),
          pruned_at = excluded.pruned_at
        RETURNING day)
      SELECT coalesce(sum(t.rows), 0)::bigint AS rows, count(*) AS days FROM touched t
      """, [rows.userID, metricType, batch.days.lowerBound.description])[0]
    return PrunedType(metricType: metricType, rows: try result.int("rows"), days: try result.int("days"))
  }

  /// First and last day of a row, numbered from 1. An end at midnight does not touch the next day.
  private var dayColumns: String {
    let borders = borders(batch.days)
    return """
      width_bucket(x.started_at, \(borders)) AS first_day,
        width_bucket(greatest(x.started_at, x.ended_at - interval '1 microsecond'), \(borders)) AS last_day
      """
  }

  private var touchedDays: String {
    """
    , touched AS (
        SELECT d AS day, count(*) FILTER (WHERE d = first_day) AS rows
        FROM gone, generate_series(first_day, last_day) d GROUP BY d)
    """
  }
}
