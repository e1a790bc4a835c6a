package import HealthModel
import PostgresClient

/// Row count and fingerprint of every (source, UTC day) of one metric type: what loading compares with the same
/// figures of the database, to leave groups alone that did not change.
///
/// ```sql
/// SELECT metric_type, source_device, (date_trunc('second', started_at) AT TIME ZONE 'UTC')::date, count(*)::int4,
///        bit_xor(uuid_hash_extended(id, coalesce(hashfloat8extended(value, 1), 0)))
/// ```
/// One value per type; `write` brings those of all workers into one order. Few rows: sources × days of a type.
///
/// The groups of a day are known when it has ended; a stage that knows the database's leaves out the rows of days that
/// do not differ (`leaveOut`), and their groups are written apart.
package struct GroupFingerprints: Sendable {
  package struct Group: BitwiseCopyable, Equatable, Sendable {
    package var day: CivilDay
    package var source: Symbol
    package var rowCount: Int32
    package var fingerprint: UInt64
  }

  package let metricType: [UInt8]
  /// Of all days before the current one, ordered by day and source bytes.
  package private(set) var groups: [Group] = []
  /// Of the current day, in order of arrival; a few sources, so a search beats a dictionary.
  private var today: [Group] = []
  private var day = CivilDay(daysSince1970: .min)
  /// Days whose rows are not staged.
  private var unchangedDays: Set<CivilDay> = []

  package init(metricType: [UInt8]) { self.metricType = metricType }

  /// Adds rows that are ordered by `startedAt`, as batches come.
  package mutating func add(_ batch: borrowing ResolvedBatch, symbols: [[UInt8]]) {
    let rows = batch.rows.span
    for index in rows.indices {
      let days = Int32(clamping: rows[index].startedAt.microseconds.flooredQuotient(86_400_000_000))
      if days != day.daysSince1970 {
        endDay(symbols: symbols)
        day = CivilDay(daysSince1970: days)
      }
      add(rows[index])
    }
  }

  private mutating func add(_ row: ResolvedSample) {
    let hash = GroupFingerprints.hash(id: row.id, value: row.record.numericValue)
    for index in today.indices where today[index].source.index == row.record.source.index {
      today[index].rowCount += 1
      today[index].fingerprint ^= hash
      return
    }
    today.append(Group(day: day, source: row.record.source, rowCount: 1, fingerprint: hash))
  }

  /// What one row contributes. Two rows of one id cannot be in a table, so XOR loses nothing.
  package static func hash(id: RowID, value: Double?) -> UInt64 {
    let seed = value.map { PostgresHash.hash($0, seed: 1) } ?? 0
    return PostgresHash.hash(id.high.byteSwapped, id.low.byteSwapped, seed: seed)
  }

  /// After the last row.
  package mutating func endDay(symbols: [[UInt8]]) {
    today.sort { a, b in
      symbols[Int(a.source.index)].lexicographicallyPrecedes(symbols[Int(b.source.index)])
    }
    groups += today
    today.removeAll(keepingCapacity: true)
  }

  /// Notes that the rows of an ended day are left out of the chunks.
  package mutating func leaveOut(_ day: CivilDay) { unchangedDays.insert(day) }

  /// Writes groups of all types, ordered by (type, day, source): into a writer of `ChunkTable.unchangedGroups` those of
  /// days left out, into one of `ChunkTable.groups` the others.
  package static func write(
    _ all: [GroupFingerprints], symbols: [[UInt8]], to writer: inout ChunkWriter
  ) throws(StagingError) {
    let leftOut = writer.table == .unchangedGroups
    for var type in all.sorted(by: { $0.metricType.lexicographicallyPrecedes($1.metricType) }) {
      type.endDay(symbols: symbols)
      for group in type.groups where type.unchangedDays.contains(group.day) == leftOut {
        try writer.appendRow { row in
          row.append(text: type.metricType)
          row.append(text: symbols[Int(group.source.index)])
          row.append(date: group.day)
          row.append(int4: group.rowCount)
          row.append(int8: Int64(bitPattern: group.fingerprint))
        }
      }
    }
  }
}
