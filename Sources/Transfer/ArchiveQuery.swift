import HealthModel
import Loading
import PostgresClient
import Staging

/// The SELECT that gives one table of one user in the shape of an archive, whatever shape the database has.
struct ArchiveQuery {
  let snapshot: Snapshot
  let user: String
  /// The user in the archive.
  let newUser: String

  /// nil: there is no such table here.
  func select(_ table: ChunkTable, _ selection: TableSelection?) -> String? {
    switch table {
    case .metrics: snapshot.metrics.map { published($0, table, "started_at", selection) }
    case .dailySummaries: snapshot.summaries.map { published($0, table, $0.dayColumn, selection) }
    default: snapshot.ownTables.contains(table.rawValue) ? own(table) : nil
    }
  }

  private var userText: String { "\(SQLText.literal(newUser))::text" }

  private func published(
    _ shape: TableShape, _ table: ChunkTable, _ order: String, _ selection: TableSelection?
  ) -> String {
    let order = SQLText.identifier(order)
    let fields = table.archiveColumns.map { column in
      switch column.name {
      case "user_id": userText
      case "summary_date": "t.\(order)"
      default: "t.\(column.name)"
      }
    }
    let condition = selection.map { " AND \($0.condition(table, "t.\(order)"))" } ?? ""
    return """
      SELECT \(fields.joined(separator: ", ")) FROM \(shape.qualifiedName) t
      WHERE t.user_id = \(shape.user(user))\(condition) ORDER BY t.metric_type, t.\(order), t.id
      """
  }

  private func own(_ table: ChunkTable) -> String {
    let fields = table.archiveColumns.map { column in
      switch column.name {
      case "user_id": userText
      // It names the user, the machine's paths and the database: nothing for a copy under another name.
      case "report" where newUser != user: "NULL::jsonb"
      // A schema of an earlier version does not have all columns.
      case "summarized_zone": "coalesce(to_jsonb(t)->>'summarized_zone', t.zone)"
      case "summarized_priority": "coalesce((to_jsonb(t)->>'summarized_priority')::jsonb, t.source_priority)"
      // JSON's null is none of SQL's.
      case "summarized_days": "nullif(to_jsonb(t)->'summarized_days', 'null')"
      default: "t.\(column.name)"
      }
    }.joined(separator: ", ")
    let owner = SQLText.literal(user)
    let keys = table.archiveColumns.map(\.name).filter { ChunkTable.orderColumns.contains($0) }.map { "t.\($0)" }
    let order = keys.isEmpty ? "" : " ORDER BY \(keys.joined(separator: ", "))"
    switch table {
    case .imports:
      return """
        SELECT \(fields) FROM hk2pg.imports t
        WHERE t.user_id = \(owner) AND t.state = 'finished' AND t.strategy NOT LIKE 'copy%'\(order)
        """
    case .problems:
      return """
        SELECT \(fields) FROM hk2pg.problems t JOIN hk2pg.imports i USING (import_id)
        WHERE i.user_id = \(owner) AND i.state = 'finished' AND i.strategy NOT LIKE 'copy%'\(order)
        """
    default: return "SELECT \(fields) FROM \(table.rawValue) t WHERE t.user_id = \(owner)\(order)"
    }
  }
}

extension ChunkTable {
  /// Columns that put rows of the schema `hk2pg` into one order.
  fileprivate static let orderColumns: Set<String> = [
    "name", "characteristic", "file_digest", "ordinal", "metric_id", "import_id", "kind", "metric_type", "day",
    "exported_unit",
  ]

  /// Place of the ids that change with the user.
  var idField: Int? {
    switch self {
    case .metrics, .dailySummaries: 0
    case .ecgRecordings: 1
    default: nil
    }
  }
}

/// Types and periods of a published table: months, or days (of raw rows in UTC).
struct GroupSelection: Equatable, Sendable {
  /// By type: first days of months, or days, as PostgreSQL writes them.
  var periods: [String: Set<String>] = [:]

  var isEmpty: Bool { periods.isEmpty }

  func contains(_ key: GroupKey) -> Bool { periods[key.metricType]?.contains(key.day) == true }

  mutating func insert(_ key: GroupKey) { periods[key.metricType, default: []].insert(key.day) }

  static func month(_ table: ChunkTable, _ column: String) -> String {
    table == .metrics
      ? "date_trunc('month', \(column) AT TIME ZONE 'UTC')::date" : "date_trunc('month', \(column))::date"
  }

  static func day(_ table: ChunkTable, _ column: String) -> String {
    table == .metrics ? SQLFragments.utcDay(column) : column
  }

  /// `period` gives a row's month or day. Ten years of days are some megabytes of SQL, and one hash table.
  func condition(type: String, period: String) -> String {
    if periods.isEmpty { return "false" }
    let types = periods.sorted { $0.key < $1.key }.map { type, days in
      "(\(SQLText.literal(type)), '{\(days.sorted().joined(separator: ","))}'::date[])"
    }
    return """
      (\(type), \(period)) IN (SELECT g.metric_type, unnest(g.days) FROM (VALUES \(types.joined(separator: ", ")))
        AS g(metric_type, days))
      """
  }
}

/// Part of a published table: whole months of types, and single days of others.
struct TableSelection: Equatable, Sendable {
  var months = GroupSelection()
  var days = GroupSelection()

  var isEmpty: Bool { months.isEmpty && days.isEmpty }

  /// `column` holds a row's instant or day.
  func condition(_ table: ChunkTable, _ column: String) -> String {
    let parts = [
      (months, GroupSelection.month(table, column)), (days, GroupSelection.day(table, column)),
    ].filter { !$0.0.isEmpty }.map { $0.0.condition(type: "t.metric_type", period: $0.1) }
    return parts.isEmpty ? "false" : "(\(parts.joined(separator: " OR ")))"
  }
}
