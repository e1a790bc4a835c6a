package import PostgresClient

/// How a published table looks that is there already: one of the shapes in the field (DESIGN §2.1), served as it is.
package struct TableShape: Sendable, Equatable {
  package let table: PublishedTable
  /// Quoted, with schema.
  package let qualifiedName: String
  package let schema: String
  /// `user_id uuid` instead of text.
  package let hasUUIDUser: Bool
  /// metrics: `source_device` is part of the unique key.
  package let isKeyedBySource: Bool
  /// daily summaries: `unit` is part of the unique key.
  package let isKeyedByUnit: Bool
  /// `summary_date` or `date`, for daily summaries.
  package let dayColumn: String
  /// Primary key (user_id, id) instead of (id).
  package let hasUserInPrimaryKey: Bool
  package let isPartitioned: Bool
  package let isOwned: Bool
  /// Row level security is in force for this role.
  package let isUnderRowSecurity: Bool
  /// `unit` is NOT NULL.
  let hasUnitAlways: Bool
  /// metrics: `source_device` is NOT NULL.
  let hasSourceAlways: Bool

  /// The user as a value of the table's type.
  package func user(_ userID: String) -> String { SQLText.literal(userID) + (hasUUIDUser ? "::uuid" : "") }

  /// The table as the search path finds it; nil when there is none. Throws `LoadError.alienShape`.
  package static func read(_ table: PublishedTable, _ connection: PostgresConnection) throws -> TableShape? {
    guard let facts = try TableFacts.read(table, connection) else { return nil }
    let differences = facts.differences
    if !differences.isEmpty { throw LoadError.alienShape(table: facts.qualifiedName, differences: differences) }
    return TableShape(
      table: table, qualifiedName: facts.qualifiedName, schema: facts.schema,
      hasUUIDUser: facts.columns["user_id"]?.type == "uuid",
      isKeyedBySource: table == .metrics && facts.uniqueKey.contains("source_device"),
      isKeyedByUnit: table == .dailySummaries && facts.uniqueKey.contains("unit"),
      dayColumn: facts.dayColumn, hasUserInPrimaryKey: facts.primaryKey.contains("user_id"),
      isPartitioned: facts.kind == "p", isOwned: facts.isOwned, isUnderRowSecurity: facts.isUnderRowSecurity,
      hasUnitAlways: facts.columns["unit"]?.isNotNull == true,
      hasSourceAlways: facts.columns["source_device"]?.isNotNull == true)
  }
}
