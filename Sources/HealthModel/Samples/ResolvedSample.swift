/// A sample that will be a row: repeats and copies are merged, its id and its place in the table are fixed.
package struct ResolvedSample: BitwiseCopyable, Sendable {
  /// The sample; `payloadRange` is the final metadata, in `ResolvedBatch.payload`.
  package var record: SampleRecord
  package var id: RowID
  /// Exported start plus 0, 1, 2 … µs among the samples of one type and second (DESIGN §3.7).
  package var startedAt: Instant
  /// Never before `startedAt`. NULL in the table when `record.flags` lacks `hasEnd`.
  package var endedAt: Instant
  /// Unit as stored.
  package var unit: Symbol

  package init(record: SampleRecord, id: RowID, startedAt: Instant, endedAt: Instant, unit: Symbol) {
    self.record = record
    self.id = id
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.unit = unit
  }
}

/// All samples of one metric type that start in one second, after the merge of segments and before resolution.
/// One value is filled over and over.
package struct SampleGroup: Sendable {
  package var records: [SampleRecord] = []
  /// Metadata of `records` (`SampleRecord.payloadRange`).
  package var payload: [UInt8] = []

  package init() {}

  /// Called once per start second, so the usual case of no metadata is worth a look.
  package mutating func removeAll() {
    records.removeAll(keepingCapacity: true)
    if !payload.isEmpty { payload.removeAll(keepingCapacity: true) }
  }
}

/// What resolution makes of groups: rows in identity order, and where the other samples went.
package struct ResolvedBatch: Sendable {
  package var rows: [ResolvedSample] = []
  package var payload: [UInt8] = []
  /// Samples that are the same row as another one: repeats and copies.
  package var repeats = 0
  /// Earlier ActivitySummaries of a date.
  package var superseded = 0
  /// Samples beyond the 1,000,000 that fit into one second of one type.
  package var rejected = 0

  package init() {}

  package mutating func removeAll() {
    rows.removeAll(keepingCapacity: true)
    payload.removeAll(keepingCapacity: true)
    repeats = 0
    superseded = 0
    rejected = 0
  }
}
