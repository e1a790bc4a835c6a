import PostgresClient

/// Builds again what somebody dropped from a table of ours (DESIGN §2.1); tables of others are left alone.
struct MissingIndexes {
  let context: LoadContext

  private var connection: PostgresConnection { context.connection }

  /// Number of indexes built. Readers and writers go on meanwhile.
  func rebuild() throws -> Int {
    var count = 0
    for table in PublishedTable.allCases {
      guard let shape = try TableShape.read(table, connection), shape.isOwned, !shape.isPartitioned else { continue }
      for index in table.indexes where index.role == .plain {
        if try isThere(index, shape) { continue }
        let name = try Schema.freeName(index.name, in: shape.schema, connection)
        do {
          // CONCURRENTLY cannot be part of a transaction, so a time limit may end it: then it is broken, and goes.
          try connection.execute(
            """
            CREATE INDEX CONCURRENTLY \(SQLText.identifier(name)) ON \(shape.qualifiedName) \(index.definition)
            """)
          count += 1
        } catch PostgresError.server {
          try connection.execute("DROP INDEX IF EXISTS \(SQLText.identifier(shape.schema, name))")
        }
      }
    }
    return count
  }

  /// Whether a valid index of this definition is there, under whatever name.
  private func isThere(_ index: PublishedTable.Index, _ shape: TableShape) throws -> Bool {
    let result = try connection.query(
      """
      SELECT pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i
      WHERE i.indrelid = to_regclass($1) AND i.indisvalid
      """, [shape.qualifiedName])
    // CREATE INDEX name ON public.healthkit_metrics USING btree (user_id, started_at DESC)
    let wanted = index.definition.hasPrefix("USING") ? index.definition : "USING btree \(index.definition)"
    return try result.rows.contains { try $0.text("definition").hasSuffix(" \(wanted)") }
  }
}
