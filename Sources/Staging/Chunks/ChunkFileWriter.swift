/// Writes chunk files one after another: compressed and digested on the way, under a `.partial` name until they are
/// whole.
struct ChunkFileWriter: ~Copyable {
  private let folder: UnfinishedChunkFolder
  private var compressor: ZstdCompressor
  private var digest = ContentDigest()
  private var compressed: [UInt8] = []
  private var byteCount = 0
  private var file: OpenFile?

  init(folder: UnfinishedChunkFolder, level: Int) throws(StagingError) {
    let compressor = try ZstdCompressor(level: level)
    self.folder = folder
    self.compressor = compressor
  }

  mutating func begin(_ name: String) throws(StagingError) {
    file = try OpenFile(creating: "\(folder.path)/\(name)\(ChunkFolder.partialSuffix)")
    digest.reset()
    byteCount = 0
  }

  /// Adds a piece of the COPY stream; the last one ends the frame.
  mutating func write(_ bytes: Span<UInt8>, isLast: Bool) throws(StagingError) {
    try compressor.compress(bytes, isLast: isLast, into: &compressed)
    if isLast || compressed.count >= ChunkWriter.pieceByteCount { try writeCompressed() }
  }

  /// After the last piece: the file gets its name, `chunk` its size and digest.
  mutating func end(_ chunk: inout Manifest.Chunk) throws(StagingError) {
    if folder.isDurable { try file?.sync() }
    file = nil
    let path = "\(folder.path)/\(chunk.file)"
    try FileSystem.rename(path + ChunkFolder.partialSuffix, to: path)
    chunk.compressedByteCount = byteCount
    chunk.digest = digest.text()
  }

  private mutating func writeCompressed() throws(StagingError) {
    var bytes: [UInt8] = []
    swap(&bytes, &compressed)
    byteCount += bytes.count
    digest.update(bytes.span)
    try file?.write(bytes.span)
    bytes.removeAll(keepingCapacity: true)
    swap(&bytes, &compressed)
  }
}

extension Manifest.Chunk {
  /// The `number`-th chunk of a row of them, before it has rows.
  init(empty table: ChunkTable, columns: [String]? = nil, prefix: String, number: Int) {
    let digits = String(number)
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    self.init(
      table: table, columns: columns, file: "\(prefix)-\(padded)\(ChunkFolder.chunkSuffix)", rowCount: 0,
      byteCount: 0, compressedByteCount: 0, digest: "")
  }
}
