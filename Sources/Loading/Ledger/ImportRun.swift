import Foundation
import PostgresClient
import Staging

/// One run in the ledger: begun or resumed, then finished.
struct ImportRun: Sendable {
  enum Strategy: String, Sendable {
    /// The table is absent: load beside, build keys, rename.
    case newTable = "new_table"
    /// Compare with the rows that are there.
    case delta
    /// The same two for rows of another database.
    case copyNewTable = "copy_new_table"
    case copy
  }

  let importID: Int
  let strategy: Strategy
  /// Chunk files that a former attempt has committed, with the rows copied.
  let loadedChunks: [String: Int]
  let isResumed: Bool
  var tables: WorkingTables { WorkingTables(importID: importID) }

  /// Digest of everything that decides what a load does: the chunks, whose they are, and the options.
  static func loadDigest(_ folder: ChunkFolder) throws -> String {
    let manifest = folder.manifest
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    var lines = [manifest.user, manifest.zone, String(manifest.mappingVersion), manifest.export.digest]
    lines.append(manifest.export.exportDate ?? manifest.export.newestCreation ?? "")
    lines.append(String(decoding: try encoder.encode(manifest.options), as: UTF8.self))
    lines += manifest.chunks.map { "\($0.file) \($0.digest)" }
    var digest = ContentDigest()
    digest.update(Array(lines.joined(separator: "\n").utf8).span)
    return digest.text()
  }

  /// Goes on with a broken load of the same chunks, or begins a new one. Other broken loads of the user are abandoned
  /// and their tables dropped. To be called in a transaction of the user alone.
  static func begin(
    _ folder: ChunkFolder, _ strategy: Strategy, mayResume: Bool, _ connection: PostgresConnection
  ) throws -> ImportRun {
    let digest = try loadDigest(folder)
    let user = folder.manifest.user
    let broken = try connection.query(
      """
      SELECT import_id, strategy, load_digest FROM hk2pg.imports WHERE user_id = $1 AND state = 'loading'
      ORDER BY import_id DESC
      """, [user])
    var resumed: ImportRun?
    for row in broken.rows {
      let importID = try row.int("import_id")
      let isSame =
        try row.text("load_digest") == digest && row.optionalText("strategy") == strategy.rawValue && mayResume
      if resumed == nil, isSame, let run = try resume(importID, strategy, connection) {
        resumed = run
      } else {
        try abandon(importID, connection)
      }
    }
    return try resumed ?? insert(folder, strategy, digest, connection)
  }

  /// nil: its table is gone, or was emptied by a crash of the server (it is not logged).
  private static func resume(
    _ importID: Int, _ strategy: Strategy, _ connection: PostgresConnection
  ) throws -> ImportRun? {
    let tables = WorkingTables(importID: importID)
    guard try connection.query("SELECT to_regclass($1) IS NOT NULL", [tables.incoming])[0].bool(0) else { return nil }
    let result = try connection.query(
      "SELECT file, row_count FROM hk2pg.import_chunks WHERE import_id = $1::bigint", [String(importID)])
    var chunks: [String: Int] = [:]
    for row in result.rows { chunks[try row.text("file")] = try row.int("row_count") }
    let metricsRows = chunks.filter { $0.key.hasPrefix(ChunkTable.metrics.rawValue) }.values.reduce(0, +)
    if metricsRows > 0 {
      let isThere = try connection.query("SELECT EXISTS (SELECT FROM \(tables.incoming))")[0].bool(0)
      if !isThere { return nil }
    }
    return ImportRun(importID: importID, strategy: strategy, loadedChunks: chunks, isResumed: true)
  }

  private static func insert(
    _ folder: ChunkFolder, _ strategy: Strategy, _ digest: String, _ connection: PostgresConnection
  ) throws -> ImportRun {
    let manifest = folder.manifest
    let export = manifest.export
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let options = String(decoding: try encoder.encode(manifest.options), as: UTF8.self)
    let result = try connection.query(
      """
      INSERT INTO hk2pg.imports (user_id, state, strategy, load_digest, export_name, export_byte_count, export_digest,
        export_date, is_salvaged, mapping_version, hk2pg_version, zone, options)
      VALUES ($1, 'loading', $2, $3, $4, $5::bigint, $6, $7::timestamptz, $8::boolean, $9::integer, $10, $11, $12::jsonb)
      RETURNING import_id
      """,
      [
        manifest.user, strategy.rawValue, digest, export.name, String(export.byteCount), export.digest,
        export.exportDate ?? export.newestCreation, export.isSalvaged ? "true" : "false",
        String(manifest.mappingVersion), manifest.hk2pgVersion, manifest.zone, options,
      ])
    return ImportRun(importID: try result[0].int(0), strategy: strategy, loadedChunks: [:], isResumed: false)
  }

  static func abandon(_ importID: Int, _ connection: PostgresConnection) throws {
    try WorkingTables.drop(importID, connection)
    try connection.query("DELETE FROM hk2pg.import_chunks WHERE import_id = $1::bigint", [String(importID)])
    try connection.query(
      "UPDATE hk2pg.imports SET state = 'abandoned' WHERE import_id = $1::bigint AND state = 'loading'",
      [String(importID)])
  }

  /// The last act of publishing, in its transaction.
  func finish(_ outcome: LoadOutcome, _ connection: PostgresConnection) throws {
    try WorkingTables.drop(importID, connection)
    try connection.query("DELETE FROM hk2pg.import_chunks WHERE import_id = $1::bigint", [String(importID)])
    try connection.query(
      """
      UPDATE hk2pg.imports SET state = 'finished', finished_at = clock_timestamp(), outcome = $2::jsonb
      WHERE import_id = $1::bigint
      """, [String(importID), outcome.json])
  }
}
