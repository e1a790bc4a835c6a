import DailySummaries
import PostgresClient

/// Writes summaries, only where they differ from what is there (DESIGN §4.6).
///
/// Rows of `summaries` with `is_recomputed` come from the table's own rows and hold whatever export they are beside.
struct SummaryPublisher {
  let shape: TableShape
  let userID: String
  let tables: WorkingTables
  let precedence: Precedence
  let connection: PostgresConnection

  enum Precedence {
    /// What is staged or recomputed takes the place of what is there.
    case newer
    /// Only what is recomputed does, where it covers at least as many samples: withheld rows are not there to be summed.
    case older
    /// All that is recomputed does: days whose rows were withheld are not among it (`StayingDays`).
    case olderByOtherRules
  }

  private var user: String { shape.user(userID) }
  private var table: String { shape.qualifiedName }
  private var day: String { SQLText.identifier(shape.dayColumn) }

  func publish() throws -> LoadOutcome.Summaries {
    var outcome = LoadOutcome.Summaries()
    try connection.execute("ANALYZE \(tables.summaries)")
    outcome.removed = try removeEmptied()
    try selectChanged()
    outcome.written = try update() + insert()
    let state = try connection.query(
      """
      SELECT count(*) AS total, count(*) FILTER (WHERE w.is_recomputed) AS recomputed, (
        SELECT count(*) FROM \(tables.changedSummaries) w JOIN \(table) t ON \(isSameKey) WHERE \(differs)) AS kept
      FROM \(tables.summaries) w
      """)
    outcome.kept = try state[0].int("kept")
    outcome.unchanged = try state[0].int("total") - outcome.written - outcome.kept
    outcome.recomputed = try state[0].int("recomputed")
    try connection.execute("DROP TABLE \(tables.changedSummaries)")
    return outcome
  }

  /// Most summaries of a re-import are there already: what is written is found in one pass.
  private func selectChanged() throws {
    try connection.execute(
      """
      CREATE UNLOGGED TABLE \(tables.changedSummaries) AS
      SELECT w.* FROM \(tables.summaries) w LEFT JOIN \(table) t ON \(isSameKey) WHERE t.id IS NULL OR \(differs)
      """)
    try connection.execute("ANALYZE \(tables.changedSummaries)")
  }

  private var isSameKey: String {
    let unit = shape.isKeyedByUnit ? " AND t.unit = coalesce(w.unit, '')" : ""
    return "t.user_id = \(user) AND t.metric_type = w.metric_type AND t.\(day) = w.summary_date\(unit)"
  }

  private var differs: String {
    let numbers = ["avg_value", "min_value", "max_value", "sum_value"]
    let isSame = numbers.map { SQLFragments.isSameValue("t.\($0)", "w.\($0)") }.joined(separator: " AND ")
    let unit = "coalesce(t.unit, '') <> coalesce(w.unit, '')"
    return "(NOT (\(isSame)) OR t.sample_count IS DISTINCT FROM w.sample_count OR \(unit))"
  }

  /// Somebody else's row, and one of a pruned day, is replaced by one that covers at least as many samples.
  private var mayReplace: String {
    let covers = "w.sample_count >= coalesce(t.sample_count, 0)"
    let isPruned = """
      EXISTS (SELECT FROM hk2pg.pruned_days p WHERE p.user_id = \(SQLText.literal(userID))
        AND p.metric_type = \(SummaryReplacement.sampleType("t.metric_type")) AND p.day = t.\(day))
      """
    return switch precedence {
    case .newer: "((\(SQLFragments.hasOurID("t")) AND NOT \(isPruned)) OR \(covers))"
    case .older: "(w.is_recomputed AND \(covers))"
    case .olderByOtherRules: "(w.is_recomputed AND ((\(SQLFragments.hasOurID("t")) AND NOT \(isPruned)) OR \(covers)))"
    }
  }

  private func update() throws -> Int {
    if shape.isKeyedByUnit { try moveUnits() }
    return try connection.execute(
      """
      UPDATE \(table) t SET avg_value = w.avg_value, min_value = w.min_value, max_value = w.max_value,
        sum_value = w.sum_value, sample_count = w.sample_count, unit = w.unit
      FROM \(tables.changedSummaries) w WHERE \(isSameKey) AND \(differs) AND \(mayReplace)
      """
    ).affectedRows
  }

  /// A row of ours whose unit changes keeps its id and gets another key, unless that one is taken.
  private func moveUnits() throws {
    try connection.execute(
      """
      UPDATE \(table) t SET unit = coalesce(w.unit, '') FROM \(tables.changedSummaries) w
      WHERE t.user_id = \(user) AND t.id = w.id AND t.unit <> coalesce(w.unit, '') AND \(mayReplace)
        AND NOT EXISTS (SELECT FROM \(table) o WHERE o.user_id = t.user_id AND o.metric_type = t.metric_type
          AND o.\(day) = t.\(day) AND o.unit = coalesce(w.unit, ''))
      """)
  }

  private func insert() throws -> Int {
    let unit = shape.isKeyedByUnit ? "coalesce(w.unit, '')" : "w.unit"
    return try connection.execute(
      """
      INSERT INTO \(table) (id, user_id, metric_type, \(day), avg_value, min_value, max_value, sum_value, sample_count,
        unit)
      SELECT w.id, \(user), w.metric_type, w.summary_date, w.avg_value, w.min_value, w.max_value, w.sum_value,
        w.sample_count, \(unit)
      FROM \(tables.changedSummaries) w
      WHERE NOT EXISTS (SELECT FROM \(table) t WHERE \(isSameKey)) ON CONFLICT DO NOTHING
      """
    ).affectedRows
  }

  /// Days that were recomputed and have no samples any more. `union_days` names the samples' type; sleep and workouts
  /// have summaries of other names too. One statement each: joined by equal columns alone, whatever the number of days.
  private func removeEmptied() throws -> Int {
    guard try connection.query("SELECT to_regclass($1) IS NOT NULL", [tables.unionDays])[0].bool(0) else { return 0 }
    try connection.execute("ANALYZE \(tables.unionDays)")
    var count = try removeEmptied("u.metric_type = t.metric_type")
    for (type, prefix) in SummaryKind.families {
      count += try removeEmptied("u.metric_type = '\(type)' AND t.metric_type LIKE '\(prefix)%'")
    }
    return count
  }

  private func removeEmptied(_ isOfType: String) throws -> Int {
    try connection.execute(
      """
      DELETE FROM \(table) t USING \(tables.unionDays) u
      WHERE t.user_id = \(user) AND \(isOfType) AND t.\(day) = u.day AND \(SQLFragments.hasOurID("t"))
        AND NOT EXISTS (SELECT FROM \(tables.summaries) w
          WHERE w.metric_type = t.metric_type AND w.summary_date = t.\(day))
      """
    ).affectedRows
  }
}
