import PostgresClient

extension TableFacts {
  /// nil: no relation of that name on the search path.
  static func read(_ table: PublishedTable, _ connection: PostgresConnection) throws -> TableFacts? {
    let result = try connection.query(
      """
      SELECT c.oid::text AS oid, n.nspname AS schema, c.relkind::text AS kind, row_security_active(c.oid) AS is_secured,
        p.partstrat::text AS strategy,
        (SELECT string_agg(CASE WHEN k.number = 0 THEN '(expression)' ELSE a.attname END, ',' ORDER BY k.position)
          FROM unnest(p.partattrs) WITH ORDINALITY AS k(number, position)
          LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number) AS partition_columns
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_partitioned_table p ON p.partrelid = c.oid
      WHERE c.relname = $1 AND n.nspname = ANY (current_schemas(false)) AND n.nspname <> 'hk2pg'
      ORDER BY array_position(current_schemas(false), n.nspname) LIMIT 1
      """, [table.rawValue])
    guard !result.isEmpty else { return nil }
    let row = result[0]
    let (oid, schema) = (try row.text("oid"), try row.text("schema"))
    let name = SQLText.identifier(schema, table.rawValue)
    let hasLedger = try mayReadLedger(connection)
    return TableFacts(
      table: table, schema: schema, qualifiedName: name, kind: try row.text("kind"),
      isOwned: try hasLedger && Schema.isOwned(table.rawValue, in: schema, connection),
      isUnderRowSecurity: try row.bool("is_secured"), partitionStrategy: try row.optionalText("strategy"),
      partitionColumns: try row.optionalText("partition_columns")?.split(separator: ",").map(String.init) ?? [],
      columns: try columns(oid, connection), keys: try keys(oid, connection))
  }

  /// A role that only reads data may do without the schema `hk2pg`.
  private static func mayReadLedger(_ connection: PostgresConnection) throws -> Bool {
    try connection.query(
      """
      SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relname = 'owned_tables' AND n.nspname = 'hk2pg'
          AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT'))
      """)[0].bool(0)
  }

  private static func columns(_ oid: String, _ connection: PostgresConnection) throws -> [String: Column] {
    let result = try connection.query(
      """
      SELECT attname, format_type(atttypid, NULL) AS type, attnotnull, atthasdef OR attidentity <> '' AS has_default
      FROM pg_attribute WHERE attrelid = $1::oid AND attnum > 0 AND NOT attisdropped
      """, [oid])
    var columns: [String: Column] = [:]
    for row in result.rows {
      columns[try row.text("attname")] = Column(
        type: try row.text("type"), isNotNull: try row.bool("attnotnull"), hasDefault: try row.bool("has_default"))
    }
    return columns
  }

  /// Valid unique indexes over plain columns; partial and expression indexes and exclusion constraints are keys that
  /// cannot be served, so they come with the columns that make them stand out.
  private static func keys(_ oid: String, _ connection: PostgresConnection) throws -> [Key] {
    let result = try connection.query(
      """
      SELECT c.relname, i.indisprimary AND i.indisvalid AS is_primary,
        (SELECT string_agg(CASE WHEN k.number = 0 THEN '(expression)' ELSE a.attname END, ',')
          FROM unnest(i.indkey) WITH ORDINALITY AS k(number, position)
          LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
          WHERE k.position <= i.indnkeyatts)
          || CASE WHEN i.indpred IS NULL THEN '' ELSE ',(condition)' END
          || CASE WHEN i.indisexclusion THEN ',(exclusion)' ELSE '' END
          || CASE WHEN i.indimmediate THEN '' ELSE ',(deferrable)' END AS columns
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indrelid = $1::oid AND (i.indisunique OR i.indisexclusion) AND i.indislive
        AND (i.indisvalid OR i.indisready)
      ORDER BY NOT i.indisprimary, c.relname
      """, [oid])
    return try result.rows.map { row in
      Key(
        name: try row.text("relname"), isPrimary: try row.bool("is_primary"),
        columns: Set(try row.text("columns").split(separator: ",").map(String.init)))
    }
  }
}
