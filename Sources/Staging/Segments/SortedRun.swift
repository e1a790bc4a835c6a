import HealthModel

/// Sorted records of one type in memory, with the payload of the buffer they came in.
struct SortedRun: Sendable {
  let type: Symbol
  let records: [SampleRecord]
  let payload: [UInt8]
}

/// One buffer after sorting: what the store keeps, or spills.
struct SortedBuffer: Sendable {
  /// By type index, so that a run is found among many.
  let runs: [SortedRun]
  /// Bytes of memory it occupies.
  let byteCount: Int

  init(_ buffer: consuming SampleBuffer) {
    let payload = SortedBuffer.trimmed(buffer.payload)
    runs = buffer.runs.sorted { $0.type.index < $1.type.index }.map { run in
      SortedRun(type: run.type, records: SortedBuffer.trimmed(RecordSort.sorted(run.records)), payload: payload)
    }
    byteCount = runs.reduce(payload.capacity) { $0 + $1.records.capacity * MemoryLayout<SampleRecord>.stride }
  }

  func run(of type: Symbol) -> SortedRun? {
    runs.placeOfRun(of: type.index) { $0.type.index }.map { runs[$0] }
  }

  /// An array that grew by appending may have half its memory unused.
  private static func trimmed<Element: BitwiseCopyable>(_ array: [Element]) -> [Element] {
    array.capacity <= array.count + array.count / 8 ? array : Array(array[...])
  }
}

extension Array {
  /// Where the run of `type` is among runs that are ordered by type index; nil when there is none.
  func placeOfRun(of type: UInt32, _ typeOf: (Element) -> UInt32) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if typeOf(self[middle]) < type { low = middle + 1 } else { high = middle }
    }
    return low < count && typeOf(self[low]) == type ? low : nil
  }
}
