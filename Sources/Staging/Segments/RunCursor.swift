import HealthModel

/// Where a merge stands in one sorted run: the records at hand, and where the next ones come from.
struct RunCursor {
  private enum Source {
    /// Everything is at hand.
    case memory
    case segment(Segment, blocks: [SegmentDirectory.Block], next: Int)
  }

  var records: [SampleRecord] = []
  var payload: [UInt8] = []
  /// Of the current record in `records`.
  var index = 0
  private var source: Source
  /// A record with more metadata than this has a block of its own, whose payload is read when it is the record's turn:
  /// else every run might hold megabytes at the same time.
  private static let largestHeldPayload = SegmentWriter.blockByteCount
  private var deferred: SegmentDirectory.Block?

  init(_ run: SortedRun) {
    records = run.records
    payload = run.payload
    source = .memory
  }

  init(_ segment: Segment, _ run: SegmentDirectory.Run) { source = .segment(segment, blocks: run.blocks, next: 0) }

  /// Memory beyond what the store holds anyway.
  var bufferByteCount: Int {
    guard case .segment = source else { return 0 }
    return records.capacity * MemoryLayout<SampleRecord>.stride + payload.capacity
  }

  /// After the last record at hand: reads the next block; false at the end of the run.
  mutating func refill(_ blocks: inout BlockReader) throws(StagingError) -> Bool {
    guard case .segment(let segment, let all, let next) = source, next < all.count else {
      records = []
      payload = []
      index = 0
      return false
    }
    try blocks.read(all[next], of: segment, records: &records, payload: &payload)
    index = 0
    source = .segment(segment, blocks: all, next: next + 1)
    deferred = nil
    if payload.count > RunCursor.largestHeldPayload {
      deferred = all[next]
      payload = []
    }
    return true
  }

  /// Before the payload of the current record is used.
  mutating func readDeferredPayload(_ blocks: inout BlockReader) throws(StagingError) {
    guard let block = deferred, case .segment(let segment, _, _) = source else { return }
    try blocks.read(block, of: segment, records: &records, payload: &payload)
    deferred = nil
  }
}

/// Reads and decompresses blocks for one merge.
struct BlockReader: ~Copyable {
  private var decompressor: ZstdDecompressor
  private var frame: [UInt8] = []
  private var block: [UInt8] = []

  init() throws(StagingError) { decompressor = try ZstdDecompressor(path: "") }

  var bufferByteCount: Int { frame.capacity + block.capacity }

  mutating func read(
    _ place: SegmentDirectory.Block, of segment: Segment, records: inout [SampleRecord], payload: inout [UInt8]
  ) throws(StagingError) {
    try segment.readFrame(of: place, into: &frame)
    let bytes = frame
    try decompressor.decompressFrame(bytes.span, byteCount: place.byteCount, into: &block, path: segment.path)
    block.append(contentsOf: repeatElement(0, count: RecordPacking.longestRead))
    let payloadByteCount = RecordPacking.unpack(
      block.span, byteCount: place.recordByteCount, count: place.recordCount, into: &records)
    if payloadByteCount != place.payloadByteCount {
      throw .corrupt(path: segment.path, reason: "the records of a block do not fit its directory")
    }
    payload.removeAll(keepingCapacity: true)
    payload.append(block.span, place.recordByteCount..<place.byteCount)
  }
}
