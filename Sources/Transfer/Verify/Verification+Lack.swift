import Loading
import PostgresClient
import Staging

/// What a migration has to move, coarse to fine like the comparison: months of types that the target has nothing of, as
/// they are; of months that differ, the days on which a row is missing there, or has other contents, without a good
/// reason. So a target that has rows besides is sent what is new and no more.
extension Verification {
  /// - Parameters:
  ///   - own: of the left side, the source.
  ///   - there: of the right side, the target.
  package func lack(_ own: Survey, _ there: Survey) throws -> ArchiveSelection {
    var selection = ArchiveSelection()
    for table in [ChunkTable.metrics, .dailySummaries] {
      let (groups, counts) = try lack(table, own.groups[table] ?? [:], there.groups[table] ?? [:])
      selection.groups[table] = groups
      if table == .metrics { selection.rowsByType = counts }
    }
    for (table, digest) in own.ownTables where digest.rows > 0 {
      if there.ownTables[table].map({ $0.isSame(as: digest) }) == true { continue }
      if try there.ownTables[table] == nil || isLacking(table) { selection.ownTables.insert(table) }
    }
    return selection
  }

  private func lack(
    _ table: ChunkTable, _ own: GroupDigests, _ there: GroupDigests
  ) throws -> (selection: TableSelection, rows: [String: Int]) {
    var (selection, differing) = (TableSelection(), GroupSelection())
    var rows: [String: Int] = [:]
    for (key, digest) in own where there[key].map({ $0.isSame(as: digest) }) != true {
      if there[key] == nil {
        selection.months.insert(key)
        rows[key.metricType, default: 0] += digest.rows
      } else {
        differing.insert(key)
      }
    }
    if differing.isEmpty { return (selection, rows) }
    let (left, right) = (try left.days(of: table, in: differing), try right.days(of: table, in: differing))
    selection.days = try lackingDays(table, left, right)
    for (type, days) in selection.days.periods {
      for day in days { rows[type, default: 0] += left[GroupKey(metricType: type, day: day)]?.rows ?? 0 }
    }
    return (selection, rows)
  }

  private func lackingDays(_ table: ChunkTable, _ left: GroupDigests, _ right: GroupDigests) throws -> GroupSelection {
    var (lacking, differing) = (GroupSelection(), GroupSelection())
    for (key, digest) in left where right[key].map({ $0.isSame(as: digest) }) != true {
      // Rows that lie beyond all days cannot be compared one by one.
      if right[key] == nil || key.day.hasSuffix("infinity") { lacking.insert(key) } else { differing.insert(key) }
    }
    for days in Verification.counted(differing, left, right) {
      let found =
        table == .metrics ? try compareRows(days).days : try compareSummaries(days, explainedDays: []).days
      for day in found.values where day.missing + day.changed > 0 {
        lacking.insert(GroupKey(metricType: day.metricType, day: day.day))
      }
    }
    return lacking
  }

  // MARK: Schema hk2pg

  private func isLacking(_ table: ChunkTable) throws -> Bool {
    if try Verification.difference(left.hashes(table), right.hashes(table)).missing == 0 { return false }
    if !Verification.mergedTables.contains(table) { return true }
    return try ArchiveMerge(
      user: right.user, newestExportDate: left.newestExportDate(), connection: right.connection
    ).wouldChange(table, left.facts(table))
  }
}

extension ComparedSide {
  /// Of the newest export that this database knows; nil: of none.
  func newestExportDate() throws -> String? {
    guard let relation = relations[.userSettings] else { return nil }
    return try connection.query(
      "SELECT max(t.newest_export_date)::text FROM \(relation.from) WHERE \(relation.condition)")[0].optionalText(0)
  }

  /// The user's rows of a small table of the schema `hk2pg`, as JSON.
  fileprivate func facts(_ table: ChunkTable) throws -> String {
    guard let relation = relations[table] else { return "[]" }
    let row =
      table == .prunedDays
      ? "jsonb_build_object('metric_type', t.metric_type, 'day', t.day, 'starts_at', t.starts_at, 'ends_at', t.ends_at)"
      : "to_jsonb(t)"
    return try connection.query(
      "SELECT coalesce(jsonb_agg(\(row)), '[]')::text FROM \(relation.from) WHERE \(relation.condition)")[0].text(0)
  }
}
