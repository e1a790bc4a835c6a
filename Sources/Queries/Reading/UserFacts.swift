import DailySummaries
import Foundation
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
    let result = try connection.query(
      """
      SELECT zone, source_priority::text AS priority,
        (floor(extract(epoch FROM newest_export_date) * 1000000))::bigint AS export_date
      FROM hk2pg.user_settings WHERE user_id = $1
      """, [user])
    guard !result.isEmpty else { return facts }
    if let name = try result[0].optionalText("zone") { facts.zone = try SystemZones.load(name: name) }
    facts.newestExportDate = try result[0].optionalInt("export_date").map { Instant(microseconds: Int64($0)) }
    if let text = try result[0].optionalText("priority") {
      facts.priority = try JSONDecoder().decode([String: [String]].self, from: Data(text.utf8))
    }
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
