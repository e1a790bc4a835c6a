import Foundation
import PostgresClient
import Staging

/// The tables in `hk2pg` that chunks are copied into, one transaction a chunk, each with its row in the ledger.
enum Incoming {
  /// Tables whose columns are those of a table of ours.
  private static let sideTables: [ChunkTable] = [
    .dailySummaries, .sources, .profiles, .routePoints, .ecgRecordings,
  ]

  /// Creates the tables of a new run, in the transaction that began it.
  ///
  /// The rows of a new table become the published one, so they are logged. For a comparison they are not: a crash of
  /// the server empties the table, which the next run notices.
  static func create(_ run: ImportRun, _ connection: PostgresConnection) throws {
    let tables = run.tables
    switch run.strategy {
    case .newTable: try connection.execute(PublishedTable.metrics.createStatement(tables.incoming))
    case .delta:
      let columns = ChunkTable.metrics.columns.map { "\($0) \(type(of: $0, in: .metrics))" }
      try connection.execute("CREATE UNLOGGED TABLE \(tables.incoming) (\(columns.joined(separator: ", ")))")
    }
    try close(tables.incoming, connection)
    for table in sideTables {
      guard let name = tables.target(of: table) else { continue }
      let columns = table.columns.map { "\($0) \(type(of: $0, in: table))" }
      try connection.execute("CREATE TABLE \(name) (\(columns.joined(separator: ", ")))")
      try close(name, connection)
    }
    try connection.execute(
      "CREATE TABLE \(tables.days) (metric_type text NOT NULL, utc_day date NOT NULL)")
  }

  /// Default privileges may open new tables to others; samples stay with the owner.
  private static func close(_ table: String, _ connection: PostgresConnection) throws {
    try connection.execute(RowSecurity.close(table))
  }

  private static func type(of column: String, in table: ChunkTable) -> String {
    switch column {
    case "id", "metric_id": "uuid"
    case "summary_date": "date"
    case "sample_count": table == .sources ? "bigint" : "integer"
    case "ordinal": "integer"
    case "value": table == .profiles ? "text" : "double precision"
    case "metadata": "jsonb"
    case "voltages": "real[]"
    case "device_names", "models", "hardware", "versions": "text[]"
    case "started_at", "ended_at", "recorded_at", "first_sample_at", "last_sample_at": "timestamptz"
    case "avg_value", "min_value", "max_value", "sum_value", "longitude", "latitude", "elevation_m", "speed_mps",
      "course_deg", "horizontal_accuracy_m", "vertical_accuracy_m", "sample_rate_hz":
      "double precision"
    default: "text"
    }
  }

  /// Copies what the ledger does not have yet. `days` nil: all rows.
  static func load(
    _ folder: ChunkFolder, _ run: ImportRun, days: [[UInt8]: DaySelection]?, _ context: LoadContext
  ) throws {
    let resumed = run.loadedChunks.values.reduce(0, +)
    if resumed > 0 { context.onEvent(.resumed(rows: Int64(resumed))) }
    let wanted = folder.manifest.chunks.filter { chunk in
      guard let table = ChunkTable(rawValue: chunk.table), run.tables.target(of: table) != nil else { return false }
      return chunk.rowCount > 0 && (table != .metrics || days.map { chunk.mayHold($0) } ?? true)
    }
    let copier = ChunkCopier(folder: folder, run: run, days: days, worker: context.worker)
    context.onEvent(.began(.copy, total: Int64(wanted.reduce(0) { $0 + $1.rowCount })))
    var done = Int64(0)
    for (ordinal, chunk) in wanted.enumerated() {
      if run.loadedChunks[chunk.file] == nil { try copier.copy(chunk, context.connection) }
      done += Int64(chunk.rowCount)
      context.onEvent(.advanced(.copy, done: done))
      try context.options.faults.pass("after-chunk-\(ordinal + 1)")
    }
    context.onEvent(.ended(.copy))
  }
}

/// Copies one chunk with its ledger row, in one transaction.
struct ChunkCopier: Sendable {
  let folder: ChunkFolder
  let run: ImportRun
  /// Selected types and days of the metrics; nil: all.
  let days: [[UInt8]: DaySelection]?
  let worker: WorkerContext

  func copy(_ chunk: Manifest.Chunk, _ connection: PostgresConnection) throws {
    guard let table = ChunkTable(rawValue: chunk.table), let target = run.tables.target(of: table) else { return }
    let sql = "COPY \(target) (\(chunk.columns.joined(separator: ", "))) FROM STDIN (FORMAT binary)"
    // Rows and ledger row are lost together when the server crashes before they are flushed.
    try worker.transaction(connection, [("synchronous_commit", "off")]) {
      let expected: Int
      let copied: Int
      if table == .metrics, let days {
        var filter = ChunkFilter(days: days)
        copied = try connection.copyIn(sql) { try send(chunk, through: &filter, to: &$0) }
        expected = filter.rowCount
      } else {
        copied = try connection.copyIn(sql) { try send(chunk, to: &$0) }
        expected = chunk.rowCount
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

  private func send(_ chunk: Manifest.Chunk, to writer: inout CopyInWriter) throws {
    var reader = try folder.reader(of: chunk)
    var piece: [UInt8] = []
    while try reader.read(into: &piece) > 0 { try writer.send(piece.span) }
  }

  private func send(_ chunk: Manifest.Chunk, through filter: inout ChunkFilter, to writer: inout CopyInWriter) throws {
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
