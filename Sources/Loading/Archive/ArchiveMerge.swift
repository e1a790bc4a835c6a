package import PostgresClient
package import Staging

/// Whether what another database knows of a user would change anything here. In these tables the facts of both become one
/// row, so a digest that differs says nothing.
package struct ArchiveMerge {
  let user: String
  /// Of the other database; nil: it knows of no export.
  let newestExportDate: String?
  let connection: PostgresConnection

  package init(user: String, newestExportDate: String?, connection: PostgresConnection) {
    self.user = user
    self.newestExportDate = newestExportDate
    self.connection = connection
  }

  /// No newer export was imported here than the other database knows of.
  package func isNewest() throws -> Bool {
    try connection.query(
      """
      SELECT NOT EXISTS (SELECT FROM hk2pg.user_settings
        WHERE user_id = $1 AND newest_export_date > coalesce($2::timestamptz, '-infinity'))
      """, [user, newestExportDate])[0].bool(0)
  }

  /// - Parameter facts: the other database's rows, a JSON array of objects with the table's columns.
  package func wouldChange(_ table: ChunkTable, _ facts: String) throws -> Bool {
    guard let (key, differs) = try rule(table) else { return true }
    let columns = table.archiveColumns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
    let isSame = key.map { "t.\($0) = excluded.\($0)" }.joined(separator: " AND ")
    return try connection.query(
      """
      SELECT EXISTS (
        SELECT FROM jsonb_to_recordset($2::jsonb) AS excluded(\(columns))
        LEFT JOIN \(table.rawValue) t ON \((["t.user_id = $1"] + (isSame.isEmpty ? [] : [isSame])).joined(separator: " AND "))
        WHERE \(differs))
      """, [user, facts])[0].bool(0)
  }

  /// Columns of the key beside the user, and when a row (`excluded`) changes the one that is here (`t`), as
  /// `ArchiveSideTables` merges them; nil: not such a table.
  private func rule(_ table: ChunkTable) throws -> (key: [String], differs: String)? {
    func absentOr(_ differs: String) throws -> String { "t.user_id IS NULL OR (\(try isNewest()) AND \(differs))" }
    switch table {
    case .sources: return (["name"], "t.user_id IS NULL OR \(SideTables.sourceDiffers(isNewest: try isNewest()))")
    case .profiles: return (["characteristic"], try absentOr("t.value IS DISTINCT FROM excluded.value"))
    case .typeUnits:
      return (["metric_type", "exported_unit"], try absentOr("t.sample_count <> excluded.sample_count"))
    case .userSettings: return ([], try absentOr(ArchiveMerge.settingsDiffer))
    case .prunedDays:
      guard let metrics = try TableShape.read(.metrics, connection) else { return nil }
      let rows = ArchiveSideTables.rowsOfPrunedDay("excluded", metrics, user: user)
      return (["metric_type", "day"], "t.user_id IS NULL AND NOT EXISTS (\(rows))")
    default: return nil
    }
  }

  /// The number of the newest import is each database's own.
  private static let settingsDiffer = """
    ROW(t.zone, t.source_priority, t.summarized_zone, t.summarized_priority, t.summarized_days, t.newest_export_date,
      t.mapping_version)
      IS DISTINCT FROM ROW(excluded.zone, excluded.source_priority, coalesce(excluded.summarized_zone, excluded.zone),
        coalesce(excluded.summarized_priority, excluded.source_priority), excluded.summarized_days,
        excluded.newest_export_date, excluded.mapping_version)
    """
}
