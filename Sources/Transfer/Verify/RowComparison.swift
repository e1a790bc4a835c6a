import HealthModel
import Loading
import Staging

/// Compares the raw rows of one type on some days, row by row, and finds a reason for what differs.
struct RowComparison {
  let metricType: String
  let rules: VerifyRules
  /// Ids of hk2pg differ by one XOR when the users do.
  let keys: (left: UserKey, right: UserKey)

  private(set) var explained: [VerifyReason: Int] = [:]
  /// By day (UTC).
  private(set) var days: [String: VerifyOutcome.Day] = [:]
  /// Days on which something was explained: their summaries may differ too.
  private(set) var explainedDays: Set<CivilDay> = []

  init(metricType: String, rules: VerifyRules, keys: (left: UserKey, right: UserKey)) {
    self.metricType = metricType
    self.rules = rules
    self.keys = keys
  }

  mutating func compare(_ left: [RowRecord], _ right: [RowRecord]) {
    var byID: [RowID: Int] = Dictionary(minimumCapacity: right.count)
    for index in right.indices { byID[right[index].id] = index }
    var isMatched = [Bool](repeating: false, count: right.count)
    var leftOver: [RowRecord] = []
    for row in left {
      if let index = index(of: row, byID), !isMatched[index] {
        isMatched[index] = true
        compare(row, right[index])
      } else {
        leftOver.append(row)
      }
    }
    let rightOver = right.indices.filter { !isMatched[$0] }.map { right[$0] }
    let rest = matchTwins(leftOver, rightOver)
    let hours = Set(right.filter(\.isHourly).map(\.second))
    for row in rest.left { judgeMissing(row, hours: hours) }
    judgeExtra(rest.right, left: left, right: right)
  }

  private func index(of row: RowRecord, _ byID: [RowID: Int]) -> Int? {
    let rekeyed = row.id.rekeyed(from: keys.left, to: keys.right)
    if row.id.isOurs { return byID[rekeyed] }
    return byID[row.id] ?? byID[rekeyed]
  }

  // MARK: Rows of one id

  private mutating func compare(_ left: RowRecord, _ right: RowRecord) {
    let isSameButValue = left.second == right.second && left.source == right.source && left.rest == right.rest
    if isSameButValue && RowRecord.isEqual(left.value, right.value) { return }
    if isSameButValue && left.hasSameValue(as: right) && rules.kind == .export {
      explain(.rounded, left)
    } else if rules.isOlder {
      explain(.newerExport, left)
    } else if rules.kind == .export && !right.isOurs {
      explain(.live, left)
    } else {
      differ(left) { $0.changed += 1 }
    }
  }

  // MARK: Rows of other ids

  private struct Place: Hashable {
    var second: Instant
    /// nil: of any source.
    var source: Int64?
  }

  /// A live row and an imported one of the same type, second, source and value are one sample, one to one.
  private mutating func matchTwins(
    _ left: [RowRecord], _ right: [RowRecord]
  ) -> (left: [RowRecord], right: [RowRecord]) {
    var places: [Place: [Int]] = [:]
    for (index, row) in right.enumerated() {
      places[Place(second: row.second, source: row.source), default: []].append(index)
      // A live row may have the name of the device instead of the source's.
      if rules.kind == .export && !row.isOurs { places[Place(second: row.second), default: []].append(index) }
    }
    var isTaken = [Bool](repeating: false, count: right.count)
    var rest: [RowRecord] = []
    for row in left {
      let near =
        (places[Place(second: row.second, source: row.source)] ?? []) + (places[Place(second: row.second)] ?? [])
      let twin = near.first { index in
        !isTaken[index] && !(row.isOurs && right[index].isOurs) && row.hasSameValue(as: right[index])
      }
      if let twin {
        isTaken[twin] = true
        explain(rules.kind == .export ? .live : .otherID, row)
      } else {
        rest.append(row)
      }
    }
    return (rest, right.indices.filter { !isTaken[$0] }.map { right[$0] })
  }

  private mutating func judgeMissing(_ row: RowRecord, hours: Set<Instant>) {
    let end = Instant(microseconds: row.second.microseconds + 1)
    if rules.kind != .exact, row.isOurs, rules.pruned.overlaps(metricType, row.second..<end) {
      explain(.pruned, row)
    } else if rules.kind == .export, let start = rules.windowStart, row.second < start {
      explain(.rawWindow, row)
    } else if rules.kind != .exact, row.isOurs, isCovered(row, hours) {
      explain(.live, row)
    } else if rules.isOlder {
      explain(.newerExport, row)
    } else {
      differ(row) { $0.missing += 1 }
    }
  }

  /// A live row for a whole hour begins up to an hour earlier.
  private func isCovered(_ row: RowRecord, _ hours: Set<Instant>) -> Bool {
    hours.contains { hour in
      hour <= row.second && row.second.microseconds < hour.microseconds + 3_600_000_000
    }
  }

  /// Rows that the reference lacks. An import keeps those of groups (source, day) that the export lacks, or has less
  /// than half of (DESIGN §3.9).
  private mutating func judgeExtra(_ rows: [RowRecord], left: [RowRecord], right: [RowRecord]) {
    if rows.isEmpty { return }
    let (counts, tableCounts) = (RowComparison.groups(left), RowComparison.groups(right.filter(\.isOurs)))
    for row in rows {
      let group = Group(day: row.second.utcDay, source: row.source)
      let count = counts[group] ?? 0
      switch rules.kind {
      case .contained: explain(.additional, row)
      case .export where !row.isOurs: explain(.liveRow, row)
      case .export where rules.isOlder: explain(.newerExport, row)
      case .export where count == 0 || count * 2 < tableCounts[group] ?? 0: explain(.kept, row)
      default: differ(row) { $0.extra += 1 }
      }
    }
  }

  private struct Group: Hashable {
    var day: CivilDay
    var source: Int64
  }

  private static func groups(_ rows: [RowRecord]) -> [Group: Int] {
    var counts: [Group: Int] = [:]
    for row in rows { counts[Group(day: row.second.utcDay, source: row.source), default: 0] += 1 }
    return counts
  }

  // MARK: Findings

  private mutating func explain(_ reason: VerifyReason, _ row: RowRecord) {
    explained[reason, default: 0] += 1
    explainedDays.insert(row.second.utcDay)
  }

  private mutating func differ(_ row: RowRecord, _ change: (inout VerifyOutcome.Day) -> Void) {
    let day = row.second.utcDay.description
    change(
      &days[
        day, default: VerifyOutcome.Day(table: ChunkTable.metrics.rawValue, metricType: metricType, day: day)])
  }
}
