import Foundation
package import PostgresClient

/// What `hk2pg.imports` says about a finished import of an export.
package struct FinishedImport: Sendable, Equatable {
  package var importID: Int
  package var digest: String
  /// ISO 8601.
  package var finishedAt: String
  package var zone: String
  /// As in the manifest: what changes the rows of one and the same export.
  package var options: String
  package var mappingVersion: Int
  package var outcome: LoadOutcome
  /// Something was left out by `--salvage`.
  package var isSalvaged: Bool
}

/// Reads the ledger. Every call works without a schema `hk2pg`: then there is nothing to tell.
package struct Ledger {
  let connection: PostgresConnection

  package init(_ connection: PostgresConnection) { self.connection = connection }

  package var isPresent: Bool {
    get throws { try connection.query("SELECT to_regclass('hk2pg.imports') IS NOT NULL")[0].bool(0) }
  }

  /// Finished imports of files of this size: cheap, so that only then the file has to be hashed.
  ///
  /// Newest first. An import whose rows are not there any more (a restored or emptied table) does not count.
  package func finishedImports(user: String, byteCount: Int64) throws -> [FinishedImport] {
    guard try isPresent else { return [] }
    let result = try connection.query(
      """
      SELECT import_id, export_digest, to_char(finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS finished,
        zone, options::text AS options, mapping_version, outcome::text AS outcome, is_salvaged
      FROM hk2pg.imports WHERE user_id = $1 AND export_byte_count = $2::bigint AND state = 'finished'
      ORDER BY import_id DESC
      """, [user, String(byteCount)])
    let imports = try result.rows.map { row in
      FinishedImport(
        importID: try row.int("import_id"), digest: try row.text("export_digest"), finishedAt: try row.text("finished"),
        zone: try row.text("zone"), options: try row.text("options"),
        mappingVersion: try row.int("mapping_version"), outcome: try LoadOutcome(json: row.text("outcome")),
        isSalvaged: try row.bool("is_salvaged"))
    }
    return try imports.isEmpty || holdsRows(of: user, from: imports) ? imports : []
  }

  /// The newest finished import of exactly this file.
  package func finishedImport(user: String, digest: String, byteCount: Int64) throws -> FinishedImport? {
    try finishedImports(user: user, byteCount: byteCount).first { $0.digest == digest }
  }

  /// Both tables are there, with rows of the user where the imports had some; raw rows may all be pruned.
  private func holdsRows(of user: String, from imports: [FinishedImport]) throws -> Bool {
    for table in PublishedTable.allCases {
      guard let shape = try TableShape.read(table, connection) else { return false }
      let hadRows = imports.contains { former in
        let summaries = former.outcome.summaries
        return table == .metrics ? former.outcome.staged > 0 : summaries.written + summaries.unchanged > 0
      }
      guard hadRows else { continue }
      let sql = "SELECT EXISTS (SELECT FROM \(shape.qualifiedName) WHERE user_id::text = $1 LIMIT 1)"
      let exact = "SELECT EXISTS (SELECT FROM \(shape.qualifiedName) WHERE user_id = \(shape.user(user)) LIMIT 1)"
      let isThere =
        shape.hasUUIDUser && UUID(uuidString: user) == nil
        ? try connection.query(sql, [user])[0].bool(0) : try connection.query(exact)[0].bool(0)
      if isThere { continue }
      let pruned = "SELECT EXISTS (SELECT FROM hk2pg.pruned_days WHERE user_id = $1)"
      guard try table == .metrics && connection.query(pruned, [user])[0].bool(0) else { return false }
    }
    return true
  }

  /// Users that the published tables hold, at most `limit`, in order (DESIGN §6: "another single user").
  package func usersInTables(limit: Int) throws -> [String] {
    var users: Set<String> = []
    for table in PublishedTable.allCases {
      guard let shape = try TableShape.read(table, connection) else { continue }
      // One index look-up a user, however many rows there are.
      let result = try connection.query(
        """
        WITH RECURSIVE users(user_id) AS (
          (SELECT user_id FROM \(shape.qualifiedName) ORDER BY user_id LIMIT 1)
          UNION ALL
          SELECT (SELECT t.user_id FROM \(shape.qualifiedName) t WHERE t.user_id > u.user_id ORDER BY 1 LIMIT 1)
          FROM users u WHERE u.user_id IS NOT NULL)
        SELECT user_id::text FROM users WHERE user_id IS NOT NULL LIMIT \(limit)
        """)
      for row in result.rows { users.insert(try row.text(0)) }
    }
    return Array(users.sorted().prefix(limit))
  }

  /// Zone and source ranks that earlier imports or the user have set. Throws `LoadError.malformedRanks`.
  package func settings(of user: String) throws -> UserSettings? {
    guard try connection.query("SELECT to_regclass('hk2pg.user_settings') IS NOT NULL")[0].bool(0) else { return nil }
    return try UserSettings.read(user, connection)
  }

  /// Keeps the whole report of a run (`--report`) with its import.
  package func record(report: String, importID: Int) throws {
    try connection.query(
      "UPDATE hk2pg.imports SET report = $2::jsonb WHERE import_id = $1::bigint", [String(importID), report])
  }
}
