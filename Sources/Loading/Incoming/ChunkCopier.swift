import PostgresClient
import Staging

/// Copies one chunk with its ledger row, in one transaction.
struct ChunkCopier: Sendable {
  let folder: ChunkFolder
  let run: ImportRun
  /// Selected types and days of the metrics; nil: all.
  let days: [[UInt8]: DaySelection]?
  /// Digests of route files whose points are there.
  let knownRoutes: Set<[UInt8]>
  let worker: WorkerContext

  func copy(_ chunk: Manifest.Chunk, _ connection: PostgresConnection) throws {
    guard let table = ChunkTable(rawValue: chunk.table), let target = run.tables.target(of: table) else { return }
    let sql = "COPY \(target) (\(chunk.columns.joined(separator: ", "))) FROM STDIN (FORMAT binary)"
    // Rows and ledger row are lost together when the server crashes before they are flushed.
    try worker.transaction(connection, [("synchronous_commit", "off")]) {
      var expected = chunk.rowCount
      let copied: Int
      if var filter = filter(for: table) {
        copied = try connection.copyIn(sql) { try send(chunk, through: &filter, to: &$0) }
        expected = filter.rowCount
      } else {
        copied = try connection.copyIn(sql) { try send(chunk, to: &$0) }
      }
      if copied != expected {
        throw LoadError.badChunk(file: chunk.file, reason: "\(copied) rows instead of \(expected)")
      }
      try connection.query(
        "INSERT INTO hk2pg.import_chunks (import_id, file, digest, row_count) VALUES ($1::bigint, $2, $3, $4::bigint)",
        [String(run.importID), chunk.file, chunk.digest, String(copied)])
      try worker.faults.pass("in-chunk")
    }
  }

  private func filter(for table: ChunkTable) -> (any RowFilter)? {
    switch table {
    case .metrics: days.map { ChunkFilter(days: $0) }
    case .routePoints: knownRoutes.isEmpty ? nil : KnownRoutes.Filter(known: knownRoutes)
    default: nil
    }
  }

  private func send(_ chunk: Manifest.Chunk, to writer: inout CopyInWriter) throws {
    var reader = try folder.reader(of: chunk)
    var piece: [UInt8] = []
    while try reader.read(into: &piece) > 0 { try writer.send(piece.span) }
  }

  private func send(_ chunk: Manifest.Chunk, through filter: inout any RowFilter, to writer: inout CopyInWriter) throws
  {
    var reader = try folder.reader(of: chunk)
    var piece: [UInt8] = []
    var output = CopyEncoder()
    output.appendHeader()
    while try reader.read(into: &piece) > 0 {
      try filter.filter(piece.span, into: &output)
      try writer.send(output.bytes.span)
      output.removeAll()
    }
    try filter.finish()
    output.appendTrailer()
    try writer.send(output.bytes.span)
  }
}
