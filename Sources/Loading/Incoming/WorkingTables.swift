import PostgresClient
import Staging

/// Names of an import's tables in the schema `hk2pg`: `incoming_N` for the rows, `incoming_N_…` for the rest.
struct WorkingTables: Sendable, Equatable {
  let importID: Int
  /// The rows of the import.
  let incoming: String

  init(importID: Int) {
    self.importID = importID
    incoming = "hk2pg.incoming_\(importID)"
  }

  /// Tables of a transaction that recomputes a user's summaries; nobody else ever sees them.
  init(recomputing userID: String) {
    importID = 0
    incoming = "hk2pg.recompute_\(String(UInt64(bitPattern: AdvisoryKey.user(userID)), radix: 16))"
  }

  /// Types and UTC days whose rows are in `incoming`.
  var days: String { "\(incoming)_days" }
  /// Groups of these days, with the number of rows on either side.
  var groups: String { "\(incoming)_groups" }
  /// The table's rows of these days, beside what is staged.
  var present: String { "\(incoming)_present" }
  /// Staged rows that will not be inserted, and why.
  var skip: String { "\(incoming)_skip" }
  /// Rows that a row of another program stands for.
  var aside: String { "\(incoming)_aside" }
  /// Rows to delete, and to change.
  var remove: String { "\(incoming)_remove" }
  var change: String { "\(incoming)_change" }
  /// Places other than the staged ones.
  var place: String { "\(incoming)_place" }
  /// Staged rows that will be written: new ones and those to change.
  var arriving: String { "\(incoming)_arriving" }
  /// Types, starts and ends at which ids alone do not tell which row is which sample.
  var candidates: String { "\(incoming)_candidates" }
  /// Staged samples that got another id; rows whose value is staged under another id; samples that a newer export has
  /// overruled.
  var renumbered: String { "\(incoming)_renumbered" }
  var replaced: String { "\(incoming)_replaced" }
  var superseded: String { "\(incoming)_superseded" }
  /// Rows to look at again.
  var touched: String { "\(incoming)_touched" }
  /// Which device names belong to a source.
  var sourceNames: String { "\(incoming)_source_names" }
  /// Local days whose summary is recomputed from the table.
  var unionDays: String { "\(incoming)_union_days" }

  /// Types and UTC days with rows that the export lacks.
  var keptDays: String { "\(incoming)_kept_days" }

  /// Where the chunks of a table are copied.
  func target(of table: ChunkTable) -> String? {
    switch table {
    case .metrics: incoming
    case .dailySummaries: "\(incoming)_summaries"
    case .groups, .unchangedGroups: nil
    case .sources: "\(incoming)_sources"
    case .profiles: "\(incoming)_profiles"
    case .routePoints: "\(incoming)_route_points"
    case .ecgRecordings: ecgRecordings
    case .userSettings: "\(incoming)_user_settings"
    case .typeUnits: "\(incoming)_type_units"
    case .imports: "\(incoming)_imports"
    case .problems: "\(incoming)_problems"
    case .prunedDays: "\(incoming)_pruned_days"
    }
  }

  var summaries: String { "\(incoming)_summaries" }
  /// Those that the published table lacks, or holds otherwise.
  var changedSummaries: String { "\(incoming)_changed_summaries" }
  var sources: String { "\(incoming)_sources" }
  var ecgRecordings: String { "\(incoming)_ecg_recordings" }

  /// Name of the n-th index while it is in `hk2pg`.
  func indexName(_ ordinal: Int) -> String { "incoming_\(importID)_index_\(ordinal)" }

  /// Every relation of an import: `incoming_N` and `incoming_N_…`.
  static func existing(_ importID: Int, _ connection: PostgresConnection) throws -> [String] {
    let result = try connection.query(
      """
      SELECT 'hk2pg.' || quote_ident(relname) AS name FROM pg_class
      WHERE relnamespace = to_regnamespace('hk2pg') AND relkind IN ('r', 'p') AND relname ~ $1 ORDER BY relname
      """, ["^incoming_\(importID)(_|$)"])
    return try result.rows.map { try $0.text("name") }
  }

  static func drop(_ importID: Int, _ connection: PostgresConnection) throws {
    let names = try existing(importID, connection)
    if !names.isEmpty { try connection.execute("DROP TABLE \(names.joined(separator: ", "))") }
  }
}
