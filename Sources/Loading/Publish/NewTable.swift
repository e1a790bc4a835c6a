import PostgresClient

/// Makes the incoming table the published one: renames, no copying.
struct NewTable {
  let run: ImportRun
  let context: LoadContext

  /// False when the published table has come into being meanwhile (another user's import); then the incoming rows have
  /// to be compared with it. In the publishing transaction, with the schema lock held.
  func publish() throws -> Bool {
    let connection = context.connection
    let table = PublishedTable.metrics
    let isTaken = try TableShape.read(table, connection) != nil
    if try isTaken && !EmptyTable.drop(connection) { return false }
    let incoming = run.tables.incoming
    let schema = SQLText.identifier(context.server.publishedSchema)
    let published = SQLText.identifier(context.server.publishedSchema, table.rawValue)
    try connection.execute("ALTER TABLE \(incoming) DISABLE ROW LEVEL SECURITY")
    for (ordinal, index) in table.indexes.enumerated() {
      let name = try Schema.freeName(index.name, in: context.server.publishedSchema, connection)
      let built = run.tables.indexName(ordinal)
      let rename = "ALTER INDEX \(SQLText.identifier("hk2pg", built)) RENAME TO \(SQLText.identifier(name))"
      try connection.execute(table.constraintStatement(index, on: incoming, from: built, named: name) ?? rename)
    }
    try connection.execute("ALTER TABLE \(incoming) RENAME TO \(table.rawValue)")
    try connection.execute("ALTER TABLE hk2pg.\(table.rawValue) SET SCHEMA \(schema)")
    for statement in Schema.publishingStatements(table, published) + [Schema.ownershipStatement(published)] {
      try connection.execute(statement)
    }
    try grantDefaults(published)
    // There was no table, or nothing in it: what was pruned from it is there again.
    try connection.query("DELETE FROM hk2pg.pruned_days WHERE user_id = $1", [context.userID])
    return true
  }

  /// What ALTER DEFAULT PRIVILEGES would have granted, had the table been created in its schema.
  private func grantDefaults(_ published: String) throws {
    let result = try context.connection.query(
      """
      SELECT 'GRANT ' || a.privilege_type || ' ON ' || $2 || ' TO '
        || CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
        || CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END AS statement
      FROM pg_default_acl d JOIN pg_namespace n ON n.oid = d.defaclnamespace, aclexplode(d.defaclacl) a
      WHERE d.defaclobjtype = 'r' AND n.nspname = $1
        AND d.defaclrole = (SELECT oid FROM pg_roles WHERE rolname = current_user)
        AND a.grantee <> d.defaclrole
        AND a.grantee NOT IN (SELECT oid FROM pg_roles WHERE rolname = 'anon')
      """, [context.server.publishedSchema, published])
    for row in result.rows { try context.connection.execute(try row.text("statement")) }
  }
}
