import PostgresClient

/// Points of routes and curves of electrocardiograms belong to a row of `healthkit_metrics`; they go when it has gone:
/// the export lacks it now, a newer export has overruled it, or a row of another program stands for it.
///
/// Prune leaves them alone, as it does their rows: routes and electrocardiograms have no summary to stand for them.
struct OrphanedSeries {
  let shape: TableShape
  let userID: String
  let connection: PostgresConnection

  private var user: String { SQLText.literal(userID) }

  /// In the publishing transaction, when rows and series are written.
  func remove() throws {
    try connection.execute(
      """
      DELETE FROM hk2pg.ecg_recordings e WHERE e.user_id = \(user) AND NOT EXISTS (
        SELECT FROM \(shape.qualifiedName) m WHERE m.user_id = \(shape.user(userID)) AND m.id = e.metric_id)
      """)
    // One index look-up a file, however many points it has.
    let orphans = try connection.query(
      """
      WITH RECURSIVE files(digest) AS (
        (SELECT file_digest FROM hk2pg.route_points WHERE user_id = \(user) ORDER BY file_digest LIMIT 1)
        UNION ALL
        SELECT (SELECT p.file_digest FROM hk2pg.route_points p
          WHERE p.user_id = \(user) AND p.file_digest > f.digest ORDER BY p.file_digest LIMIT 1)
        FROM files f WHERE f.digest IS NOT NULL)
      SELECT digest FROM files WHERE digest IS NOT NULL
      EXCEPT
      SELECT m.metadata->>'file_digest' FROM \(shape.qualifiedName) m
      WHERE m.user_id = \(shape.user(userID)) AND m.metric_type = 'HKWorkoutRouteTypeIdentifier'
      """)
    for row in orphans.rows {
      try connection.query(
        "DELETE FROM hk2pg.route_points WHERE user_id = $1 AND file_digest = $2", [userID, try row.text(0)])
    }
  }
}
