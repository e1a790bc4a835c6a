import HealthModel
import Loading
import Staging

/// Compares two sides, coarse to fine: digests by type and month, of months that differ by day, of days that differ row
/// by row. Equal data is read once on each side, and what comes over the wire is what differs.
package struct Verification {
  /// Rows of both sides that are compared at a time: some 30 MB.
  private static let batchRows = 200_000

  let left: ComparedSide
  let right: ComparedSide
  let rules: VerifyRules
  /// What the left side is known to come to already.
  private let known: [ChunkTable: GroupDigests]

  /// - Parameters:
  ///   - left: the reference.
  ///   - right: the database that is checked.
  package init(_ left: ComparedSide, _ right: ComparedSide, rules: VerifyRules, known: Survey? = nil) {
    self.left = left
    self.right = right
    self.rules = rules
    self.known = known?.groups ?? [:]
  }

  package func run() throws -> VerifyOutcome {
    var outcome = VerifyOutcome()
    let days = try compareRows(&outcome)
    try compareSummaries(&outcome, explainedDays: days)
    try compareOwnTables(&outcome)
    outcome.days.sort { ($0.table, $0.metricType, $0.day) < ($1.table, $1.metricType, $1.day) }
    return outcome
  }

  // MARK: Groups

  /// A type, and the days on which its rows differ, with the number of rows on both sides.
  typealias DifferingDays = (type: String, days: [(day: String, rows: Int)])

  /// Digests by type and month, and the days in them that differ.
  private func differingDays(_ table: ChunkTable, _ outcome: inout VerifyOutcome) throws -> [DifferingDays] {
    let leftGroups = try known[table] ?? left.months(of: table)
    let rightGroups = try right.months(of: table)
    for key in Set(leftGroups.keys).union(rightGroups.keys).sorted() {
      let (a, b) = (leftGroups[key] ?? GroupDigest(), rightGroups[key] ?? GroupDigest())
      outcome.groups.append(
        .init(
          table: table.rawValue, metricType: key.metricType, month: key.day, left: a, right: b,
          isEqual: a.isSame(as: b)))
    }
    let selection = GroupSelection(differing: leftGroups, rightGroups)
    if selection.isEmpty { return [] }
    let leftDays = try left.days(of: table, in: selection)
    let rightDays = try right.days(of: table, in: selection)
    return Verification.counted(GroupSelection(differing: leftDays, rightDays), leftDays, rightDays)
  }

  /// In order.
  static func counted(_ selection: GroupSelection, _ left: GroupDigests, _ right: GroupDigests) -> [DifferingDays] {
    selection.periods.sorted { $0.key < $1.key }.map { type, days in
      let counted = days.sorted().map { day in
        let key = GroupKey(metricType: type, day: day)
        return (day, (left[key]?.rows ?? 0) + (right[key]?.rows ?? 0))
      }
      return (type, counted)
    }
  }

  // MARK: Raw rows

  /// Returns the days on which rows differ for a reason, with those beside them: a local day spans two days of UTC.
  private func compareRows(_ outcome: inout VerifyOutcome) throws -> Set<String> {
    var explainedDays: Set<String> = []
    for differing in try differingDays(.metrics, &outcome) {
      let comparison = try compareRows(differing)
      outcome.days += comparison.days.values
      for (reason, count) in comparison.explained { outcome.explain(reason, count) }
      for day in comparison.explainedDays {
        for offset in -1...1 { explainedDays.insert(day.advanced(by: offset).description) }
      }
    }
    return explainedDays
  }

  /// Row by row.
  func compareRows(_ differing: DifferingDays) throws -> RowComparison {
    var comparison = RowComparison(metricType: differing.type, rules: rules, keys: (left.key, right.key))
    for batch in Verification.batches(differing.days) {
      comparison.compare(
        try left.rows(of: differing.type, on: batch), try right.rows(of: differing.type, on: batch))
    }
    return comparison
  }

  /// Neighbouring days together, up to a number of rows. `infinity` is no day that rows could be asked for.
  private static func batches(_ days: [(day: String, rows: Int)]) -> [[String]] {
    var batches: [[String]] = []
    var rows = 0
    for (day, count) in days where !day.hasSuffix("infinity") {
      if batches.isEmpty || rows + count > batchRows {
        batches.append([])
        rows = 0
      }
      batches[batches.count - 1].append(day)
      rows += count
    }
    return batches
  }

  // MARK: Summaries

  private func compareSummaries(_ outcome: inout VerifyOutcome, explainedDays: Set<String>) throws {
    for differing in try differingDays(.dailySummaries, &outcome) {
      let comparison = try compareSummaries(differing, explainedDays: explainedDays)
      outcome.days += comparison.days.values
      for (reason, count) in comparison.explained { outcome.explain(reason, count) }
    }
  }

  func compareSummaries(_ differing: DifferingDays, explainedDays: Set<String>) throws -> SummaryComparison {
    var comparison = SummaryComparison(metricType: differing.type, rules: rules, explainedDays: explainedDays)
    let days = differing.days.map(\.day)
    comparison.compare(
      try left.summaries(of: differing.type, on: days), try right.summaries(of: differing.type, on: days))
    return comparison
  }

  // MARK: Schema hk2pg

  /// Where the facts of two databases are merged into one row, a difference is none.
  static let mergedTables: Set<ChunkTable> = [.sources, .profiles, .userSettings, .typeUnits, .prunedDays]

  private func compareOwnTables(_ outcome: inout VerifyOutcome) throws {
    for table in ChunkTable.archived where table != .metrics && table != .dailySummaries && table != .problems {
      // An export does not know what others have told; a database without our schema knows nothing.
      guard left.relations[table] != nil else { continue }
      let (a, b) = (try left.whole(table), try right.whole(table))
      if a.rows == 0 && b.rows == 0 { continue }
      var line = VerifyOutcome.Table(
        table: table.rawValue, leftRows: a.rows, rightRows: b.rows, missing: 0, extra: 0)
      if !a.isSame(as: b) {
        (line.missing, line.extra) = Verification.difference(try left.hashes(table), try right.hashes(table))
        judge(table, &line, &outcome)
      }
      outcome.tables.append(line)
    }
  }

  private func judge(_ table: ChunkTable, _ line: inout VerifyOutcome.Table, _ outcome: inout VerifyOutcome) {
    if table == .imports && rules.kind != .contained {
      // Each database tells its own story; what it came to is compared above.
      outcome.explain(.ledger, line.missing + line.extra)
      (line.missing, line.extra) = (0, 0)
    }
    if rules.kind == .exact { return }
    if Verification.mergedTables.contains(table) {
      outcome.explain(.merged, line.missing)
      line.missing = 0
    }
    outcome.explain(rules.kind == .contained ? .additional : .kept, line.extra)
    line.extra = 0
    if rules.isOlder {
      outcome.explain(.newerExport, line.missing)
      line.missing = 0
    }
  }

  /// How many of each ascending list the other lacks.
  static func difference(_ a: [Int64], _ b: [Int64]) -> (missing: Int, extra: Int) {
    var (i, j, missing, extra) = (0, 0, 0, 0)
    while i < a.count || j < b.count {
      if j == b.count || (i < a.count && a[i] < b[j]) {
        missing += 1
        i += 1
      } else if i == a.count || b[j] < a[i] {
        extra += 1
        j += 1
      } else {
        i += 1
        j += 1
      }
    }
    return (missing, extra)
  }
}
