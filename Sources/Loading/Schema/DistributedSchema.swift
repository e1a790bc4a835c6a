import PostgresClient

extension Schema {
  /// The tables for databases that are spread by user: every key of the two published tables contains `user_id`, as
  /// Citus and native partitions demand. hk2pg serves them as tables of somebody else, and alters nothing of them.
  /// - Parameter partitions: native hash partitions of each; 0: none.
  package static func distributedScript(partitions: Int) -> String {
    var statements = ownStatements()
    for table in PublishedTable.allCases { statements += distributed(table, partitions: partitions) }
    let citus = PublishedTable.allCases.map {
      "-- SELECT create_distributed_table('\($0.rawValue)', 'user_id');"
    }
    let note =
      partitions > 0
      ? "" : "\n-- On Citus, before the first row:\n\(citus.joined(separator: "\n"))\n"
    return statements.joined(separator: ";\n\n") + ";\n" + note
  }

  private static func distributed(_ table: PublishedTable, partitions: Int) -> [String] {
    let name = table.rawValue
    let spread = partitions > 0 ? " PARTITION BY HASH (user_id)" : ""
    var statements = [
      table.createStatement(name).replacing("CREATE TABLE", with: "CREATE TABLE IF NOT EXISTS") + spread
    ]
    for index in 0..<max(0, partitions) {
      statements.append(
        """
        CREATE TABLE IF NOT EXISTS \(name)_\(index) PARTITION OF \(name)
          FOR VALUES WITH (MODULUS \(partitions), REMAINDER \(index))
        """)
    }
    for index in table.indexes {
      let definition = index.role == .primaryKey ? "(user_id, id)" : index.definition
      switch index.role {
      case .plain:
        statements.append("CREATE INDEX IF NOT EXISTS \(SQLText.identifier(index.name)) ON \(name) \(definition)")
      case .primaryKey, .unique:
        // A constraint has no IF NOT EXISTS.
        let kind = index.role == .primaryKey ? "PRIMARY KEY" : "UNIQUE"
        statements.append(
          """
          DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = '\(name)'::regclass
              AND conname = \(SQLText.literal(index.name))) THEN
            ALTER TABLE \(name) ADD CONSTRAINT \(SQLText.identifier(index.name)) \(kind) \(definition);
          END IF; END $$
          """)
      }
    }
    return statements + [RowSecurity.publish(name)]
  }
}
