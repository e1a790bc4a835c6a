package import HealthModel

/// Makes rows of the samples of one metric type that start in one second (DESIGN §3.3, §3.4, §3.7): repeats and copies
/// become one row, samples of equal identity get their ranks, rows their ids and their microseconds.
///
/// ```
/// samples of a second       rows, in identity order            started_at   rank
///  60 Watch                  end 10:00:00  naming 0  60 Watch   +0 µs        0
///  60 Watch (repeat)                                 61 iPhone  +1 µs        1
///  61 iPhone                 end 10:00:05  naming 0  59 Watch   +2 µs        0
///  59 Watch, ends later
/// ```
/// The result depends on the samples alone, not on their order in the group and not on symbol numbers.
package struct IdentityResolver {
  private let kind: MetricKind
  private let canonicalUnit: Symbol
  private let identity: IdentityHash
  private let user: UserKey
  private let zone: ZoneRules
  private let order: SampleOrder
  private let rowsPerSecond: Int
  private var indexes: [Int] = []
  private var twins = TwinMatcher()

  /// - Parameters:
  ///   - metricType: identifier in UTF-8.
  ///   - symbols: every string of the run, by symbol (`SymbolTable.snapshot`).
  ///   - zone: the user's, for the days of ActivitySummaries.
  ///   - rowsPerSecond: a second has room for this many rows; the rest is rejected.
  package init(
    metricType: [UInt8], symbols: [[UInt8]], user: UserKey, zone: ZoneRules, rowsPerSecond: Int = 1_000_000
  ) {
    let name = String(decoding: metricType, as: UTF8.self)
    kind = Catalogue.kind(ofType: name)
    // A unit that no sample was converted into is no symbol, and not needed.
    let unit = Catalogue.canonicalUnit(ofType: name).flatMap { symbols.firstIndex(of: Array($0.utf8)) }
    canonicalUnit = Symbol(index: UInt32(unit ?? 0))
    identity = IdentityHash(metricType: metricType)
    self.user = user
    self.zone = zone
    order = SampleOrder(symbols: symbols)
    self.rowsPerSecond = rowsPerSecond
  }

  /// Appends the rows of `group` to `batch`, and counts the samples that are none. The group is used as scratch space.
  package mutating func resolve(_ group: inout SampleGroup, into batch: inout ResolvedBatch) {
    if group.records.isEmpty { return }
    if kind == .activitySummary {
      resolveSummary(group, into: &batch)
    } else if group.records.count == 1 {
      append(group.records[0], of: group, rank: 0, place: 0, to: &batch)
    } else {
      resolveSeveral(&group, into: &batch)
    }
  }

  private mutating func resolveSeveral(_ group: inout SampleGroup, into batch: inout ResolvedBatch) {
    let sampleCount = group.records.count
    order.sort(&indexes, of: group, by: .matching)
    twins.match(indexes, in: &group, order: order)
    batch.repeats += sampleCount - group.records.count
    order.sort(&indexes, of: group, by: .identity)

    let placed = min(indexes.count, rowsPerSecond)
    batch.rejected += indexes.count - placed
    var rank: UInt32 = 0
    for place in 0..<placed {
      let record = group.records[indexes[place]]
      let isSame = place > 0 && SampleOrder.isSameIdentity(group.records[indexes[place - 1]], record)
      rank = isSame ? rank + 1 : 0
      append(record, of: group, rank: rank, place: place, to: &batch)
    }
  }

  /// An ActivitySummary is its date; of several the last in the input counts. Its row spans the day in the user's zone,
  /// while its identity stays with the date.
  private func resolveSummary(_ group: SampleGroup, into batch: inout ResolvedBatch) {
    var last = 0
    for i in group.records.indices.dropFirst() {
      let (a, b) = (group.records[last], group.records[i])
      let isLater =
        a.inputOffset != b.inputOffset
        ? a.inputOffset < b.inputOffset : order.identity(a, b, group.payload.span) < 0
      if isLater { last = i }
    }
    batch.superseded += group.records.count - 1
    let record = group.records[last]
    let day = record.start.utcDay
    append(
      record, of: group, startedAt: zone.firstInstant(of: day), endedAt: zone.firstInstant(of: day.advanced(by: 1)),
      hash: identity.hash(
        start: day.utcMidnight, end: day.advanced(by: 1).utcMidnight, naming: 0, rank: 0),
      to: &batch)
  }

  private func append(
    _ record: SampleRecord, of group: borrowing SampleGroup, rank: UInt32, place: Int, to batch: inout ResolvedBatch
  ) {
    let startedAt = Instant(microseconds: record.start.seconds * 1_000_000 + Int64(place))
    append(
      record, of: group, startedAt: startedAt, endedAt: max(record.end, startedAt),
      hash: identity.hash(start: record.start, end: record.end, naming: record.naming, rank: rank), to: &batch)
  }

  private func append(
    _ record: SampleRecord, of group: borrowing SampleGroup, startedAt: Instant, endedAt: Instant, hash: Hash74,
    to batch: inout ResolvedBatch
  ) {
    var row = record
    row.payloadOffset = UInt32(batch.payload.count)
    batch.payload.append(record.payloadRange, of: group.payload.span)
    batch.rows.append(
      ResolvedSample(
        record: row, id: RowID(startMilliseconds: record.start.milliseconds, hash: hash, user: user),
        startedAt: startedAt, endedAt: endedAt,
        unit: record.flags.contains(.isConverted) ? canonicalUnit : record.exportedUnit))
  }
}
