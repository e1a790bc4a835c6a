import PostgresClient

extension ServerFacts {
  /// Checks that the role may do what an import needs, before anything is read or staged. `user` nil: for the schema
  /// alone.
  ///
  /// Whatever is missing is reported at once, with the statements that the owner of the database has to run.
  func checkRights(_ connection: PostgresConnection, user: String?) throws {
    var missing: [String] = []
    var statements: [String] = []
    let grantee = SQLText.identifier(role)
    if let rights = ownSchemaRights {
      if !rights.usage || !rights.create {
        missing.append("schema hk2pg")
        statements.append("GRANT USAGE, CREATE ON SCHEMA hk2pg TO \(grantee)")
      }
      let closed = try closedOwnTables(connection)
      missing += closed
      statements += closed.map { "GRANT SELECT, INSERT, UPDATE, DELETE ON \($0) TO \(grantee)" }
    } else if !mayCreateSchema {
      missing.append("schema hk2pg")
      statements.append("CREATE SCHEMA hk2pg")
      statements.append("GRANT USAGE, CREATE ON SCHEMA hk2pg TO \(grantee)")
    }
    for table in PublishedTable.allCases {
      let rights = try self.rights(table, connection)
      if rights == nil, !mayCreateInPublishedSchema, !missing.contains("schema \(publishedSchema)") {
        missing.append("schema \(publishedSchema)")
        statements.append("GRANT USAGE, CREATE ON SCHEMA \(SQLText.identifier(publishedSchema)) TO \(grantee)")
      }
      if let rights, !rights.isSufficient, user != nil {
        missing.append(rights.name)
        statements.append("GRANT SELECT, INSERT, UPDATE, DELETE ON \(rights.name) TO \(grantee)")
      }
    }
    guard !missing.isEmpty else { return }
    let sql = statements.map { $0 + ";" }.joined(separator: "\n")
    throw LoadError.missingRights(what: missing.joined(separator: ", "), sql: sql)
  }

  private func rights(
    _ table: PublishedTable, _ connection: PostgresConnection
  ) throws -> (name: String, isSufficient: Bool)? {
    let result = try connection.query(
      """
      SELECT c.oid::regclass::text AS name, has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
        AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE') AS is_sufficient
      FROM pg_class c WHERE c.oid = to_regclass($1)
      """, [table.rawValue])
    return result.isEmpty ? nil : (try result[0].text("name"), try result[0].bool("is_sufficient"))
  }

  /// Tables of the schema `hk2pg` that the role may not write.
  private func closedOwnTables(_ connection: PostgresConnection) throws -> [String] {
    let names = OwnSchema.tables.map { SQLText.literal($0.name) }.joined(separator: ", ")
    let result = try connection.query(
      """
      SELECT 'hk2pg.' || c.relname AS name FROM pg_class c
      WHERE c.relnamespace = 'hk2pg'::regnamespace AND c.relname IN (\(names))
        AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
          AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
      ORDER BY 1
      """)
    return try result.rows.map { try $0.text("name") }
  }
}
