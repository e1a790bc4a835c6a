import HealthModel
package import PostgresClient

/// The tables hk2pg makes, as text for psql and as statements to run (`hk2pg schema`).
package enum Schema {
  /// Everything hk2pg would create in an empty database: a script for psql that may be run again, and that leaves alone
  /// what is there already.
  package static func script() -> String {
    let (metrics, summaries) = (PublishedTable.metrics.rawValue, PublishedTable.dailySummaries.rawValue)
    var statements = ownStatements()
    for table in PublishedTable.allCases {
      let create = table.allStatements(table.rawValue) + publishingStatements(table, table.rawValue)
      statements.append(unlessThere(table.rawValue, create + [ownershipStatement(table.rawValue)]))
    }
    let view = QuantityView.createStatement(
      QuantityView.name, metrics: metrics, summaries: summaries, dayColumn: "summary_date", isKeyedByUnit: false)
    statements.append(
      unlessThere(QuantityView.name, [view, viewComment(QuantityView.name), ownershipStatement(QuantityView.name)]))
    statements += viewGrants(view: QuantityView.name, metrics: metrics)
    return statements.joined(separator: ";\n\n") + ";\n"
  }

  /// Creates what is missing (`hk2pg schema --apply`): all of it or nothing.
  package static func apply(_ connection: PostgresConnection) throws {
    let server = try ServerFacts(connection)
    try server.checkRights(connection, user: nil)
    try connection.transaction {
      try server.prepareTransaction(connection)
      try makeOwn(server, connection)
      var shapes: [PublishedTable: TableShape] = [:]
      for table in PublishedTable.allCases {
        if let shape = try TableShape.read(table, connection) {
          shapes[table] = shape
        } else {
          try create(table, in: server.publishedSchema, connection)
          shapes[table] = try TableShape.read(table, connection)
        }
      }
      guard let metrics = shapes[.metrics], let summaries = shapes[.dailySummaries] else { return }
      try createView(metrics: metrics, summaries: summaries, server, connection)
    }
  }

  /// One creator at a time: CREATE … IF NOT EXISTS is not safe against itself.
  static func lock(_ connection: PostgresConnection) throws {
    try connection.execute("SELECT pg_advisory_xact_lock(\(AdvisoryKey.schema))")
  }

  /// Makes or updates the schema `hk2pg`, and our view, when they are not of this version; a transaction is open.
  static func prepareOwn(_ server: ServerFacts, _ connection: PostgresConnection) throws {
    guard let found = server.ownSchemaVersion else { return try makeOwn(server, connection) }
    if found == OwnSchema.version { return }
    if let owner = try otherOwner(connection) { throw LoadError.olderSchema(found: found, owner: owner) }
    try makeOwn(server, connection)
  }

  /// Who owns tables of ours, when that is a role whose rights this one does not have.
  private static func otherOwner(_ connection: PostgresConnection) throws -> String? {
    let names = OwnSchema.tables.map { SQLText.literal($0.name) }.joined(separator: ", ")
    let result = try connection.query(
      """
      SELECT pg_get_userbyid(relowner) FROM pg_class
      WHERE relnamespace = 'hk2pg'::regnamespace AND relname IN (\(names)) AND NOT pg_has_role(relowner, 'USAGE')
      ORDER BY 1 LIMIT 1
      """)
    return result.isEmpty ? nil : try result[0].text(0)
  }

  private static func makeOwn(_ server: ServerFacts, _ connection: PostgresConnection) throws {
    try lock(connection)
    try connection.execute(ownStatements().joined(separator: ";\n"))
    try updateView(server, connection)
  }

  /// An empty published table with its keys.
  static func create(_ table: PublishedTable, in schema: String, _ connection: PostgresConnection) throws {
    let name = SQLText.identifier(schema, table.rawValue)
    let indexNames = try table.indexes.map { try freeName($0.name, in: schema, connection) }
    let statements =
      table.allStatements(name, indexNames: indexNames) + publishingStatements(table, name) + [ownershipStatement(name)]
    try connection.execute(statements.joined(separator: ";\n"))
  }

  /// The table of daily summaries, made if it is absent; a transaction is open.
  static func summariesTable(_ server: ServerFacts, _ connection: PostgresConnection) throws -> TableShape? {
    if let shape = try TableShape.read(.dailySummaries, connection) { return shape }
    try lock(connection)
    if let shape = try TableShape.read(.dailySummaries, connection) { return shape }
    try create(.dailySummaries, in: server.publishedSchema, connection)
    return try TableShape.read(.dailySummaries, connection)
  }

  /// `name`, or with a number where it is taken: index names are unique in a schema, and a renamed old table keeps
  /// those of its indexes.
  static func freeName(_ name: String, in schema: String, _ connection: PostgresConnection) throws -> String {
    let result = try connection.query(
      """
      SELECT c.name FROM (SELECT $1 || CASE WHEN n = 0 THEN '' ELSE '_' || n END AS name, n
        FROM generate_series(0, 1000) n) c
      WHERE NOT EXISTS (SELECT FROM pg_class r JOIN pg_namespace s ON s.oid = r.relnamespace
        WHERE r.relname = left(c.name, 63) AND s.nspname IN ($2, 'hk2pg'))
      ORDER BY c.n LIMIT 1
      """, [name, schema])
    return result.isEmpty ? name : try result[0].text(0)
  }

  // MARK: Statements

  static func ownStatements() -> [String] {
    // IF NOT EXISTS would ask for the right to create schemas although there is one.
    var statements = ["DO $$ BEGIN IF to_regnamespace('hk2pg') IS NULL THEN CREATE SCHEMA hk2pg; END IF; END $$"]
    for table in OwnSchema.tables { statements += table.statements + [RowSecurity.protect(table)] }
    return statements + [RowSecurity.usageForUsers] + CatalogueRows.statements + [
      """
      INSERT INTO hk2pg.schema_versions (version) VALUES (\(OwnSchema.version)) ON CONFLICT DO NOTHING
      """
    ]
  }

  /// What a table of ours gets beside columns and keys.
  static func publishingStatements(_ table: PublishedTable, _ name: String) -> [String] {
    let comments = table.comments.map { column, text in
      column.isEmpty
        ? "COMMENT ON TABLE \(name) IS \(SQLText.literal(text))"
        : "COMMENT ON COLUMN \(name).\(column) IS \(SQLText.literal(text))"
    }
    return comments + [RowSecurity.publish(name)]
  }

  /// The ledger's word that a table is ours. The comment on the table has to say so as well, in case somebody drops it
  /// and makes another one of that name.
  static func ownershipStatement(_ name: String) -> String {
    """
    INSERT INTO hk2pg.owned_tables (table_schema, table_name)
      SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.oid = \(SQLText.literal(name))::regclass ON CONFLICT DO NOTHING
    """
  }

  static let ownershipMark = "hk2pg: "

  private static func viewComment(_ view: String) -> String {
    let text = ownershipMark + "one row per user, quantity type and local day; source says summary or raw."
    return "COMMENT ON VIEW \(view) IS \(SQLText.literal(text))"
  }

  private static func viewGrants(view: String, metrics: String) -> [String] {
    [RowSecurity.publishView(view), RowSecurity.grantsForView(metrics: metrics)]
  }

  private static func unlessThere(_ name: String, _ statements: [String]) -> String {
    """
    DO $hk2pg_create$
    BEGIN
      IF to_regclass(\(SQLText.literal(name))) IS NOT NULL THEN RETURN; END IF;
    \(statements.map { "  " + $0 + ";" }.joined(separator: "\n"))
    END
    $hk2pg_create$
    """
  }

  // MARK: View

  /// Creates the view when its name is free; when a foreign relation has it, or the schema admits no more, in `hk2pg`.
  static func createView(
    metrics: TableShape, summaries: TableShape, _ server: ServerFacts, _ connection: PostgresConnection
  ) throws {
    guard try nameForView(server, connection) != nil else { return }
    // Looked at again with the lock: another import may just have made it.
    try lock(connection)
    guard let schema = try nameForView(server, connection) else { return }
    let name = SQLText.identifier(schema, QuantityView.name)
    let statements =
      [
        viewStatement("CREATE VIEW", name, metrics: metrics, summaries: summaries), viewComment(name),
        ownershipStatement(name),
      ] + viewGrants(view: name, metrics: metrics.qualifiedName)
    try connection.execute(statements.joined(separator: ";\n"))
  }

  private static func viewStatement(
    _ create: String, _ name: String, metrics: TableShape, summaries: TableShape
  ) -> String {
    QuantityView.createStatement(
      name, create: create, metrics: metrics.qualifiedName, summaries: summaries.qualifiedName,
      dayColumn: SQLText.identifier(summaries.dayColumn), isKeyedByUnit: summaries.isKeyedByUnit)
  }

  /// Our view as this version has it: its columns are the same in all, so rights and what is built on it stay.
  private static func updateView(_ server: ServerFacts, _ connection: PostgresConnection) throws {
    for schema in Set([server.publishedSchema, "hk2pg"]) where try isOwned(QuantityView.name, in: schema, connection) {
      guard let metrics = try TableShape.read(.metrics, connection),
        let summaries = try TableShape.read(.dailySummaries, connection)
      else { return }
      let name = SQLText.identifier(schema, QuantityView.name)
      try connection.execute(
        viewStatement("CREATE OR REPLACE VIEW", name, metrics: metrics, summaries: summaries))
    }
  }

  /// The schema to create the view in; nil when ours is there.
  private static func nameForView(_ server: ServerFacts, _ connection: PostgresConnection) throws -> String? {
    let isPublished = try isThere(QuantityView.name, in: server.publishedSchema, connection)
    if try isPublished && isOwned(QuantityView.name, in: server.publishedSchema, connection) { return nil }
    if !isPublished && server.mayCreateInPublishedSchema { return server.publishedSchema }
    return try isThere(QuantityView.name, in: "hk2pg", connection) ? nil : "hk2pg"
  }

  /// Asks the catalogue's rows. `to_regclass` may answer from a cache that does not know yet what another session has
  /// just committed.
  static func isThere(_ name: String, in schema: String, _ connection: PostgresConnection) throws -> Bool {
    try connection.query(
      """
      SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relname = $1 AND n.nspname = $2)
      """, [name, schema])[0].bool(0)
  }

  static func isOwned(_ name: String, in schema: String, _ connection: PostgresConnection) throws -> Bool {
    try connection.query(
      """
      SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN hk2pg.owned_tables o ON o.table_schema = n.nspname AND o.table_name = c.relname
        WHERE c.relname = $1 AND n.nspname = $2 AND obj_description(c.oid, 'pg_class') LIKE '\(ownershipMark)%')
      """, [name, schema])[0].bool(0)
  }
}
