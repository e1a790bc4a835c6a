import HealthModel
import PostgresClient

/// Conditions that several statements share. `row` is a table alias.
package enum SQLFragments {
  /// Written by hk2pg and not taken over since: id of version 8 and variant 10, no mark of the live app (DESIGN §3.8).
  ///
  /// CASE, since the planner takes an equation of an expression to hold for one row in 200, and would join by nested
  /// loops what are nearly all rows; of a CASE it expects one half.
  package static func isOurs(_ row: String) -> String {
    """
    (CASE WHEN \(hasVersion8(row)) AND (\(row).metadata IS NULL OR NOT \(row).metadata ? 'h4ai_aggregation') \
    THEN true ELSE false END)
    """
  }

  /// An id that hk2pg made, for rows without metadata (summaries).
  static func hasOurID(_ row: String) -> String { "(CASE WHEN \(hasVersion8(row)) THEN true ELSE false END)" }

  private static func hasVersion8(_ row: String) -> String {
    "get_byte(uuid_send(\(row).id), 6) >> 4 = 8 AND get_byte(uuid_send(\(row).id), 8) >> 6 = 2"
  }

  /// DESIGN §3.6. Outside the given range the server would raise overflow or underflow; there, only equal is the same.
  package static func isSameValue(_ a: String, _ b: String) -> String {
    """
    (\(a) IS NOT DISTINCT FROM \(b) OR coalesce(CASE WHEN greatest(abs(\(a)), abs(\(b))) BETWEEN 1e-290 AND 1e290 \
    THEN abs(\(a) - \(b)) <= 1e-5 * greatest(abs(\(a)), abs(\(b))) END, false))
    """
  }

  /// UTC day of the exported start: a row was moved by less than a second.
  package static func utcDay(_ instant: String) -> String { "(\(instant) AT TIME ZONE 'UTC')::date" }

  /// Source names compare with U+00A0 as a space, as hk2pg stores them.
  package static func sourceName(_ column: String) -> String { "replace(coalesce(\(column), ''), chr(160), ' ')" }

  /// The name other programs give to what they read from HealthKit without a source.
  package static let allSources = "HealthKit (all sources)"
}

extension QueryResult.Row {
  /// A column that is a date as an integer: `day - date '1970-01-01'`.
  func civilDay(_ column: QueryResult.Column) throws -> CivilDay { CivilDay(daysSince1970: Int32(try int(column))) }
}
