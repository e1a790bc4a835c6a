import PostgresClient

/// Writes rows that are in COPY form already, as a database gave them, into the chunks of one table of an archive.
package struct ArchiveChunkWriter: ~Copyable {
  private let table: ChunkTable
  private let limits: ChunkWriter.Limits
  private var file: ChunkFileWriter
  private var rows = CopyEncoder()
  private var chunk: Manifest.Chunk
  private var chunks: [Manifest.Chunk] = []
  private var prefix: String { table.filePrefix(ordinal: 1) }
  private var columns: [String] { table.archiveColumns.map(\.name) }

  package init(
    folder: UnfinishedChunkFolder, table: ChunkTable, limits: ChunkWriter.Limits = .init()
  ) throws(StagingError) {
    let file = try ChunkFileWriter(folder: folder, level: ZstdCompressor.defaultLevel)
    self.table = table
    self.limits = limits
    self.file = file
    chunk = Manifest.Chunk(
      empty: table, columns: table.archiveColumns.map(\.name), prefix: table.filePrefix(ordinal: 1), number: 1)
  }

  /// Adds one row: its field count and the fields of `ChunkTable.archiveColumns`.
  package mutating func append(_ row: Span<UInt8>) throws(StagingError) {
    if chunk.rowCount >= limits.rows || chunk.byteCount + rows.count >= limits.bytes { try endChunk() }
    if chunk.rowCount == 0 {
      try file.begin(chunk.file)
      rows.appendHeader()
    }
    rows.appendEncoded(row)
    chunk.rowCount += 1
    if rows.count >= ChunkWriter.pieceByteCount { try write(isLast: false) }
  }

  /// Ends the last chunk; what was written, in order. No rows, no chunk.
  package consuming func finish() throws(StagingError) -> [Manifest.Chunk] {
    if chunk.rowCount > 0 { try endChunk() }
    return chunks
  }

  private mutating func endChunk() throws(StagingError) {
    rows.appendTrailer()
    try write(isLast: true)
    try file.end(&chunk)
    chunks.append(chunk)
    chunk = Manifest.Chunk(empty: table, columns: columns, prefix: prefix, number: chunks.count + 1)
  }

  private mutating func write(isLast: Bool) throws(StagingError) {
    // Taken out and put back: its memory is kept, and nothing is shared meanwhile.
    var piece = CopyEncoder()
    swap(&piece, &rows)
    chunk.byteCount += piece.count
    try file.write(piece.bytes.span, isLast: isLast)
    piece.removeAll()
    swap(&piece, &rows)
  }
}
