package import HealthModel
package import PostgresClient

/// Writes the rows of one table into numbered chunk files.
///
/// A chunk ends by content only, so the files are the same for any number of workers: after `rowLimit` rows or
/// `byteLimit` bytes of COPY stream, for metrics never between rows of one type and exported second. Files are named
/// `PREFIX-0001.pgcopy.zst`, `PREFIX-0002…`; the caller's prefix must come from content order as well
/// (`ChunkTable.filePrefix`).
package struct ChunkWriter: ~Copyable {
  package static let rowLimit = 131_072
  package static let byteLimit = 64 << 20
  /// Encoded rows wait until there are this many bytes.
  static let pieceByteCount = 256 << 10

  package struct Limits: Sendable {
    package var rows = ChunkWriter.rowLimit
    package var bytes = ChunkWriter.byteLimit
    package init() {}
  }

  let table: ChunkTable
  private let prefix: String
  private let limits: Limits
  private var file: ChunkFileWriter
  private var encoder = CopyEncoder()
  private var chunk: Manifest.Chunk
  private var chunks: [Manifest.Chunk] = []
  private var row: MetricsRow?
  private var lastSecond: Int64?

  /// `prefix` is a plain file name; it must not occur twice in one folder.
  package init(
    folder: UnfinishedChunkFolder, table: ChunkTable, prefix: String, level: Int = ZstdCompressor.defaultLevel,
    limits: Limits = Limits()
  ) throws(StagingError) {
    precondition(!prefix.contains("/") && !prefix.isEmpty, "a chunk's prefix is a plain file name")
    let file = try ChunkFileWriter(folder: folder, level: level)
    self.table = table
    self.prefix = prefix
    self.limits = limits
    self.file = file
    chunk = Manifest.Chunk(empty: table, prefix: prefix, number: 1)
  }

  /// Adds the rows of `batch`, all of `metricType`, ordered by start. `symbols` are all strings of the run.
  package mutating func append(
    _ batch: borrowing ResolvedBatch, metricType: [UInt8], userID: [UInt8], symbols: [[UInt8]]
  ) throws(StagingError) {
    precondition(table == .metrics)
    var row = metricsRow(metricType, userID)
    defer { self.row = row }
    let rows = batch.rows.span
    let payload = batch.payload.span
    for index in rows.indices {
      let second = rows[index].startedAt.microseconds.flooredQuotient(1_000_000)
      if isFull && second != lastSecond { try endChunk() }
      if chunk.rowCount == 0 { try beginChunk(firstSecond: second) }
      row.encode(rows[index], payload: payload, symbols: symbols, into: &encoder)
      lastSecond = second
      chunk.rowCount += 1
      if encoder.count >= ChunkWriter.pieceByteCount { try compress(isLast: false) }
    }
  }

  private mutating func metricsRow(_ metricType: [UInt8], _ userID: [UInt8]) -> MetricsRow {
    if let row, row.metricType == metricType, row.userID == userID { return row }
    noteLastRow()
    let new = MetricsRow(metricType: metricType, userID: userID)
    row = new
    lastSecond = nil
    return new
  }

  /// The chunk's last metrics row so far.
  private mutating func noteLastRow() {
    guard let row, let lastSecond else { return }
    chunk.lastType = String(decoding: row.metricType, as: UTF8.self)
    chunk.lastStart = Instant(seconds: lastSecond).iso8601
  }

  /// Adds one row; `fields` appends the table's columns in their order (`ChunkTable.columns`).
  package mutating func appendRow(_ fields: (inout CopyEncoder) -> Void) throws(StagingError) {
    precondition(table != .metrics)
    if isFull { try endChunk() }
    if chunk.rowCount == 0 { try beginChunk(firstSecond: nil) }
    encoder.beginRow(fieldCount: chunk.columns.count)
    fields(&encoder)
    chunk.rowCount += 1
    if encoder.count >= ChunkWriter.pieceByteCount { try compress(isLast: false) }
  }

  /// Ends the last chunk; what was written, in order. No rows, no chunk.
  package consuming func finish() throws(StagingError) -> [Manifest.Chunk] {
    if chunk.rowCount > 0 { try endChunk() }
    return chunks
  }

  private var isFull: Bool {
    chunk.rowCount >= limits.rows || chunk.byteCount + encoder.count >= limits.bytes
  }

  private mutating func beginChunk(firstSecond: Int64?) throws(StagingError) {
    try file.begin(chunk.file)
    encoder.appendHeader()
    if let row, let firstSecond {
      chunk.firstType = String(decoding: row.metricType, as: UTF8.self)
      chunk.firstStart = Instant(seconds: firstSecond).iso8601
    }
  }

  private mutating func endChunk() throws(StagingError) {
    encoder.appendTrailer()
    try compress(isLast: true)
    try file.end(&chunk)
    noteLastRow()
    chunks.append(chunk)
    chunk = Manifest.Chunk(empty: table, prefix: prefix, number: chunks.count + 1)
  }

  private mutating func compress(isLast: Bool) throws(StagingError) {
    // Taken out and put back: its memory is kept, and nothing is shared meanwhile.
    var rows = CopyEncoder()
    swap(&rows, &encoder)
    chunk.byteCount += rows.count
    try file.write(rows.bytes.span, isLast: isLast)
    rows.removeAll()
    swap(&rows, &encoder)
  }
}

extension ChunkTable {
  /// Prefix of chunk files: the table, and the place of the metric type (or another part) in content order.
  package func filePrefix(ordinal: Int) -> String {
    let digits = String(ordinal)
    return "\(rawValue)-\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
  }
}
