import DailySummaries
import HealthModel
import PostgresClient
import Staging

/// Sees to it that no sample counts on two days where summaries of another zone's days are left: their samples cannot be
/// read again, since they were pruned or withheld.
///
/// ```
/// pruned in another zone    stays: staged summaries of days that share time with it go, recomputed ones come without it
/// withheld, newer export    goes, where the export's summaries share time with it: they hold its samples now
/// withheld, older export    stays, as it is the better one: staged summaries that share time with it go
/// ```
/// Just before summaries are published.
struct FormerZoneDays {
  let tables: WorkingTables
  let plan: ImportPlan
  let manifest: Manifest
  let summaries: TableShape
  let connection: PostgresConnection

  private struct Label {
    var metricType: String
    var day: CivilDay
  }

  func settle() throws {
    let zone = try SystemZones.load(name: manifest.zone)
    try dropBesidePruned(zone)
    let relation = plan.relation
    let coverage = try RawCoverage.read(userID: manifest.user, newestOnly: relation.isOlder, connection)
    // A newer export in another zone has all rows of the table summed up anew: what is left of former days is stale.
    let isAnew = !relation.isOlder && !relation.formerZones.isEmpty
    if coverage.windows.isEmpty && !isAnew { return }
    let former = try formerZones()
    if former.isEmpty { return }
    let withheld = try storedLabels().filter { label in
      isAnew || former.contains { !coverage.isComplete($0.range(of: label.day)) }
    }
    let staged = try stagedDays(Set(withheld.map(\.metricType)))
    var (stale, refused): ([Label], [String: Set<CivilDay>]) = ([], [:])
    for label in withheld {
      let days = FixedDays.days(former.map { $0.range(of: label.day) }, zone)
        .intersection(staged[label.metricType] ?? [])
      if days.isEmpty { continue }
      stale.append(label)
      refused[label.metricType, default: []].formUnion(days)
    }
    if plan.relation.isOlder {
      for (type, days) in refused { try drop(days, of: [type], recomputedToo: []) }
    } else {
      try remove(stale)
    }
  }

  // MARK: Pruned

  private func dropBesidePruned(_ zone: ZoneRules) throws {
    let pruned = try PrunedDays.read(userID: manifest.user, connection)
    for type in pruned.typesOfOtherZones(than: zone).sorted() {
      let fixed = FixedDays(metricType: type, zone: zone, pruned: pruned)
      let names = SummaryReplacement.condition("w.metric_type", isOf: type)
      try drop(
        FixedDays.days(fixed.countedElsewhere, zone).union(pruned.days(of: type)), where: names,
        recomputedToo: pruned.days(of: type))
    }
  }

  /// Takes back summaries that are to be published; of days of `recomputedToo`, also those made of the table's rows.
  private func drop(_ days: Set<CivilDay>, where isOfType: String, recomputedToo: Set<CivilDay>) throws {
    try connection.execute(
      """
      DELETE FROM \(tables.summaries) w WHERE \(isOfType) AND w.summary_date = ANY (\(FormerZoneDays.array(days)))
        AND (NOT w.is_recomputed OR w.summary_date = ANY (\(FormerZoneDays.array(recomputedToo))))
      """)
  }

  private func drop(_ days: Set<CivilDay>, of names: [String], recomputedToo: Set<CivilDay>) throws {
    let list = names.map(SQLText.literal).joined(separator: ", ")
    try drop(days, where: "w.metric_type IN (\(list))", recomputedToo: recomputedToo)
  }

  private static func array(_ days: Set<CivilDay>) -> String {
    "'{\(days.sorted().map(\.description).joined(separator: ","))}'::date[]"
  }

  // MARK: Withheld

  /// Zones that imports of the user have had, other than this one's.
  private func formerZones() throws -> [ZoneRules] {
    let result = try connection.query(
      "SELECT DISTINCT zone FROM hk2pg.imports WHERE user_id = $1 AND state = 'finished' ORDER BY 1", [manifest.user])
    let names = try result.rows.map { try $0.text(0) } + plan.relation.formerZones
    return Set(names).subtracting([manifest.zone]).sorted().compactMap { try? SystemZones.load(name: $0) }
  }

  /// Summaries of ours in the table, neither pruned nor about to be replaced, of types that are to be published.
  private func storedLabels() throws -> [Label] {
    let day = SQLText.identifier(summaries.dayColumn)
    // What an older export has summed up replaces nothing.
    let replaces = plan.relation.isOlder ? "AND w.is_recomputed" : ""
    let result = try connection.query(
      """
      SELECT t.metric_type, t.\(day) - date '1970-01-01' AS day FROM \(summaries.qualifiedName) t
      WHERE t.user_id = \(summaries.user(manifest.user)) AND \(SQLFragments.hasOurID("t"))
        AND t.metric_type IN (SELECT DISTINCT metric_type FROM \(tables.summaries))
        AND NOT EXISTS (SELECT FROM \(tables.summaries) w
          WHERE w.metric_type = t.metric_type AND w.summary_date = t.\(day) \(replaces))
        AND NOT EXISTS (SELECT FROM hk2pg.pruned_days p WHERE p.user_id = $1 AND p.day = t.\(day)
          AND \(prunedType) = p.metric_type)
      """, [manifest.user])
    return try result.rows.map {
      Label(metricType: try $0.text("metric_type"), day: try $0.civilDay("day"))
    }
  }

  /// The type of the samples that give a summary.
  private var prunedType: String {
    let families = SummaryKind.families.map { "WHEN t.metric_type LIKE '\($0.prefix)%' THEN '\($0.type)'" }
    return "CASE \(families.joined(separator: " ")) ELSE t.metric_type END"
  }

  private func stagedDays(_ types: Set<String>) throws -> [String: Set<CivilDay>] {
    if types.isEmpty { return [:] }
    let result = try connection.query(
      """
      SELECT metric_type, summary_date - date '1970-01-01' AS day FROM \(tables.summaries)
      WHERE metric_type IN (\(types.sorted().map(SQLText.literal).joined(separator: ", ")))
      """)
    var days: [String: Set<CivilDay>] = [:]
    for row in result.rows {
      days[try row.text("metric_type"), default: []].insert(try row.civilDay("day"))
    }
    return days
  }

  /// As days that were recomputed and have no samples any more.
  private func remove(_ labels: [Label]) throws {
    if labels.isEmpty { return }
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \(tables.unionDays) (metric_type text NOT NULL, day date NOT NULL)")
    let replacement = SummaryReplacement(tables: tables, userID: manifest.user, connection: connection)
    for (type, days) in Dictionary(grouping: labels, by: \.metricType) {
      try replacement.copyDays(type, days.map(\.day))
    }
  }
}
