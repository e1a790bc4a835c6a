import HealthModel
import Loading
import PostgresClient
package import Staging

extension ComparedSide {
  /// The rows of a chunk folder, in temporary tables of the transaction that is open on `connection`: then one server
  /// computes the digests of both sides. They are gone when it ends.
  package static func temporary(_ folder: ChunkFolder, _ snapshot: Snapshot) throws -> ComparedSide {
    let connection = snapshot.connection
    var relations: [ChunkTable: Relation] = [:]
    let isArchive = folder.manifest.archive != nil
    let tables: [ChunkTable] =
      isArchive
      ? ChunkTable.archived.filter { $0 != .problems } : [.metrics, .dailySummaries, .routePoints, .ecgRecordings]
    for table in tables {
      let name = "hk2pg_verify_\(table.rawValue.split(separator: ".").last ?? "")"
      let columns = table.archiveColumns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
      try connection.execute("CREATE TEMPORARY TABLE \(name) (\(columns)) ON COMMIT DROP")
      for chunk in folder.chunks(of: table) {
        let sql = "COPY pg_temp.\(name) (\(chunk.columns.joined(separator: ", "))) FROM STDIN (FORMAT binary)"
        try connection.copyIn(sql) { writer in
          var reader = try folder.reader(of: chunk)
          var piece: [UInt8] = []
          while try reader.read(into: &piece) > 0 { try writer.send(piece.span) }
        }
      }
      if table == .metrics {
        try connection.execute("CREATE INDEX ON pg_temp.\(name) (metric_type, started_at)")
      }
      try connection.execute("ANALYZE pg_temp.\(name)")
      relations[table] = Relation(from: "pg_temp.\(name) t", condition: "true")
    }
    if isArchive && !(folder.manifest.archive?.hasOwnSchema ?? false) {
      relations = relations.filter { $0.key == .metrics || $0.key == .dailySummaries }
    }
    return ComparedSide(connection: connection, relations: relations, user: folder.manifest.user)
  }
}

extension VerifyRules {
  /// Rules for what imports into this database leave of an export. `user`: whose the rows are there.
  package static func export(_ manifest: Manifest, user: String, _ snapshot: Snapshot) throws -> VerifyRules {
    var rules = VerifyRules(.export)
    guard snapshot.hasOwnSchema else { return rules }
    rules.pruned = try PrunedDays.read(userID: user, snapshot.connection)
    let result = try snapshot.connection.query(
      """
      SELECT coalesce($2::timestamptz < u.newest_export_date, false) AS is_older,
        extract(epoch FROM (((i.export_date AT TIME ZONE u.server_zone)::date
          - (i.options->>'rawWindowDays')::int)::timestamp AT TIME ZONE u.server_zone))::bigint AS window_start
      FROM hk2pg.user_settings u LEFT JOIN hk2pg.imports i ON i.import_id = u.newest_import_id WHERE u.user_id = $1
      """, [user, manifest.export.exportDate ?? manifest.export.newestCreation])
    guard !result.isEmpty else { return rules }
    rules.isOlder = try result[0].bool("is_older")
    rules.windowStart = try result[0].optionalInt("window_start").map { Instant(seconds: Int64($0)) }
    return rules
  }

  /// Rules for a migration.
  package static func migration(
    from source: ComparedSide, to target: ComparedSide, _ snapshot: Snapshot
  ) throws -> VerifyRules {
    var rules = VerifyRules(.contained)
    guard snapshot.hasOwnSchema else { return rules }
    rules.pruned = try PrunedDays.read(userID: target.user, snapshot.connection)
    rules.hasNewerSummaries = try !ArchiveMerge(
      user: target.user, newestExportDate: source.newestExportDate(), connection: snapshot.connection
    ).isNewest()
    return rules
  }
}
