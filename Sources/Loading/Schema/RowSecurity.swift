import PostgresClient

/// Rights on a Supabase-like database, where the roles `anon` and `authenticated` exist (DESIGN §7.8): a signed-in user
/// sees and writes the rows whose user_id is theirs, `anon` nothing.
enum RowSecurity {
  static let policyName = "hk2pg_own_rows"

  /// Wraps statements so that they run only where both roles exist; harmless elsewhere, also in psql.
  static func whereRolesExist(_ statements: [String]) -> String {
    """
    DO $hk2pg$
    BEGIN
      IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
    \(statements.map { "  " + $0 + ";" }.joined(separator: "\n"))
    END
    $hk2pg$
    """
  }

  /// Row level security on `table`, rights for `authenticated` (and `service_role`, which no policy binds).
  static func statements(for table: String, rights: String) -> [String] {
    [
      "ALTER TABLE \(table) ENABLE ROW LEVEL SECURITY",
      "REVOKE ALL ON \(table) FROM anon",
      "GRANT \(rights) ON \(table) TO authenticated",
      """
      IF to_regprocedure('auth.uid()') IS NOT NULL AND NOT EXISTS (
          SELECT FROM pg_policy WHERE polrelid = \(SQLText.literal(table))::regclass AND polname = '\(policyName)') THEN
        CREATE POLICY \(policyName) ON \(table) TO authenticated
          USING ((SELECT auth.uid())::text = user_id) WITH CHECK ((SELECT auth.uid())::text = user_id);
      END IF
      """,
      """
      IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_role') THEN
        GRANT ALL ON \(table) TO service_role;
      END IF
      """,
    ]
  }

  /// The tables above are of use only to whoever may enter the schema.
  static let usageForUsers = whereRolesExist(["GRANT USAGE ON SCHEMA hk2pg TO authenticated"])

  /// For the published tables: the app may read and write its user's rows.
  static func publish(_ table: String) -> String {
    whereRolesExist(statements(for: table, rights: "SELECT, INSERT, UPDATE, DELETE"))
  }

  /// A view that runs with its caller's rights.
  static func publishView(_ view: String) -> String {
    whereRolesExist(["REVOKE ALL ON \(view) FROM anon", "GRANT SELECT ON \(view) TO authenticated"])
  }

  /// Our own tables. Those for nobody are closed by having security on and no policy.
  static func protect(_ table: OwnTable) -> String {
    switch table.readers {
    case .everybody: "GRANT SELECT ON \(table.qualifiedName) TO PUBLIC"
    case .user: whereRolesExist(statements(for: table.qualifiedName, rights: "SELECT"))
    case .nobody: whereRolesExist(["ALTER TABLE \(table.qualifiedName) ENABLE ROW LEVEL SECURITY"])
    }
  }

  /// Working tables hold samples too. No policy: only the owner gets in.
  static func close(_ table: String) -> String { "ALTER TABLE \(table) ENABLE ROW LEVEL SECURITY" }

  /// What readers of the view need beside the tables: the zones, and which types add up. Whoever may read the raw rows
  /// gets them.
  static func grantsForView(metrics: String) -> String {
    """
    DO $hk2pg$
    DECLARE reader text;
    BEGIN
      FOR reader IN
        SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
        FROM pg_class c, aclexplode(c.relacl) a
        WHERE c.oid = \(SQLText.literal(metrics))::regclass AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner
          AND a.grantee NOT IN (SELECT r.oid FROM pg_roles r WHERE r.rolname = 'anon')
      LOOP
        EXECUTE 'GRANT USAGE ON SCHEMA hk2pg TO ' || reader;
        EXECUTE 'GRANT SELECT ON hk2pg.user_settings TO ' || reader;
      END LOOP;
    END
    $hk2pg$
    """
  }
}
