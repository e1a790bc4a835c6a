import PostgresClient

/// Archived daily summaries into a table that may hold some: days that are absent are added, a day of hk2pg is replaced
/// by that of a newer export which covers at least as many samples (DESIGN §4.6), everything else stays.
struct ArchiveSummaries {
  let shape: TableShape
  let userID: String
  /// The archived rows.
  let table: String
  /// No newer export was imported into this database.
  let isNewest: Bool
  let connection: PostgresConnection

  private var user: String { shape.user(userID) }
  private var day: String { SQLText.identifier(shape.dayColumn) }
  private static let figures = ["avg_value", "min_value", "max_value", "sum_value", "sample_count"]

  func publish() throws -> ArchiveOutcome.Summaries {
    var outcome = ArchiveOutcome.Summaries()
    if !shape.isKeyedByUnit { outcome.kept = try keepOneADay() }
    try connection.execute("ANALYZE \(table)")
    outcome.same = try connection.query(
      "SELECT count(*) FROM \(table) w JOIN \(shape.qualifiedName) t ON \(isSameKey) WHERE NOT \(differs)")[0].int(0)
    let total = try connection.query("SELECT count(*) FROM \(table)")[0].int(0)
    if isNewest { outcome.written = try update() }
    outcome.written += try insert()
    outcome.kept += total - outcome.same - outcome.written
    return outcome
  }

  /// Where a day may have one summary only, the one of most samples counts.
  private func keepOneADay() throws -> Int {
    try connection.execute(
      """
      DELETE FROM \(table) w USING (
        SELECT ctid AS row, row_number() OVER (
          PARTITION BY metric_type, summary_date ORDER BY sample_count DESC NULLS LAST, unit) AS number FROM \(table)) n
      WHERE n.row = w.ctid AND n.number > 1
      """
    ).affectedRows
  }

  private var isSameKey: String {
    let unit = shape.isKeyedByUnit ? " AND t.unit = coalesce(w.unit, '')" : ""
    return "t.user_id = \(user) AND t.metric_type = w.metric_type AND t.\(day) = w.summary_date\(unit)"
  }

  private var differs: String {
    func row(_ alias: String) -> String {
      "ROW(\((ArchiveSummaries.figures.map { "\(alias).\($0)" } + ["coalesce(\(alias).unit, '')"]).joined(separator: ", ")))"
    }
    return "(\(row("t")) IS DISTINCT FROM \(row("w")))"
  }

  private var unit: String { shape.hasUnitAlways ? "coalesce(w.unit, '')" : "w.unit" }

  private func update() throws -> Int {
    let figures = ArchiveSummaries.figures.map { "\($0) = w.\($0)" }.joined(separator: ", ")
    return try connection.execute(
      """
      UPDATE \(shape.qualifiedName) t SET \(figures), unit = \(unit) FROM \(table) w
      WHERE \(isSameKey) AND \(differs) AND \(SQLFragments.hasOurID("t"))
        AND coalesce(w.sample_count, 0) >= coalesce(t.sample_count, 0)
      """
    ).affectedRows
  }

  /// An id that another user's summary has says nothing about the day: another one will do.
  private func insert() throws -> Int {
    try connection.execute(
      """
      INSERT INTO \(shape.qualifiedName) (id, user_id, metric_type, \(day), \(ArchiveSummaries.figures.joined(separator: ", ")),
        unit, created_at)
      SELECT CASE WHEN EXISTS (SELECT FROM \(shape.qualifiedName) x WHERE x.id = w.id) THEN gen_random_uuid() ELSE w.id END,
        \(user), w.metric_type, w.summary_date, \(ArchiveSummaries.figures.map { "w.\($0)" }.joined(separator: ", ")),
        \(unit), w.created_at
      FROM \(table) w WHERE NOT EXISTS (SELECT FROM \(shape.qualifiedName) t WHERE \(isSameKey)) ON CONFLICT DO NOTHING
      """
    ).affectedRows
  }
}
