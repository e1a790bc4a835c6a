/// What one parser worker has mapped since its last spill: records by type, and their metadata bytes side by side.
/// Not shared; handed over whole.
package struct SampleBuffer: Sendable {
  /// All records of one metric type, in order of arrival.
  package struct Run: Sendable {
    package let type: Symbol
    package var records: [SampleRecord] = []
  }

  package private(set) var runs: [Run] = []
  /// Metadata JSON of all records (`SampleRecord.payloadRange`).
  package var payload: [UInt8] = []
  /// Run of a type symbol, by symbol index; -1 where none.
  private var runIndexes: [Int32] = []
  package private(set) var recordCount = 0

  package init() {}

  /// Bytes held, for the memory ceiling.
  package var byteCount: Int { recordCount * MemoryLayout<SampleRecord>.stride + payload.count }

  /// Adds a record whose metadata is the bytes from `payloadStart` to the end of `payload` (none: no metadata).
  package mutating func append(_ record: SampleRecord, type: Symbol, payloadStart: Int) {
    var record = record
    record.payloadOffset = UInt32(payloadStart)
    record.payloadLength = UInt32(payload.count - payloadStart)
    let symbolIndex = Int(type.index)
    while runIndexes.count <= symbolIndex { runIndexes.append(-1) }
    if runIndexes[symbolIndex] < 0 {
      runIndexes[symbolIndex] = Int32(runs.count)
      runs.append(Run(type: type))
    }
    runs[Int(runIndexes[symbolIndex])].records.append(record)
    recordCount += 1
  }
}
