import HealthModel
import PostgresClient
import Staging

/// How the export stands to what the user's rows were made from so far (DESIGN §3.9).
struct ExportRelation: Equatable, Sendable {
  /// A newer export was imported before: this one only adds groups that are absent.
  var isOlder: Bool
  /// Rows of other rules are there: fingerprints say too little.
  var isMappingNew: Bool
  /// Earlier summaries are of days of another zone.
  var isZoneNew = false
  /// Earlier summaries were made by other source ranks.
  var isRankingNew = false
  /// The zone that the views use now; the server knows it.
  var storedServerZone: String?

  static func read(_ manifest: Manifest, _ connection: PostgresConnection) throws -> ExportRelation {
    let result = try connection.query(
      """
      SELECT coalesce($2::timestamptz < newest_export_date, false) AS is_older, coalesce(summarized_zone, zone) AS zone,
        server_zone,
        coalesce(mapping_version <> $3::integer, false) AS is_mapping_new,
        coalesce(summarized_priority, source_priority, '{}') <> $4::jsonb AS is_ranking_new
      FROM hk2pg.user_settings WHERE user_id = $1
      """,
      [
        manifest.user, manifest.export.exportDate ?? manifest.export.newestCreation, String(manifest.mappingVersion),
        try SideTables.json(manifest.options.sourcePriority),
      ])
    guard !result.isEmpty else { return ExportRelation(isOlder: false, isMappingNew: false) }
    let zones = UserSettings.zones(try result[0].optionalText("zone"))
    return ExportRelation(
      isOlder: try result[0].bool("is_older"), isMappingNew: try result[0].bool("is_mapping_new"),
      isZoneNew: zones.contains { $0 != manifest.zone }, isRankingNew: try result[0].bool("is_ranking_new"),
      storedServerZone: try result[0].optionalText("server_zone"))
  }

  /// The zone if the server knows it by this name. AT TIME ZONE takes much more: abbreviations, and any POSIX rule.
  /// The server reads all its zone files for the list of names, so a zone that is in use already is not looked up again.
  static func serverZone(_ zone: String, inUse: String? = nil, _ connection: PostgresConnection) throws -> String? {
    if zone == inUse { return zone }
    let isKnown = try connection.query("SELECT EXISTS (SELECT FROM pg_timezone_names WHERE name = $1)", [zone])
    return try isKnown[0].bool(0) ? zone : nil
  }
}
