import PostgresClient
import Staging

/// What an archive knows beside the published tables, into the schema `hk2pg`: additions, and newer facts over older
/// ones.
struct ArchiveSideTables {
  let manifest: Manifest
  let tables: WorkingTables
  let metrics: TableShape
  let connection: PostgresConnection

  private func incoming(_ table: ChunkTable) -> String { tables.target(of: table) ?? "" }

  /// No newer export was imported here than the archive knows of.
  func isNewest() throws -> Bool {
    let date = try connection.query("SELECT max(newest_export_date)::text FROM \(incoming(.userSettings))")[0]
      .optionalText(0)
    return try ArchiveMerge(user: manifest.user, newestExportDate: date, connection: connection).isNewest()
  }

  func publish(isNewest: Bool) throws -> [String: Int] {
    try SideTables.mergeSources(from: tables.sources, isNewest: isNewest, connection)
    try SideTables.mergeProfiles(from: incoming(.profiles), isNewest: isNewest, connection)
    var added: [String: Int] = [:]
    added[ChunkTable.typeUnits.rawValue] = try addUnits(isNewest: isNewest)
    added[ChunkTable.imports.rawValue] = try addImports()
    added[ChunkTable.problems.rawValue] = try addProblems()
    added[ChunkTable.prunedDays.rawValue] = try addPrunedDays()
    for table in [ChunkTable.routePoints, .ecgRecordings] {
      let columns = table.columns.joined(separator: ", ")
      added[table.rawValue] = try connection.execute(
        """
        INSERT INTO \(table.rawValue) (\(columns)) SELECT \(columns) FROM \(incoming(table)) ON CONFLICT DO NOTHING
        """
      ).affectedRows
    }
    try mergeSettings(isNewest: isNewest)
    return added.filter { $0.value > 0 }
  }

  private func addUnits(isNewest: Bool) throws -> Int {
    let update = "UPDATE SET sample_count = excluded.sample_count WHERE t.sample_count <> excluded.sample_count"
    return try connection.execute(
      """
      INSERT INTO hk2pg.type_units AS t (user_id, metric_type, exported_unit, sample_count)
      SELECT user_id, metric_type, exported_unit, sample_count FROM \(incoming(.typeUnits))
      ON CONFLICT (user_id, metric_type, exported_unit) DO \(isNewest ? update : "NOTHING")
      """
    ).affectedRows
  }

  // MARK: Ledger

  /// An import is the same one wherever its row is: the numbers are each database's own.
  private static func isSameImport(_ a: String, _ b: String) -> String {
    """
    \(a).user_id = \(b).user_id AND \(a).export_digest = \(b).export_digest
      AND \(a).export_byte_count = \(b).export_byte_count AND \(a).finished_at = \(b).finished_at
    """
  }

  private func addImports() throws -> Int {
    let columns = ChunkTable.imports.columns.filter { $0 != "import_id" }.joined(separator: ", ")
    let count = try connection.execute(
      """
      INSERT INTO hk2pg.imports (state, \(columns))
      SELECT 'finished', \(columns) FROM \(incoming(.imports)) w
      WHERE NOT EXISTS (SELECT FROM hk2pg.imports i WHERE \(ArchiveSideTables.isSameImport("i", "w")))
      ORDER BY w.import_id
      """
    ).affectedRows
    try connection.query(
      """
      UPDATE hk2pg.imports SET outcome = jsonb_set(outcome, '{importID}', to_jsonb(import_id))
      WHERE user_id = $1 AND state = 'finished' AND (outcome->>'importID') <> import_id::text
      """, [manifest.user])
    return count
  }

  private func addProblems() throws -> Int {
    try connection.execute(
      """
      INSERT INTO hk2pg.problems (import_id, kind, severity, problem_count, first_offset)
      SELECT i.import_id, p.kind, p.severity, p.problem_count, p.first_offset
      FROM \(incoming(.problems)) p JOIN \(incoming(.imports)) w ON w.import_id = p.import_id
      JOIN hk2pg.imports i ON \(ArchiveSideTables.isSameImport("i", "w"))
      ON CONFLICT DO NOTHING
      """
    ).affectedRows
  }

  /// A day is not pruned where raw rows of hk2pg are.
  private func addPrunedDays() throws -> Int {
    let columns = ChunkTable.prunedDays.columns.joined(separator: ", ")
    return try connection.execute(
      """
      INSERT INTO hk2pg.pruned_days (\(columns)) SELECT \(columns) FROM \(incoming(.prunedDays)) w
      WHERE NOT EXISTS (\(ArchiveSideTables.rowsOfPrunedDay("w", metrics, user: manifest.user)))
      ON CONFLICT DO NOTHING
      """
    ).affectedRows
  }

  /// Rows of hk2pg on a day that elsewhere is pruned.
  static func rowsOfPrunedDay(_ day: String, _ metrics: TableShape, user: String) -> String {
    """
    SELECT FROM \(metrics.qualifiedName) m WHERE m.user_id = \(metrics.user(user))
      AND m.metric_type = \(day).metric_type AND m.started_at >= \(day).starts_at AND m.started_at < \(day).ends_at
      AND \(SQLFragments.isOurs("m"))
    """
  }

  /// The zone is that of the summaries, which follow the newest export.
  private func mergeSettings(isNewest: Bool) throws {
    let zone = try connection.query("SELECT zone FROM \(incoming(.userSettings))")
    guard !zone.isEmpty else { return }
    let serverZone = try zone[0].optionalText(0).flatMap { try ExportRelation.serverZone($0, connection) }
    let update = """
      UPDATE SET zone = excluded.zone, server_zone = excluded.server_zone, source_priority = excluded.source_priority,
        summarized_zone = excluded.summarized_zone, summarized_priority = excluded.summarized_priority,
        summarized_days = excluded.summarized_days,
        newest_export_date = excluded.newest_export_date, newest_import_id = excluded.newest_import_id,
        mapping_version = excluded.mapping_version
      """
    try connection.query(
      """
      INSERT INTO hk2pg.user_settings (user_id, zone, server_zone, source_priority, summarized_zone, summarized_priority,
        summarized_days, newest_export_date, newest_import_id, mapping_version)
      SELECT w.user_id, w.zone, $1, w.source_priority, w.summarized_zone, w.summarized_priority, w.summarized_days,
        w.newest_export_date,
        (SELECT i.import_id FROM \(incoming(.imports)) n JOIN hk2pg.imports i ON \(ArchiveSideTables.isSameImport("i", "n"))
          WHERE n.import_id = w.newest_import_id), w.mapping_version
      FROM \(incoming(.userSettings)) w ON CONFLICT (user_id) DO \(isNewest ? update : "NOTHING")
      """, [serverZone])
  }
}
