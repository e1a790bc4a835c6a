import HealthModel

/// Sorted records of one type in memory, with the payload of the buffer they came in.
struct SortedRun: Sendable {
  let type: Symbol
  let records: [SampleRecord]
  let payload: [UInt8]
}

/// One buffer after sorting: what the store keeps, or spills.
struct SortedBuffer: Sendable {
  let runs: [SortedRun]
  /// Bytes of memory it occupies.
  let byteCount: Int

  init(_ buffer: consuming SampleBuffer) {
    let payload = SortedBuffer.trimmed(buffer.payload)
    runs = buffer.runs.map { run in
      SortedRun(type: run.type, records: SortedBuffer.trimmed(RecordSort.sorted(run.records)), payload: payload)
    }
    byteCount = runs.reduce(payload.capacity) { $0 + $1.records.capacity * MemoryLayout<SampleRecord>.stride }
  }

  /// An array that grew by appending may have half its memory unused.
  private static func trimmed<Element: BitwiseCopyable>(_ array: [Element]) -> [Element] {
    array.capacity <= array.count + array.count / 8 ? array : Array(array[...])
  }
}
