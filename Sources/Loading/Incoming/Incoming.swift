import BoundedQueues
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

  /// Copies what the ledger does not have yet, in several sessions side by side: the server's side of one COPY keeps one
  /// core busy. `days` nil: all rows. Points of `knownRoutes` stay away.
  static func load(
    _ folder: ChunkFolder, _ run: ImportRun, days: [[UInt8]: DaySelection]?, knownRoutes: Set<[UInt8]>,
    _ context: LoadContext
  ) throws {
    let resumed = run.loadedChunks.values.reduce(0, +)
    if resumed > 0 { context.onEvent(.resumed(rows: Int64(resumed))) }
    let wanted = folder.manifest.chunks.filter { chunk in
      guard let table = ChunkTable(rawValue: chunk.table), run.tables.target(of: table) != nil else { return false }
      return chunk.rowCount > 0 && (table != .metrics || days.map { chunk.mayHold($0) } ?? true)
    }
    let copier = ChunkCopier(
      folder: folder, run: run, days: days, knownRoutes: knownRoutes, worker: context.worker)
    context.onEvent(.began(.copy, total: Int64(wanted.reduce(0) { $0 + $1.rowCount })))
    let turns = CopyTurns(wanted.filter { run.loadedChunks[$0.file] == nil }, all: wanted)
    let copyInTurn: @Sendable (PostgresConnection) throws -> Void = { connection in
      while let chunk = turns.next() {
        try copier.copy(chunk, connection)
        let (chunkCount, rowCount) = turns.end(chunk)
        copier.worker.onEvent(.advanced(.copy, done: rowCount))
        try copier.worker.faults.pass("after-chunk-\(chunkCount)")
      }
    }
    let sessions = min(context.options.jobs, turns.rowCount / context.options.rowsPerCopySession + 1)
    if sessions == 1 {
      try copyInTurn(context.connection)
    } else {
      let stage: @Sendable () throws -> Void = {
        let connection = try copier.worker.connect()
        defer { connection.close() }
        try copyInTurn(connection)
      }
      try runStages(Array(repeating: stage, count: sessions)) { turns.stop() }
    }
    context.onEvent(.ended(.copy))
  }
}
