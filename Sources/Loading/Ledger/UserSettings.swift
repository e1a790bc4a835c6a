import Foundation
package import HealthModel
import PostgresClient

/// What `hk2pg.user_settings` says of one user. Anybody may change zone and ranks there by hand.
package struct UserSettings: Sendable, Equatable {
  package var zone: String?
  package var sourcePriority: [String: [String]]
  /// Those that the summaries were made by: somebody may have changed the others by hand since. Several zones, the latest
  /// last, where an earlier version of hk2pg has left days of former ones.
  package var summarizedZones: [String]
  package var summarizedPriority: [String: [String]]
  /// Rules that the user's rows were made by; nil: there was no import yet.
  package var mappingVersion: Int?
  /// nil: none of the user's rows came from an export.
  package var newestExportDate: Instant?

  /// nil: the user has no row. Throws `LoadError.malformedRanks`.
  static func read(_ user: String, _ connection: PostgresConnection) throws -> UserSettings? {
    let result = try connection.query(
      """
      SELECT zone, source_priority::text AS source_priority,
        coalesce(all_of_it->>'summarized_zone', zone) AS summarized_zone,
        coalesce(all_of_it->>'summarized_priority', source_priority::text) AS summarized_priority, mapping_version,
        (floor(extract(epoch FROM (all_of_it->>'newest_export_date')::timestamptz) * 1000000))::bigint AS export_date
      -- As JSON, since a schema of an earlier version has not all of the columns.
      FROM hk2pg.user_settings u, to_jsonb(u) AS all_of_it WHERE user_id = $1
      """, [user])
    guard !result.isEmpty else { return nil }
    func ranks(_ column: String) throws -> [String: [String]] {
      guard let text = try result[0].optionalText(.name(column)) else { return [:] }
      guard let ranks = try? JSONDecoder().decode([String: [String]].self, from: Data(text.utf8)) else {
        throw LoadError.malformedRanks(column: column, user: user)
      }
      return ranks
    }
    return UserSettings(
      zone: try result[0].optionalText("zone"), sourcePriority: try ranks("source_priority"),
      summarizedZones: zones(try result[0].optionalText("summarized_zone")),
      summarizedPriority: try ranks("summarized_priority"),
      mappingVersion: try result[0].optionalInt("mapping_version"),
      newestExportDate: try result[0].optionalInt("export_date").map { Instant(microseconds: Int64($0)) })
  }

  /// As the table has them: names of zones have no spaces.
  static func zones(_ text: String?) -> [String] { (text ?? "").split(separator: " ").map(String.init) }
}
