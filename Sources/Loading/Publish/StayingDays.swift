import DailySummaries
import HealthModel
import PostgresClient
import Staging

/// Which summaries an import must not compute again from the rows in the table, since rows were withheld.
///
/// ```
/// the export is newer   days of its own raw window have a staged summary; what it lacks altogether, and what an earlier
///                       import's window had withheld, is history
/// it is older           with a new zone or new ranks: what the newest export's window has withheld; else a recomputed
///                       summary takes the place of one only if it covers as many samples
/// ```
struct StayingDays {
  private let relation: ExportRelation
  private let zone: ZoneRules
  private let former: [ZoneRules]
  private let own: RawCoverage
  private let earlier: RawCoverage
  /// Of the newest export before, whose summaries are the ones that stand.
  private let newest: RawCoverage
  /// Days with a staged summary, by type; only where a window withholds any.
  private var staged: [String: Set<CivilDay>] = [:]
  private let summaries: StoredSummaries?

  init(
    relation: ExportRelation, manifest: Manifest, zone: ZoneRules, types: Set<String>, tables: WorkingTables,
    connection: PostgresConnection
  ) throws {
    self.relation = relation
    self.zone = zone
    former = relation.formerZones.compactMap { try? SystemZones.load(name: $0) }
    own = RawCoverage(of: manifest, zone: zone)
    earlier = try RawCoverage.read(userID: manifest.user, connection)
    newest = try RawCoverage.read(userID: manifest.user, newestOnly: true, connection)
    summaries = try TableShape.read(.dailySummaries, connection).map {
      StoredSummaries(shape: $0, userID: manifest.user, connection: connection)
    }
    if isWholeAlways { return }
    let result = try connection.query(
      """
      SELECT metric_type, summary_date - date '1970-01-01' AS day FROM \(tables.summaries)
      WHERE metric_type IN (\(types.sorted().map(SQLText.literal).joined(separator: ", ")))
      """)
    for row in result.rows {
      staged[try row.text("metric_type"), default: []].insert(try row.civilDay("day"))
    }
  }

  private var isWholeAlways: Bool { own.windows.isEmpty && earlier.windows.isEmpty }

  func fixedDays(_ type: String, among days: [CivilDay], pruned: PrunedDays) throws -> FixedDays {
    if isWholeAlways { return FixedDays(metricType: type, zone: zone, pruned: pruned) }
    let stored = try summaries?.counts(type) ?? [:]
    if relation.isOlder && (!former.isEmpty || relation.isRankingNew) {
      let zones = former + [zone]
      let withheld = stored.keys.filter { day in zones.contains { !newest.isComplete($0.range(of: day)) } }
      return FixedDays(
        metricType: type, zone: zone, pruned: pruned, withheld: Set(withheld), withheldZones: former)
    }
    // A stored summary is of a day in the zone it was made by. What shares time with a day pruned in another zone cannot
    // be as staged.
    let zones = former.isEmpty ? [zone] : former
    let staged = (staged[type] ?? []).subtracting(
      FixedDays(metricType: type, zone: zone, pruned: pruned).daysBeside(zone))
    let withheld = Set(days).union(stored.keys).filter { day in
      staged.contains(day)
        ? !own.isComplete(zone.range(of: day))
        : stored[day] != nil && zones.contains { !earlier.isComplete($0.range(of: day)) }
    }
    return FixedDays(metricType: type, zone: zone, pruned: pruned, withheld: withheld)
  }
}
