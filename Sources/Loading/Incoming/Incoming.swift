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
    case .newTable, .copyNewTable: try connection.execute(PublishedTable.metrics.createStatement(tables.incoming))
    case .delta, .copy:
      try connection.execute("CREATE UNLOGGED TABLE \(tables.incoming) (\(columns(of: .metrics)))")
    }
    try close(tables.incoming, connection)
    for table in sideTables {
      guard let name = tables.target(of: table) else { continue }
      try connection.execute("CREATE TABLE \(name) (\(columns(of: table)))")
      try close(name, connection)
    }
    try connection.execute(
      "CREATE TABLE \(tables.days) (metric_type text NOT NULL, utc_day date NOT NULL)")
  }

  /// Default privileges may open new tables to others; samples stay with the owner.
  static func close(_ table: String, _ connection: PostgresConnection) throws {
    try connection.execute(RowSecurity.close(table))
  }

  /// Definitions of the columns that staging writes.
  private static func columns(of table: ChunkTable) -> String {
    table.archiveColumns.filter { table.columns.contains($0.name) }.map { "\($0.name) \($0.type)" }
      .joined(separator: ", ")
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
