package import PostgresClient

/// What follows a published import: dead rows, statistics, sizes. Nothing here can fail it.
struct CleanUp {
  let context: LoadContext

  private var connection: PostgresConnection { context.connection }

  func finish(_ outcome: inout LoadOutcome) throws {
    if try MissingIndexes(context: context).rebuild() > 0 { outcome.notes.append(.indexRebuilt) }
    context.onEvent(.began(.vacuum, total: nil))
    for table in CleanUp.changedTables(outcome) where try !vacuum(table) && !outcome.notes.contains(.vacuumSkipped) {
      outcome.notes.append(.vacuumSkipped)
    }
    context.onEvent(.ended(.vacuum))
    do { try measure(&outcome) } catch PostgresError.server { return }
  }

  /// Tables of which this load has written one row in twenty. Less is left to autovacuum: a pass over all rows and
  /// indexes takes longer than a weekly re-import itself.
  static func changedTables(_ outcome: LoadOutcome) -> [PublishedTable] {
    func isMuch(_ written: Int, of total: Int) -> Bool { written > 0 && written * 20 >= total }
    var tables: [PublishedTable] = []
    let rows = outcome.new + outcome.changed + outcome.removed + outcome.steppedAside
    if isMuch(rows, of: outcome.rowsInTable) { tables.append(.metrics) }
    let summaries = outcome.summaries
    let written = summaries.written + summaries.removed
    if isMuch(written, of: written + summaries.unchanged + summaries.kept) { tables.append(.dailySummaries) }
    return tables
  }

  private func vacuum(_ table: PublishedTable) throws -> Bool { try CleanUp.vacuum(table, connection) }

  /// False when it could not be done: not the owner, or a time limit that cannot be lifted outside a transaction.
  static func vacuum(_ table: PublishedTable, _ connection: PostgresConnection) throws -> Bool {
    guard let shape = try TableShape.read(table, connection) else { return false }
    let isAllowed = try connection.query(
      """
      SELECT pg_has_role(c.relowner, 'USAGE') OR current_setting('is_superuser') = 'on'
        OR pg_has_role((SELECT datdba FROM pg_database WHERE datname = current_database()), 'USAGE')
      FROM pg_class c WHERE c.oid = to_regclass($1)
      """, [shape.qualifiedName])
    guard try !isAllowed.isEmpty && isAllowed[0].bool(0) else { return false }
    do {
      try connection.execute("VACUUM (ANALYZE) \(shape.qualifiedName)")
      return true
    } catch PostgresError.server {
      return false
    }
  }

  private func measure(_ outcome: inout LoadOutcome) throws {
    let sizes = try TableSizes.read(connection)
    outcome.tableBytes = sizes.tableBytes
    outcome.indexBytes = sizes.indexBytes
    outcome.databaseBytes = sizes.databaseBytes
  }
}

/// Bytes of the published tables, with partitions.
package struct TableSizes: Sendable, Equatable {
  package var tableBytes: Int64
  package var indexBytes: Int64
  package var databaseBytes: Int64

  package static func read(_ connection: PostgresConnection) throws -> TableSizes {
    let names = PublishedTable.allCases.map { "to_regclass('\($0.rawValue)')" }.joined(separator: ", ")
    let row = try connection.query(
      """
      SELECT coalesce(sum(pg_table_size(p.relid)), 0)::bigint AS tables,
        coalesce(sum(pg_indexes_size(p.relid)), 0)::bigint AS indexes,
        pg_database_size(current_database()) AS database
      FROM unnest(ARRAY[\(names)]) AS t(relid), LATERAL (
        SELECT relid FROM pg_partition_tree(t.relid) WHERE isleaf
        UNION SELECT t.relid WHERE t.relid IS NOT NULL) p
      """)[0]
    return TableSizes(
      tableBytes: Int64(try row.int("tables")), indexBytes: Int64(try row.int("indexes")),
      databaseBytes: Int64(try row.int("database")))
  }
}
