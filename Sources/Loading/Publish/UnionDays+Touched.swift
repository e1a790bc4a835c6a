import DailySummaries
import HealthModel
import PostgresClient
import Staging

extension UnionDays {
  /// Types and UTC days whose summaries the staged ones do not settle.
  ///
  /// - Rows that the export lacks, where it has samples of the type a day around.
  /// - With new source ranks, all rows that the export lacks: nobody else sums them up again. Of an older export, whose
  ///   summaries are not the ones to come, all rows.
  /// - With another zone, all rows: their former days have to go.
  func writeKeptDays() throws {
    let isZoneNew = plan.relation.isZoneNew
    var kept: Set<ImportPlan.TypeDay> = []
    let staged = plan.stagedDays
    var ranked: [Symbol: Bool] = [:]
    for (day, isLacking) in plan.tableDays {
      var isRankingNew = false
      if plan.relation.isRankingNew {
        isRankingNew = ranked[day.type] ?? SummaryKind(metricType: plan.text(day.type)).dependsOnRanks
        ranked[day.type] = isRankingNew
      }
      guard isLacking || isZoneNew || (isRankingNew && plan.relation.isOlder) else { continue }
      let isShared = (-1...1).contains { staged.contains(.init(type: day.type, day: day.day.advanced(by: $0))) }
      if isShared || isZoneNew || isRankingNew { kept.insert(day) }
    }
    try connection.execute(
      "CREATE TABLE \(tables.keptDays) (metric_type text NOT NULL, utc_day date NOT NULL)")
    var encoder = CopyEncoder()
    encoder.appendHeader()
    for key in kept {
      encoder.beginRow(fieldCount: 2)
      encoder.append(text: plan.name(key.type))
      encoder.append(date: key.day)
    }
    encoder.appendTrailer()
    try connection.copyIn("COPY \(tables.keptDays) FROM STDIN (FORMAT binary)") { try $0.send(encoder.bytes.span) }
    guard isCompared else { return }
    try connection.execute(
      """
      INSERT INTO \(tables.keptDays)
      SELECT DISTINCT metric_type, \(SQLFragments.utcDay("started_at")) FROM \(tables.present)
      WHERE NOT (is_staged AND is_ours)
      EXCEPT SELECT metric_type, utc_day FROM \(tables.keptDays)
      """)
  }

  /// From the first start to the last end of each such day's rows, by type. An older export touches the days that it
  /// adds rows to, too.
  func touchedIntervals() throws -> [String: [RowInterval]] {
    let isWhole = try connection.query("SELECT count(*) * 5 > \(plan.tableDays.count) FROM \(tables.keptDays)")[0].bool(
      0)
    let scan =
      isWhole
      ? """
      \(shape.qualifiedName) t JOIN \(tables.keptDays) d
        ON t.user_id = \(user) AND d.metric_type = t.metric_type AND d.utc_day = \(SQLFragments.utcDay("t.started_at"))
      """
      : """
      \(tables.keptDays) d CROSS JOIN LATERAL (
        SELECT r.metric_type, r.started_at, r.ended_at FROM \(shape.qualifiedName) r
        WHERE r.user_id = \(user) AND r.metric_type = d.metric_type
          AND r.started_at >= d.utc_day::timestamp AT TIME ZONE 'UTC'
          AND r.started_at < (d.utc_day + 1)::timestamp AT TIME ZONE 'UTC' OFFSET 0) t
      """
    let added =
      plan.relation.isOlder && isCompared
      ? """
      UNION ALL
      SELECT s.metric_type, min(s.started_at), max(coalesce(s.ended_at, s.started_at)) FROM \(tables.incoming) s
      WHERE NOT EXISTS (SELECT FROM \(tables.skip) k WHERE k.id = s.id)
      GROUP BY s.metric_type, \(SQLFragments.utcDay("s.started_at"))
      """ : ""
    var result: [String: [RowInterval]] = [:]
    var decoder = CopyDecoder(fieldCount: 3)
    try connection.copyOut(
      """
      COPY (
        SELECT t.metric_type, min(t.started_at), max(coalesce(t.ended_at, t.started_at)) FROM \(scan)
        WHERE isfinite(t.started_at) AND coalesce(isfinite(t.ended_at), true)
        GROUP BY t.metric_type, d.utc_day
        \(added)
      ) TO STDOUT (FORMAT binary)
      """
    ) { piece in
      decoder.append(piece)
      while try decoder.nextRow() {
        let type = try decoder.required(decoder.string(0), 0)
        let start = try decoder.required(decoder.timestamptz(1), 1)
        let end = try decoder.required(decoder.timestamptz(2), 2)
        result[type, default: []].append(RowInterval(start: start, end: max(start, end)))
      }
    }
    try decoder.finish()
    return result
  }
}
