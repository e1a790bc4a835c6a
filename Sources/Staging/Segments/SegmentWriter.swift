import HealthModel

/// Writes one segment file: the sorted records of each type in compressed blocks.
///
/// A block is self-contained: its records (`RecordPacking`), then their payload. In memory a block is up to 128 KiB,
/// more only when one record's payload is.
struct SegmentWriter: ~Copyable {
  static let blockByteCount = 128 << 10
  private static let pieceByteCount = 1 << 20

  private let file: OpenFile
  private var compressor: ZstdCompressor
  private var directory = SegmentDirectory()
  private var run: SegmentDirectory.Run?
  private var block: [UInt8] = []
  private var records: [SampleRecord] = []
  private var payload: [UInt8] = []
  private var frames: [UInt8] = []
  private var fileByteCount = 0

  init(path: String) throws(StagingError) {
    let file = try OpenFile(creating: path)
    // Every block's frame has its own digest in the directory.
    let compressor = try ZstdCompressor(hasChecksum: false)
    self.file = file
    self.compressor = compressor
  }

  mutating func beginRun(_ type: Symbol) throws(StagingError) {
    try endRun()
    run = SegmentDirectory.Run(type: type)
  }

  /// The next records of the run, in order.
  mutating func append(_ batch: borrowing SampleGroup) throws(StagingError) {
    let source = batch.records.span
    let bytes = batch.payload.span
    for index in source.indices {
      var record = source[index]
      let length = Int(record.payloadLength)
      let size = MemoryLayout<SampleRecord>.stride * (records.count + 1) + payload.count + length
      if size > SegmentWriter.blockByteCount && !records.isEmpty { try endBlock() }
      let start = Int(record.payloadOffset)
      record.payloadOffset = UInt32(payload.count)
      records.append(record)
      payload.append(bytes, start..<start + length)
    }
  }

  /// Ends the file; it is read through `Segment`.
  consuming func finish() throws(StagingError) {
    try endRun()
    try writeFrames()
    try file.write(directory.encoded.span)
  }

  private mutating func endRun() throws(StagingError) {
    try endBlock()
    if let run { directory.runs.append(run) }
    run = nil
  }

  private mutating func endBlock() throws(StagingError) {
    if records.isEmpty { return }
    block.removeAll(keepingCapacity: true)
    RecordPacking.append(records, to: &block)
    let recordByteCount = block.count
    let bytes = payload
    block.append(bytes, 0..<bytes.count)
    let start = frames.count
    let input = block
    try compressor.compressFrame(input.span, into: &frames)
    let digest = ContentDigest.hash64(frames.span.extracting(start..<frames.count))
    run?.blocks.append(
      SegmentDirectory.Block(
        offset: fileByteCount + start, frameByteCount: frames.count - start, recordCount: records.count,
        recordByteCount: recordByteCount, payloadByteCount: payload.count, digest: digest))
    run?.recordCount += records.count
    records.removeAll(keepingCapacity: true)
    payload.removeAll(keepingCapacity: true)
    if frames.count >= SegmentWriter.pieceByteCount { try writeFrames() }
  }

  private mutating func writeFrames() throws(StagingError) {
    let bytes = frames
    try file.write(bytes.span)
    fileByteCount += bytes.count
    frames.removeAll(keepingCapacity: true)
  }
}
