/// `v_healthkit_daily_quantity` (DESIGN §2.1): one row per user, quantity type and local day.
enum QuantityView {
  static let name = "v_healthkit_daily_quantity"

  /// Days before the day of the newest ExportDate come from the summary. Later days, and days without a summary, come
  /// from raw rows (cumulative types: from the source with the largest sum of the day); where there are none, from the
  /// summary. Two branches and no join of them, so that conditions on user, type and day reach the tables.
  ///
  /// Both branches ask for a row's day in the same words, or an hour that comes twice at midnight would show two rows.
  /// - Parameters:
  ///   - create: `CREATE VIEW`, or `CREATE OR REPLACE VIEW`.
  ///   - dayColumn: quoted name of the summary's date column.
  ///   - isKeyedByUnit: a day may have a summary for each of several units; the one of most samples counts.
  static func createStatement(
    _ view: String, create: String = "CREATE VIEW", metrics: String, summaries: String, dayColumn: String,
    isKeyedByUnit: Bool
  ) -> String {
    let zone = "coalesce(u.server_zone, 'UTC')"
    let day = "(m.started_at AT TIME ZONE \(zone))::date"
    let oneByDay = """
      (SELECT DISTINCT ON (d.user_id, d.metric_type, d.\(dayColumn)) d.* FROM \(summaries) d
        ORDER BY d.user_id, d.metric_type, d.\(dayColumn), d.sample_count DESC NULLS LAST, d.unit)
      """
    return """
      \(create) \(view) WITH (security_invoker = true) AS
      SELECT s.user_id, s.metric_type, s.\(dayColumn) AS day, s.avg_value, s.min_value, s.max_value, s.sum_value,
        s.sample_count, s.unit, 'summary'::text AS source
      FROM \(isKeyedByUnit ? oneByDay : summaries) s LEFT JOIN hk2pg.user_settings u ON u.user_id = s.user_id::text
      WHERE s.metric_type LIKE 'HKQuantityTypeIdentifier%'
        AND (s.\(dayColumn) < (u.newest_export_date AT TIME ZONE \(zone))::date
          OR NOT EXISTS (
            SELECT FROM \(metrics) m WHERE m.user_id = s.user_id AND m.metric_type = s.metric_type
              AND m.started_at >= (s.\(dayColumn) - 1)::timestamp AT TIME ZONE 'UTC'
              AND m.started_at < (s.\(dayColumn) + 2)::timestamp AT TIME ZONE 'UTC'
              AND \(day) = s.\(dayColumn) AND m.value IS NOT NULL))
      UNION ALL
      SELECT r.user_id, r.metric_type, r.day, r.avg_value, r.min_value, r.max_value, r.sum_value, r.sample_count, r.unit,
        'raw'::text AS source
      FROM (
        SELECT DISTINCT ON (g.user_id, g.metric_type, g.day) g.*
        FROM (
          SELECT m.user_id, m.metric_type, \(day) AS day,
            CASE WHEN t.aggregation_style = 'cumulative' THEN m.source_device END AS source_device,
            (min(u.newest_export_date) AT TIME ZONE min(\(zone)))::date AS newest_export_day,
            avg(m.value) AS avg_value, min(m.value) AS min_value, max(m.value) AS max_value, sum(m.value) AS sum_value,
            count(*)::integer AS sample_count, max(m.unit) AS unit
          FROM \(metrics) m
          LEFT JOIN hk2pg.user_settings u ON u.user_id = m.user_id::text
          LEFT JOIN hk2pg.metric_types t ON t.metric_type = m.metric_type
          WHERE m.metric_type LIKE 'HKQuantityTypeIdentifier%' AND m.value IS NOT NULL AND isfinite(m.started_at)
          GROUP BY 1, 2, 3, 4
        ) g
        ORDER BY g.user_id, g.metric_type, g.day, g.sum_value DESC, g.source_device
      ) r
      WHERE coalesce(r.day >= r.newest_export_day, true) OR NOT EXISTS (
        SELECT FROM \(summaries) s
        WHERE s.user_id = r.user_id AND s.metric_type = r.metric_type AND s.\(dayColumn) = r.day)
      """
  }
}
