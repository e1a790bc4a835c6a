import HealthModel
import Loading
import PostgresClient
import Staging

/// One side of a comparison: a user's rows in a database, or the rows of a chunk folder in temporary tables.
package struct ComparedSide {
  /// Where the rows of one table are.
  struct Relation {
    var from: String
    /// Which of them are the user's.
    var condition: String
    var dayColumn = "summary_date"
  }

  let connection: PostgresConnection
  let relations: [ChunkTable: Relation]
  let user: String
  /// Whose ids the rows of hk2pg have.
  let key: UserKey

  init(connection: PostgresConnection, relations: [ChunkTable: Relation], user: String) {
    self.connection = connection
    self.relations = relations
    self.user = user
    key = UserKey(userID: user)
  }

  /// A user's rows, as a snapshot sees them.
  package init(_ snapshot: Snapshot, user: String) {
    var relations: [ChunkTable: Relation] = [:]
    for (table, shape) in [(ChunkTable.metrics, snapshot.metrics), (.dailySummaries, snapshot.summaries)] {
      guard let shape else { continue }
      relations[table] = Relation(
        from: "\(shape.qualifiedName) t", condition: "t.user_id = \(shape.user(user))",
        dayColumn: SQLText.identifier(shape.dayColumn))
    }
    for table in ChunkTable.archived where table != .problems && snapshot.ownTables.contains(table.rawValue) {
      let finished = table == .imports ? " AND t.state = 'finished' AND t.strategy NOT LIKE 'copy%'" : ""
      relations[table] = Relation(
        from: "\(table.rawValue) t", condition: "t.user_id = \(SQLText.literal(user))\(finished)")
    }
    self.init(connection: snapshot.connection, relations: relations, user: user)
  }

  // MARK: Expressions over one row `t`

  static func month(_ table: ChunkTable, _ relation: Relation) -> String {
    GroupSelection.month(table, table == .metrics ? "t.started_at" : "t.\(relation.dayColumn)")
  }

  static func day(_ table: ChunkTable, _ relation: Relation) -> String {
    GroupSelection.day(table, table == .metrics ? "t.started_at" : "t.\(relation.dayColumn)")
  }

  /// Number whose sum is shown.
  static func figure(_ table: ChunkTable) -> String { table == .metrics ? "t.value" : "t.sum_value" }

  /// 64 bits of everything a row says beside its user, its id, the time it was written and its place within the
  /// second. Sums of them do not depend on order.
  static func hash(_ table: ChunkTable, _ relation: Relation) -> String {
    switch table {
    case .metrics:
      let second = "timestamp_hash_extended(date_trunc('second', t.started_at AT TIME ZONE 'UTC'), 1)"
      let value = "coalesce(hashfloat8extended(t.value, \(second)), \(second))"
      return "hashtextextended(\(SQLFragments.sourceName("t.source_device")), \(rest(seed: value)))"
    case .dailySummaries:
      let figures = ["avg_value", "min_value", "max_value", "sum_value", "sample_count"].map { "t.\($0)" }
      return
        "hashtextextended(ROW(t.\(relation.dayColumn), \(figures.joined(separator: ", ")), coalesce(t.unit, ''))::text, 1)"
    default:
      let columns = table.archiveColumns.map(\.name).filter { !ownNumbers.contains($0) }.map { "t.\($0)" }
      return "hashtextextended(ROW(\(columns.joined(separator: ", ")))::text, 1)"
    }
  }

  /// Unit, end and metadata.
  static func rest(seed: String) -> String {
    let unit = "hashtextextended(coalesce(t.unit, ''), \(seed))"
    let end = "coalesce(timestamp_hash_extended(date_trunc('second', t.ended_at AT TIME ZONE 'UTC'), 2), 3)"
    return "\(unit) # \(end) # coalesce(jsonb_hash_extended(t.metadata, 4), 5)"
  }

  /// What each database numbers or notes for itself, and ids that change with the user.
  private static let ownNumbers: Set<String> = [
    "user_id", "import_id", "metric_id", "newest_import_id", "strategy", "load_digest", "options", "outcome", "report",
    "pruned_at", "summarized_zone", "summarized_priority", "summarized_days",
  ]
}
