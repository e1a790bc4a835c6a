import PostgresClient
package import Staging

extension Loader {
  /// Brings the rows of another database, archived for this user, into this one: as they were, with their ids and
  /// times. Nothing is deleted, and rows of other programs are never changed. Safe to run again after any failure: it
  /// goes on at the chunk.
  package func receive(_ folder: ChunkFolder) throws -> ArchiveOutcome {
    if folder.manifest.user != userID { throw LoadError.otherUser(staged: folder.manifest.user) }
    try reconnectIfLost()
    return try underLease { context in try ArchiveLoad(folder: folder, context: context).run() }
  }
}

/// The load of an archive under a lease: copy, index, publish.
///
/// ```
/// chunks ─► incoming_N, a transaction and a ledger row each ─► absent table: keys and indexes, rename
///                                                         └─► else: compare, insert, in one transaction
/// ```
struct ArchiveLoad {
  let folder: ChunkFolder
  let context: LoadContext

  private var connection: PostgresConnection { context.connection }

  func run() throws -> ArchiveOutcome {
    let run = try begin()
    try Incoming.load(folder, run, days: nil, knownRoutes: [], context)
    try context.options.faults.pass("after-chunks")
    if run.strategy == .copyNewTable, try isTableFree() { try IndexBuilder(run: run, context: context).build() }
    try context.options.faults.pass("before-publish")
    context.onEvent(.began(.publish, total: nil))
    let outcome = try publish(run)
    context.onEvent(.ended(.publish))
    try context.options.faults.pass("after-publish")
    var done = outcome.forLedger
    try CleanUp(context: context).finish(&done)
    return outcome
  }

  /// A table whose place the incoming one may take. Rows of one start and several sources would break its key.
  private func isTableFree() throws -> Bool {
    if folder.manifest.archive?.isKeyedBySource != false { return false }
    return try TableShape.read(.metrics, connection).map { try EmptyTable.isReplaceable($0, connection) } ?? true
  }

  private func begin() throws -> ImportRun {
    let strategy: ImportRun.Strategy = try isTableFree() ? .copyNewTable : .copy
    return try context.transaction {
      let run = try ImportRun.begin(folder, strategy, mayResume: true, connection)
      if !run.isResumed { try create(run) }
      return run
    }
  }

  /// The working tables of a new run. Raw rows that are only compared are not logged: a crash of the server empties
  /// them, which the next run notices.
  private func create(_ run: ImportRun) throws {
    for table in ChunkTable.archived {
      guard let name = run.tables.target(of: table) else { continue }
      let columns = table.archiveColumns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
      if table == .metrics && run.strategy == .copyNewTable {
        try connection.execute(PublishedTable.metrics.createStatement(name))
      } else {
        try connection.execute("CREATE \(table == .metrics ? "UNLOGGED " : "")TABLE \(name) (\(columns))")
      }
      try Incoming.close(name, connection)
    }
  }

  /// A live app at work may get in the way: then the comparison is made again.
  private func publish(_ run: ImportRun) throws -> ArchiveOutcome {
    for _ in 0..<3 {
      do {
        return try publishOnce(run)
      } catch let error as PostgresError where error.isConflict || error.sqlState == SQLState.uniqueViolation {
        continue
      }
    }
    return try publishOnce(run)
  }

  private func publishOnce(_ run: ImportRun) throws -> ArchiveOutcome {
    let memory = try MemorySettings.read(connection)
    return try context.transaction([("work_mem", memory.work)]) {
      var outcome = ArchiveOutcome()
      outcome.importID = run.importID
      outcome.rows.copied = folder.chunks(of: .metrics).reduce(0) { $0 + $1.rowCount }
      if try run.strategy != .copyNewTable || !takeTheirPlace(run) {
        let shape = try rawTable()
        try ArchiveRows(
          shape: shape, manifest: folder.manifest, tables: run.tables, faults: context.options.faults,
          connection: connection
        ).publish(&outcome.rows)
      } else {
        outcome.rows.new = outcome.rows.copied
      }
      try publishRest(run, &outcome)
      try context.options.faults.pass("in-publish")
      try run.finish(outcome.forLedger, connection)
      return outcome
    }
  }

  private func takeTheirPlace(_ run: ImportRun) throws -> Bool {
    try Schema.lock(connection)
    return try NewTable(run: run, context: context).publish()
  }

  /// Made if it is absent.
  private func rawTable() throws -> TableShape {
    if let shape = try TableShape.read(.metrics, connection) { return shape }
    try Schema.lock(connection)
    if let shape = try TableShape.read(.metrics, connection) { return shape }
    try Schema.create(.metrics, in: context.server.publishedSchema, connection)
    guard let shape = try TableShape.read(.metrics, connection) else {
      preconditionFailure("a table that was just made is there")
    }
    return shape
  }

  private func publishRest(_ run: ImportRun, _ outcome: inout ArchiveOutcome) throws {
    guard let metrics = try TableShape.read(.metrics, connection) else { return }
    guard let summaries = try Schema.summariesTable(context.server, connection) else { return }
    let side = ArchiveSideTables(
      manifest: folder.manifest, tables: run.tables, metrics: metrics, connection: connection)
    let isNewest = try side.isNewest()
    outcome.summaries = try ArchiveSummaries(
      shape: summaries, userID: context.userID, table: run.tables.summaries, isNewest: isNewest, connection: connection
    ).publish()
    if folder.manifest.archive?.hasOwnSchema == true { outcome.ownTables = try side.publish(isNewest: isNewest) }
    try Schema.createView(metrics: metrics, summaries: summaries, context.server, connection)
  }
}

extension ArchiveOutcome {
  /// In the words of an import, for the ledger and for tidying up.
  var forLedger: LoadOutcome {
    var outcome = LoadOutcome()
    outcome.importID = importID
    outcome.staged = rows.copied
    outcome.new = rows.new
    outcome.changed = rows.changed
    outcome.alreadyThere = rows.same + rows.changed + rows.kept
    outcome.asideForLive = rows.twins + rows.unplaced
    outcome.withheld = rows.withheld
    outcome.summaries.written = summaries.written
    outcome.summaries.unchanged = summaries.same
    outcome.summaries.kept = summaries.kept
    return outcome
  }
}
