import DailySummaries
import HealthModel
import Loading
import PostgresClient

/// What the schema `hk2pg` says of the user. Without it, days are UTC days and sources rank by their names.
struct UserFacts {
  var zone: ZoneRules
  /// nil: none of the user's rows came from an export.
  var newestExportDate: Instant?
  var priority: [String: [String]]

  /// The local day of the newest export: from it on, raw rows know more than summaries.
  var newestExportDay: CivilDay? { newestExportDate.map(zone.localDay) }

  static func read(_ tables: ReadableTables, user: String, _ connection: PostgresConnection) throws -> UserFacts {
    var facts = UserFacts(zone: .utc, newestExportDate: nil, priority: [:])
    guard tables.hasSettings else { return facts }
    guard let settings = try Ledger(connection).settings(of: user) else { return facts }
    if let name = settings.zone { facts.zone = try SystemZones.load(name: name) }
    facts.newestExportDate = settings.newestExportDate
    facts.priority = settings.sourcePriority
    return facts
  }

  /// Facts of the user's sources, for the ranking.
  static func sources(
    _ tables: ReadableTables, user: String, symbols: SymbolTable, _ connection: PostgresConnection
  ) throws -> [Symbol: SourceFacts] {
    guard tables.own.contains("sources") else { return [:] }
    return try StoredSources.read(userID: user, symbols: symbols, connection)
  }
}
