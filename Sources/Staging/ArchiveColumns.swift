/// A column of an archived table.
package struct ArchiveColumn: Sendable, Equatable {
  package var name: String
  /// PostgreSQL's name of its type: what the bytes in the chunk are.
  package var type: String
  /// Archives of earlier versions do not have it.
  var isLater = false

  init(_ name: String, _ type: String, isLater: Bool = false) {
    self.name = name
    self.type = type
    self.isLater = isLater
  }
}

extension ChunkTable {
  /// Columns of the table in an archive: those of a staged chunk and what only a database knows. In order; `user_id` is
  /// text whatever the database has. Empty: never archived.
  package var archiveColumns: [ArchiveColumn] {
    func typed(_ types: String, _ more: [ArchiveColumn] = []) -> [ArchiveColumn] {
      zip(columns, types.split(separator: " ")).map { ArchiveColumn($0, String($1)) } + more
    }
    return switch self {
    case .metrics:
      typed(
        "uuid text text float8 text text timestamptz timestamptz jsonb", [ArchiveColumn("synced_at", "timestamptz")])
    case .dailySummaries:
      typed(
        "uuid text text date float8 float8 float8 float8 int4 text", [ArchiveColumn("created_at", "timestamptz")])
    case .groups, .unchangedGroups: []
    case .sources: typed("text text text text[] text[] text[] text[] timestamptz timestamptz int8")
    case .profiles: typed("text text text")
    case .routePoints:
      typed("text text int4 timestamptz float8 float8 float8 float8 float8 float8 float8")
    case .ecgRecordings: typed("text uuid timestamptz float8 text text float4[]")
    case .userSettings: ChunkTable.userSettingsColumns
    case .typeUnits: ChunkTable.typeUnitsColumns
    case .imports: ChunkTable.importsColumns
    case .problems: ChunkTable.problemsColumns
    case .prunedDays: ChunkTable.prunedDaysColumns
    }
  }

  /// Tables of an archive, in the order in which they are written.
  package static let archived: [ChunkTable] = allCases.filter { !$0.archiveColumns.isEmpty }

  private static let userSettingsColumns = [
    ArchiveColumn("user_id", "text"), ArchiveColumn("zone", "text"), ArchiveColumn("source_priority", "jsonb"),
    ArchiveColumn("summarized_zone", "text"), ArchiveColumn("summarized_priority", "jsonb"),
    ArchiveColumn("summarized_days", "jsonb", isLater: true),
    ArchiveColumn("newest_export_date", "timestamptz"), ArchiveColumn("newest_import_id", "int8"),
    ArchiveColumn("mapping_version", "int4"),
  ]

  private static let typeUnitsColumns = [
    ArchiveColumn("user_id", "text"), ArchiveColumn("metric_type", "text"), ArchiveColumn("exported_unit", "text"),
    ArchiveColumn("sample_count", "int8"),
  ]

  private static let importsColumns = [
    ArchiveColumn("import_id", "int8"), ArchiveColumn("user_id", "text"), ArchiveColumn("strategy", "text"),
    ArchiveColumn("load_digest", "text"), ArchiveColumn("export_name", "text"),
    ArchiveColumn("export_byte_count", "int8"), ArchiveColumn("export_digest", "text"),
    ArchiveColumn("export_date", "timestamptz"), ArchiveColumn("is_salvaged", "bool"),
    ArchiveColumn("mapping_version", "int4"), ArchiveColumn("hk2pg_version", "text"), ArchiveColumn("zone", "text"),
    ArchiveColumn("options", "jsonb"), ArchiveColumn("started_at", "timestamptz"),
    ArchiveColumn("finished_at", "timestamptz"), ArchiveColumn("outcome", "jsonb"), ArchiveColumn("report", "jsonb"),
  ]

  private static let problemsColumns = [
    ArchiveColumn("import_id", "int8"), ArchiveColumn("kind", "text"), ArchiveColumn("severity", "text"),
    ArchiveColumn("problem_count", "int8"), ArchiveColumn("first_offset", "int8"),
  ]

  private static let prunedDaysColumns = [
    ArchiveColumn("user_id", "text"), ArchiveColumn("metric_type", "text"), ArchiveColumn("day", "date"),
    ArchiveColumn("starts_at", "timestamptz"), ArchiveColumn("ends_at", "timestamptz"),
    ArchiveColumn("row_count", "int8"), ArchiveColumn("pruned_at", "timestamptz"),
  ]
}
