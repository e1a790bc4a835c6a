/// Reads one chunk: decompressed pieces of its COPY stream, checked against the manifest at the end.
package struct ChunkReader: ~Copyable {
  private static let pieceByteCount = 256 << 10

  private let chunk: Manifest.Chunk
  private let file: OpenFile
  private var decompressor: ZstdDecompressor
  private var digest = ContentDigest()
  private var compressed: [UInt8] = []
  private var position = 0
  private var fileByteCount = 0
  private var byteCount = 0
  private var isFileAtEnd = false

  init(path: String, chunk: Manifest.Chunk) throws(StagingError) {
    let file = try OpenFile(reading: path)
    let decompressor = try ZstdDecompressor(path: path)
    self.chunk = chunk
    self.file = file
    self.decompressor = decompressor
  }

  /// Replaces `piece` by the next bytes of the COPY stream and returns their number. At the end (0) the frame was
  /// complete, and sizes and digest are those of the manifest; until then nothing read may be relied on.
  package mutating func read(into piece: inout [UInt8]) throws(StagingError) -> Int {
    piece.removeAll(keepingCapacity: true)
    while piece.isEmpty {
      if position == compressed.count && !isFileAtEnd { try readFile() }
      let input = compressed
      let consumed = try decompressor.decompress(
        input.span, from: position, into: &piece, limit: ChunkReader.pieceByteCount)
      position += consumed
      if piece.isEmpty && consumed == 0 && isFileAtEnd && position == compressed.count {
        try checkEnd()
        return 0
      }
    }
    byteCount += piece.count
    return piece.count
  }

  private mutating func readFile() throws(StagingError) {
    var input: [UInt8] = []
    swap(&input, &compressed)
    try file.read(into: &input, limit: ChunkReader.pieceByteCount)
    position = 0
    isFileAtEnd = input.isEmpty
    fileByteCount += input.count
    digest.update(input.span)
    compressed = input
  }

  private func checkEnd() throws(StagingError) {
    if !decompressor.isAtFrameEnd { throw .truncated(path: file.path) }
    if fileByteCount != chunk.compressedByteCount {
      throw .wrongSize(path: file.path, expected: chunk.compressedByteCount, found: fileByteCount)
    }
    if byteCount != chunk.byteCount { throw .wrongSize(path: file.path, expected: chunk.byteCount, found: byteCount) }
    let found = digest.text()
    if found != chunk.digest { throw .wrongDigest(path: file.path, expected: chunk.digest, found: found) }
  }
}
