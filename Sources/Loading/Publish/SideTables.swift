import Foundation
import HealthModel
import PostgresClient
import Staging

/// Publishes what belongs to `hk2pg` itself: sources, profile, units, problems, routes, ECG curves, settings. All of it
/// inside the publishing transaction.
struct SideTables {
  let manifest: Manifest
  let run: ImportRun
  let relation: ExportRelation
  let calendar: SummaryCalendar
  let serverZone: String?
  let connection: PostgresConnection

  func publish() throws {
    try SideTables.mergeSources(from: run.tables.sources, isNewest: !relation.isOlder, connection)
    if let profiles = run.tables.target(of: .profiles) {
      try SideTables.mergeProfiles(from: profiles, isNewest: !relation.isOlder, connection)
    }
    try publishUnits()
    try publishProblems()
    try publishSeries()
    try publishSettings()
  }

  /// Lists grow, spans widen; class and count are those of the newest export.
  static func mergeSources(from table: String, isNewest: Bool, _ connection: PostgresConnection) throws {
    let newest = isNewest ? "excluded" : "t"
    let lists = sourceLists.map { "\($0) = \(union($0))" }.joined(separator: ", ")
    let columns = ChunkTable.sources.columns.joined(separator: ", ")
    try connection.execute(
      """
      INSERT INTO hk2pg.sources AS t (\(columns)) SELECT \(columns) FROM \(table)
      ON CONFLICT (user_id, name) DO UPDATE SET class = \(newest).class, \(lists),
        first_sample_at = least(t.first_sample_at, excluded.first_sample_at),
        last_sample_at = greatest(t.last_sample_at, excluded.last_sample_at),
        sample_count = \(newest).sample_count
      WHERE \(sourceDiffers(isNewest: isNewest))
      """)
  }

  private static let sourceLists = ["device_names", "models", "hardware", "versions"]

  private static func union(_ column: String) -> String {
    "ARRAY(SELECT DISTINCT x FROM unnest(t.\(column) || excluded.\(column)) x ORDER BY 1)"
  }

  /// Whether a source (`excluded`) says something that the row of it (`t`) does not.
  static func sourceDiffers(isNewest: Bool) -> String {
    let newest = isNewest ? "excluded" : "t"
    let lists = sourceLists.map { "t.\($0)" }.joined(separator: ", ")
    return """
      ROW(t.class, t.sample_count, t.first_sample_at, t.last_sample_at, \(lists))
        IS DISTINCT FROM ROW(\(newest).class, \(newest).sample_count, least(t.first_sample_at, excluded.first_sample_at),
          greatest(t.last_sample_at, excluded.last_sample_at), \(sourceLists.map(union).joined(separator: ", ")))
      """
  }

  static func mergeProfiles(from table: String, isNewest: Bool, _ connection: PostgresConnection) throws {
    let update =
      isNewest ? "UPDATE SET value = excluded.value WHERE t.value IS DISTINCT FROM excluded.value" : "NOTHING"
    try connection.execute(
      """
      INSERT INTO hk2pg.profiles AS t (user_id, characteristic, value)
      SELECT user_id, characteristic, value FROM \(table)
      ON CONFLICT (user_id, characteristic) DO \(update)
      """)
  }

  private func publishUnits() throws {
    if relation.isOlder { return }
    try connection.query("DELETE FROM hk2pg.type_units WHERE user_id = $1", [manifest.user])
    let rows = manifest.types.flatMap { type in
      type.exportedUnits.map { [type.metricType, $0.key, String($0.value)] }
    }
    try connection.query(
      """
      INSERT INTO hk2pg.type_units (user_id, metric_type, exported_unit, sample_count)
      SELECT $1, r->>0, r->>1, (r->>2)::bigint FROM jsonb_array_elements($2::jsonb) r
      """, [manifest.user, try SideTables.json(rows)])
  }

  private func publishProblems() throws {
    let rows = manifest.problems.map {
      [$0.kind.rawValue, $0.kind.severity.rawValue, String($0.count), String($0.firstOffset)]
    }
    try connection.query(
      """
      INSERT INTO hk2pg.problems (import_id, kind, severity, problem_count, first_offset)
      SELECT $1::bigint, r->>0, r->>1, (r->>2)::bigint, (r->>3)::bigint FROM jsonb_array_elements($2::jsonb) r
      ON CONFLICT DO NOTHING
      """, [String(run.importID), try SideTables.json(rows)])
  }

  /// Points are stored once per content of their file; a recording is its row. What is there is rewritten where it
  /// differs, points only when the rules have changed: they cannot differ otherwise.
  private func publishSeries() throws {
    try publishSeries(.routePoints, key: ["user_id", "file_digest", "ordinal"], isRewritten: relation.isMappingNew)
    try publishSeries(.ecgRecordings, key: ["user_id", "metric_id"], isRewritten: !relation.isOlder)
    guard let shape = try TableShape.read(.metrics, connection) else { return }
    try OrphanedSeries(shape: shape, userID: manifest.user, connection: connection).remove()
  }

  private func publishSeries(_ table: ChunkTable, key: [String], isRewritten: Bool) throws {
    guard let source = run.tables.target(of: table) else { return }
    let columns = table.columns.joined(separator: ", ")
    if !isRewritten {
      let isSame = key.map { "t.\($0) = s.\($0)" }.joined(separator: " AND ")
      try connection.execute(
        """
        INSERT INTO \(table.rawValue) (\(columns)) SELECT \(columns) FROM \(source) s
        WHERE NOT EXISTS (SELECT FROM \(table.rawValue) t WHERE \(isSame)) ON CONFLICT DO NOTHING
        """)
      return
    }
    let contents = table.columns.filter { !key.contains($0) }
    func row(_ alias: String) -> String { "ROW(\(contents.map { "\(alias).\($0)" }.joined(separator: ", ")))" }
    try connection.execute(
      """
      INSERT INTO \(table.rawValue) AS t (\(columns)) SELECT \(columns) FROM \(source)
      ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE
        SET \(contents.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        WHERE \(row("t")) IS DISTINCT FROM \(row("excluded"))
      """)
  }

  private func publishSettings() throws {
    let priority = try SideTables.json(manifest.options.sourcePriority)
    let isNewest = relation.isOlder ? "false" : "true"
    let values = [
      manifest.user, manifest.zone, serverZone, priority,
      manifest.export.exportDate ?? manifest.export.newestCreation, String(run.importID),
      String(manifest.mappingVersion), try calendar.encoded(),
    ]
    // Not one INSERT … ON CONFLICT: its trigger would look the zone up among all names each time.
    let updated = try connection.query(
      """
      UPDATE hk2pg.user_settings SET zone = $2, server_zone = $3, source_priority = $4::jsonb, summarized_zone = $2,
        summarized_priority = $4::jsonb, summarized_days = $8::jsonb,
        newest_export_date = greatest(newest_export_date, $5::timestamptz),
        newest_import_id = CASE WHEN \(isNewest) THEN $6::bigint ELSE newest_import_id END,
        mapping_version = CASE WHEN \(isNewest) THEN $7::integer ELSE mapping_version END
      WHERE user_id = $1
      """, values
    ).affectedRows
    if updated > 0 { return }
    try connection.query(
      """
      INSERT INTO hk2pg.user_settings (user_id, zone, server_zone, source_priority, newest_export_date,
        newest_import_id, mapping_version, summarized_zone, summarized_priority, summarized_days)
      VALUES ($1, $2, $3, $4::jsonb, $5::timestamptz, $6::bigint, $7::integer, $2, $4::jsonb, $8::jsonb)
      """, values)
  }

  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
