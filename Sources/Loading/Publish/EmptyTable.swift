import PostgresClient

/// A table of ours that is empty, as `hk2pg schema --apply` leaves it: one that is loaded beside and renamed may take its
/// place, which is several times faster than inserting into its indexes.
enum EmptyTable {
  /// Whether nobody would miss it: no row, and nothing that somebody else has made of it or on it.
  static func isReplaceable(_ shape: TableShape, _ connection: PostgresConnection) throws -> Bool {
    guard shape.isOwned, !shape.isPartitioned, !shape.isUnderRowSecurity else { return false }
    return try connection.query(
      """
      WITH t AS (SELECT to_regclass($1)::oid AS oid), owned AS (
        SELECT c.oid FROM hk2pg.owned_tables o JOIN pg_namespace n ON n.nspname = o.table_schema
        JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = o.table_name)
      SELECT pg_has_role((SELECT relowner FROM pg_class WHERE oid = t.oid), 'USAGE')
        AND NOT EXISTS (SELECT FROM \(shape.qualifiedName))
        AND NOT EXISTS (
          SELECT FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid AND d.classid = 'pg_rewrite'::regclass
          WHERE d.refobjid = t.oid AND r.ev_class <> t.oid AND r.ev_class NOT IN (SELECT oid FROM owned))
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE confrelid = t.oid OR (conrelid = t.oid AND contype = 'f'))
        AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = t.oid AND NOT tgisinternal)
        AND NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = t.oid AND polname <> '\(RowSecurity.policyName)')
        AND NOT EXISTS (SELECT FROM pg_publication_rel WHERE prrelid = t.oid)
        AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = t.oid OR inhparent = t.oid)
        AND (SELECT count(*) FROM pg_attribute WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped)
          = \(PublishedTable.metrics.columnDefinitions.count)
        AND (SELECT count(*) FROM pg_index WHERE indrelid = t.oid) = \(PublishedTable.metrics.indexes.count)
        AND NOT EXISTS (
          SELECT FROM pg_class c, aclexplode(c.relacl) a
          WHERE (c.oid = t.oid OR c.oid IN (SELECT oid FROM owned WHERE c.relkind = 'v')) AND a.grantee <> c.relowner
            AND a.grantee NOT IN (SELECT oid FROM pg_roles WHERE rolname IN ('authenticated', 'service_role')))
      FROM t
      """, [shape.qualifiedName])[0].bool(0)
  }

  /// Drops it if it is still so, with our view of it, which is made again. In the publishing transaction.
  static func drop(_ connection: PostgresConnection) throws -> Bool {
    guard let shape = try TableShape.read(.metrics, connection), shape.isOwned else { return false }
    try connection.execute("LOCK TABLE \(shape.qualifiedName) IN ACCESS EXCLUSIVE MODE")
    guard try isReplaceable(shape, connection) else { return false }
    let views = try connection.query(
      """
      SELECT DISTINCT r.ev_class::regclass::text AS name FROM pg_depend d
      JOIN pg_rewrite r ON r.oid = d.objid AND d.classid = 'pg_rewrite'::regclass
      WHERE d.refobjid = to_regclass($1) AND r.ev_class <> d.refobjid
      """, [shape.qualifiedName])
    for view in views.rows { try connection.execute("DROP VIEW \(try view.text("name"))") }
    try connection.execute("DROP TABLE \(shape.qualifiedName)")
    return true
  }
}
