import PostgresClient

/// What the catalogue says about one table, before it is judged.
struct TableFacts: Equatable {
  struct Column: Equatable {
    var type: String
    var isNotNull: Bool
    /// Default, identity or generated.
    var hasDefault: Bool
  }

  struct Key: Equatable {
    var name: String
    var isPrimary: Bool
    var columns: Set<String>
  }

  var table: PublishedTable
  var schema: String
  var qualifiedName: String
  /// `pg_class.relkind`.
  var kind: String
  var isOwned: Bool
  var isUnderRowSecurity: Bool
  /// `h`, `l`, `r`; nil when not partitioned.
  var partitionStrategy: String?
  var partitionColumns: [String]
  var columns: [String: Column]
  /// Unique indexes that hold for every row.
  var keys: [Key]

  var dayColumn: String { columns["summary_date"] == nil && columns["date"] != nil ? "date" : "summary_date" }

  var primaryKey: Set<String> { keys.first { $0.isPrimary }?.columns ?? [] }

  /// The key beside the primary one.
  var uniqueKey: Set<String> { keys.first { allowedUniqueKeys.contains($0.columns) }?.columns ?? [] }

  // MARK: Judgement

  private var expectedTypes: [(name: String, types: [String])] {
    switch table {
    case .metrics:
      [
        ("id", ["uuid"]), ("user_id", ["text", "uuid"]), ("metric_type", ["text"]), ("value", ["double precision"]),
        ("unit", ["text"]), ("source_device", ["text"]), ("started_at", ["timestamp with time zone"]),
        ("ended_at", ["timestamp with time zone"]), ("metadata", ["jsonb"]),
        ("synced_at", ["timestamp with time zone"]),
      ]
    case .dailySummaries:
      [
        ("id", ["uuid"]), ("user_id", ["text", "uuid"]), ("metric_type", ["text"]), (dayColumn, ["date"]),
        ("avg_value", ["double precision"]), ("min_value", ["double precision"]), ("max_value", ["double precision"]),
        ("sum_value", ["double precision"]), ("sample_count", ["integer"]), ("unit", ["text"]),
        ("created_at", ["timestamp with time zone"]),
      ]
    }
  }

  /// Columns hk2pg stores NULL in.
  private var nullableColumns: [String] {
    switch table {
    case .metrics: ["value", "ended_at", "metadata"]
    case .dailySummaries: ["avg_value", "min_value", "max_value", "sum_value"]
    }
  }

  private var allowedUniqueKeys: [Set<String>] {
    switch table {
    case .metrics:
      [["user_id", "metric_type", "started_at"], ["user_id", "metric_type", "started_at", "source_device"]]
    case .dailySummaries: [["user_id", "metric_type", dayColumn], ["user_id", "metric_type", dayColumn, "unit"]]
    }
  }

  /// Everything that does not fit, in the order of the table's definition; empty when the shape is served.
  var differences: [ShapeDifference] {
    if kind != "r" && kind != "p" { return [.notATable(kind: kind)] }
    return columnDifferences + extraColumnDifferences + keyDifferences + partitionDifferences
  }

  private var columnDifferences: [ShapeDifference] {
    expectedTypes.compactMap { name, types in
      guard let column = columns[name] else { return .missingColumn(name) }
      if !types.contains(column.type) {
        return .columnType(name, expected: types.joined(separator: " or "), found: column.type)
      }
      return column.isNotNull && nullableColumns.contains(name) ? .notNull(name) : nil
    }
  }

  private var extraColumnDifferences: [ShapeDifference] {
    let expected = Set(expectedTypes.map(\.name))
    return columns.filter { !expected.contains($0.key) && $0.value.isNotNull && !$0.value.hasDefault }
      .map { .extraColumnWithoutDefault($0.key) }.sorted { "\($0)" < "\($1)" }
  }

  private var keyDifferences: [ShapeDifference] {
    var result: [ShapeDifference] = []
    if primaryKey != ["id"] && primaryKey != ["user_id", "id"] { result.append(.missingKey(["id"])) }
    if uniqueKey.isEmpty {
      result.append(.missingKey(["user_id", "metric_type", table == .metrics ? "started_at" : dayColumn]))
    }
    // Unique keys that contain the id refuse nothing more.
    for key in keys where !key.isPrimary && !allowedUniqueKeys.contains(key.columns) && !key.columns.contains("id") {
      result.append(.extraKey(key.name, key.columns.sorted()))
    }
    return result
  }

  private var partitionDifferences: [ShapeDifference] {
    guard kind == "p" else { return [] }
    let isServed = ["h", "l"].contains(partitionStrategy ?? "") && partitionColumns == ["user_id"]
    return isServed ? [] : [.partitioning(partitionColumns.joined(separator: ", "))]
  }
}
