import PostgresClient

/// The two published tables (DESIGN §2.1), as hk2pg creates them.
package enum PublishedTable: String, CaseIterable, Sendable {
  case metrics = "healthkit_metrics"
  case dailySummaries = "healthkit_daily_summaries"

  /// Columns with types, nullability and defaults; keys are apart.
  var columnDefinitions: [String] {
    switch self {
    case .metrics:
      [
        "id uuid NOT NULL DEFAULT gen_random_uuid()", "user_id text NOT NULL", "metric_type text NOT NULL",
        "value double precision", "unit text", "source_device text", "started_at timestamptz NOT NULL",
        "ended_at timestamptz", "metadata jsonb", "synced_at timestamptz NOT NULL DEFAULT now()",
      ]
    case .dailySummaries:
      [
        "id uuid NOT NULL DEFAULT gen_random_uuid()", "user_id text NOT NULL", "metric_type text NOT NULL",
        "summary_date date NOT NULL", "avg_value double precision", "min_value double precision",
        "max_value double precision", "sum_value double precision", "sample_count integer", "unit text",
        "created_at timestamptz DEFAULT now()",
      ]
    }
  }

  /// An index or the index of a key.
  struct Index: Sendable {
    enum Role: Sendable { case primaryKey, unique, plain }
    let name: String
    let role: Role
    /// Everything after the table name: `USING gin (metadata)`.
    let definition: String
  }

  /// In the order in which two workers build them soonest: the longest first.
  var indexes: [Index] {
    switch self {
    case .metrics:
      [
        Index(name: "healthkit_metrics_metadata", role: .plain, definition: "USING gin (metadata)"),
        Index(
          name: "healthkit_metrics_user_type_time", role: .plain,
          definition: "(user_id, metric_type, started_at DESC)"),
        Index(
          name: "healthkit_metrics_user_id_metric_type_started_at_key", role: .unique,
          definition: "(user_id, metric_type, started_at)"),
        Index(name: "healthkit_metrics_user_time", role: .plain, definition: "(user_id, started_at DESC)"),
        Index(name: "healthkit_metrics_pkey", role: .primaryKey, definition: "(id)"),
      ]
    case .dailySummaries:
      [
        Index(
          name: "healthkit_daily_summaries_user_id_metric_type_summary_date_key", role: .unique,
          definition: "(user_id, metric_type, summary_date)"),
        Index(
          name: "healthkit_daily_summaries_user_date", role: .plain, definition: "(user_id, summary_date DESC)"),
        Index(name: "healthkit_daily_summaries_pkey", role: .primaryKey, definition: "(id)"),
      ]
    }
  }

  /// CREATE TABLE without keys.
  func createStatement(_ qualifiedName: String) -> String {
    "CREATE TABLE \(qualifiedName) (\n  \(columnDefinitions.joined(separator: ",\n  "))\n)"
  }

  /// The statement that builds one index; keys become unique indexes first and constraints later.
  func createIndexStatement(_ index: Index, on qualifiedName: String, named name: String) -> String {
    let unique = index.role == .plain ? "" : "UNIQUE "
    return "CREATE \(unique)INDEX \(SQLText.identifier(name)) ON \(qualifiedName) \(index.definition)"
  }

  /// Turns the unique index of a key into the constraint `name`; nil for other indexes.
  func constraintStatement(_ index: Index, on qualifiedName: String, from built: String, named name: String) -> String?
  {
    let (built, name) = (SQLText.identifier(built), SQLText.identifier(name))
    let add = "ALTER TABLE \(qualifiedName) ADD CONSTRAINT \(name)"
    return switch index.role {
    case .plain: nil
    case .unique: "\(add) UNIQUE USING INDEX \(built)"
    case .primaryKey: "\(add) PRIMARY KEY USING INDEX \(built)"
    }
  }

  /// The whole table at once, for an empty one. `indexNames` in the order of `indexes`; nil: their own.
  func allStatements(_ qualifiedName: String, indexNames: [String]? = nil) -> [String] {
    let named = zip(indexes, indexNames ?? indexes.map(\.name))
    return [createStatement(qualifiedName)]
      + named.map { createIndexStatement($0, on: qualifiedName, named: $1) }
      + named.compactMap { constraintStatement($0, on: qualifiedName, from: $1, named: $1) }
  }
}
