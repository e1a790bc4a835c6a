import BoundedQueues
package import HealthModel

/// Every mapped sample of a run, sorted by (type, start, end): in memory while it fits, in segment files beyond.
///
/// Workers hand over buffers; each is sorted on the worker's own thread. As soon as the buffers held would exceed
/// `memoryLimit`, those held and the new one are written together as one segment file. So memory stays below the
/// limit plus one buffer a worker, and segments are few and large.
package final class SegmentStore: Sendable {
  fileprivate struct State {
    var kept: [SortedBuffer] = []
    var segments: [Segment] = []
    var counts: [Symbol: Int] = [:]
    var keptByteCount = 0
    /// Of buffers that are being written.
    var spillingByteCount = 0
    var peakByteCount = 0
    var segmentCount = 0
  }

  package let directory: String
  package let memoryLimit: Int
  private let symbols: SymbolTable
  private let state = Guarded(State())

  /// `directory` is made when absent; segment files in it, of a run that was killed, are removed. Only one store may
  /// work in a directory at a time.
  package init(directory: String, memoryLimit: Int, symbols: SymbolTable) throws(StagingError) {
    self.directory = directory
    self.memoryLimit = memoryLimit
    self.symbols = symbols
    try FileSystem.makeFolder(directory)
    for name in try FileSystem.names(in: directory) ?? [] where SegmentStore.isSegment(name) {
      try FileSystem.remove("\(directory)/\(name)")
    }
  }

  deinit { try? removeAll() }

  private static func isSegment(_ name: String) -> Bool {
    name.hasPrefix("segment-") && name.hasSuffix(ChunkFolder.partialSuffix)
  }

  /// Sorts the buffer and keeps it, or writes a segment file. From any thread.
  package func add(_ buffer: consuming SampleBuffer) throws(StagingError) {
    if buffer.recordCount == 0 { return }
    let sorted = SortedBuffer(buffer)
    let (spill, number) = state.withLock { $0.take(sorted, limit: memoryLimit) }
    if spill.isEmpty { return }
    let segment = try write(spill, number: number)
    let byteCount = spill.reduce(0) { $0 + $1.byteCount }
    state.withLock {
      $0.segments.append(segment)
      $0.spillingByteCount -= byteCount
    }
  }

  private func write(_ buffers: [SortedBuffer], number: Int) throws(StagingError) -> Segment {
    let path = "\(directory)/segment-\(number)\(ChunkFolder.partialSuffix)"
    var runs: [Symbol: [SortedRun]] = [:]
    for buffer in buffers { for run in buffer.runs { runs[run.type, default: []].append(run) } }
    var writer = try SegmentWriter(path: path)
    var batch = SampleGroup()
    for type in runs.keys.sorted(by: { $0.index < $1.index }) {
      try writer.beginRun(type)
      var merge = try SampleMerge((runs[type] ?? []).map(RunCursor.init))
      while try merge.nextBatch(limit: 1024, payloadLimit: SegmentWriter.blockByteCount, into: &batch) {
        try writer.append(batch)
      }
    }
    try writer.finish()
    return try Segment(reading: path)
  }

  /// Types with their number of records, ordered bytewise by name.
  package var types: [(type: Symbol, recordCount: Int)] {
    let counts = state.withLock { $0.counts }
    return counts.map { (type: $0.key, recordCount: $0.value, name: symbols.bytes(of: $0.key)) }
      .sorted { $0.name.lexicographicallyPrecedes($1.name) }
      .map { (type: $0.type, recordCount: $0.recordCount) }
  }

  /// All records of `type`, after the last `add` has returned. From any thread, any number at once.
  package func merge(type: Symbol) throws(StagingError) -> SampleMerge {
    let (kept, segments) = state.withLock { ($0.kept, $0.segments) }
    var cursors: [RunCursor] = []
    for buffer in kept { if let run = buffer.run(of: type) { cursors.append(RunCursor(run)) } }
    for segment in segments { if let run = segment.directory.run(of: type) { cursors.append(RunCursor(segment, run)) } }
    return try SampleMerge(cursors)
  }

  /// Bytes of buffers held in memory, now and at most; segment files written.
  package var heldByteCount: Int { state.withLock { $0.keptByteCount + $0.spillingByteCount } }
  package var peakByteCount: Int { state.withLock { $0.peakByteCount } }
  package var segmentCount: Int { state.withLock { $0.segmentCount } }

  /// Forgets all records, removes the segment files, and the directory if nothing else is in it.
  package func removeAll() throws(StagingError) {
    let segments = state.withLock { state in
      defer { state = State() }
      return state.segments
    }
    for segment in segments { try FileSystem.remove(segment.path) }
    if try FileSystem.names(in: directory)?.isEmpty == true { try FileSystem.remove(directory) }
  }
}

extension SegmentStore.State {
  /// Takes a buffer in; what must be written now, and the number of its file. Empty: everything fits.
  fileprivate mutating func take(_ buffer: SortedBuffer, limit: Int) -> (spill: [SortedBuffer], number: Int) {
    for run in buffer.runs { counts[run.type, default: 0] += run.records.count }
    kept.append(buffer)
    keptByteCount += buffer.byteCount
    let held = keptByteCount + spillingByteCount
    peakByteCount = max(peakByteCount, held)
    if held <= limit { return ([], 0) }
    defer {
      kept = []
      spillingByteCount += keptByteCount
      keptByteCount = 0
      segmentCount += 1
    }
    return (kept, segmentCount + 1)
  }
}
