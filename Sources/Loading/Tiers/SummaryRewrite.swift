import DailySummaries
import HealthModel
import PostgresClient

/// The one short transaction of `hk2pg summarize`: a working table that nobody sees, then the rows that differ.
struct SummaryRewrite {
  let context: LoadContext
  let request: SummarizeRequest
  /// The zone, if the server knows it.
  let serverZone: String?

  private var connection: PostgresConnection { context.connection }

  func publish(_ result: Summarizer.Result, _ outcome: inout SummarizeOutcome) throws {
    let tables = WorkingTables(recomputing: context.userID)
    try context.transaction([("work_mem", "64MB")]) {
      if !result.types.isEmpty {
        try stage(result.types, tables)
        guard let shape = try Schema.summariesTable(context.server, connection) else { return }
        let summaries = try SummaryPublisher(
          shape: shape, userID: context.userID, tables: tables, precedence: .newer, connection: connection
        ).publish()
        outcome.recomputed = summaries.recomputed
        outcome.written = summaries.written
        outcome.unchanged = summaries.unchanged
        outcome.kept = summaries.kept
        outcome.removed = summaries.removed
        try connection.execute("DROP TABLE \(tables.summaries), \(tables.unionDays)")
        if let metrics = try TableShape.read(.metrics, connection) {
          try Schema.createView(metrics: metrics, summaries: shape, context.server, connection)
        }
      }
      if result.isZoneNew, let metrics = try TableShape.read(.metrics, connection) {
        _ = try ActivitySummaryDays(shape: metrics, userID: context.userID, connection: connection)
          .move(to: SystemZones.load(name: request.zone))
      }
      if request.days == nil { try writeSettings(result.calendar) }
    }
  }

  private func stage(_ results: [Summarizer.TypeResult], _ tables: WorkingTables) throws {
    try connection.execute(
      """
      CREATE UNLOGGED TABLE \(tables.summaries) (id uuid, user_id text, metric_type text, summary_date date,
        avg_value double precision, min_value double precision, max_value double precision, sum_value double precision,
        sample_count integer, unit text, is_recomputed boolean NOT NULL DEFAULT true);
      CREATE UNLOGGED TABLE \(tables.unionDays) (metric_type text NOT NULL, day date NOT NULL)
      """)
    let replacement = SummaryReplacement(tables: tables, userID: context.userID, connection: connection)
    for result in results {
      if !result.emptied.isEmpty { try replacement.copyDays(result.metricType, result.emptied) }
      if !result.summaries.isEmpty { try replacement.copySummaries(result.summaries) }
    }
    try connection.execute("ANALYZE \(tables.unionDays)")
  }

  private func writeSettings(_ calendar: SummaryCalendar) throws {
    try connection.query(
      """
      INSERT INTO hk2pg.user_settings AS u (user_id, zone, server_zone, source_priority, summarized_zone,
        summarized_priority, summarized_days)
      VALUES ($1, $2, $3, $4::jsonb, $2, $4::jsonb, $5::jsonb)
      ON CONFLICT (user_id) DO UPDATE SET zone = excluded.zone, server_zone = excluded.server_zone,
        source_priority = excluded.source_priority, summarized_zone = excluded.summarized_zone,
        summarized_priority = excluded.summarized_priority, summarized_days = excluded.summarized_days
      """,
      [
        context.userID, request.zone, serverZone, try SideTables.json(request.sourcePriority), try calendar.encoded(),
      ])
  }
}
