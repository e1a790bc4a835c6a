import HealthModel
import PostgresClient
import Staging

/// One load under a lease: plan, copy, publish, clean up.
struct ImportLoad {
  let folder: ChunkFolder
  let context: LoadContext
  /// The table's fingerprints, if they were read ahead.
  let found: ReadAhead.Found?

  private var connection: PostgresConnection { context.connection }
  private var manifest: Manifest { folder.manifest }

  func run() throws -> LoadOutcome {
    let shape = try TableShape.read(.metrics, connection)
    var plan = try makePlan(shape)
    let run = try begin(&plan, plan.isWhole && isTableFree() ? .newTable : .delta)
    // New rules may read a file's points differently.
    let knownRoutes = plan.relation.isMappingNew ? [] : try KnownRoutes.read(folder, connection)
    try Incoming.load(folder, run, days: plan.filter, knownRoutes: knownRoutes, context)
    try context.options.faults.pass("after-chunks")
    // Keys of a table that another user's import has made meanwhile would be of no use.
    if run.strategy == .newTable, try isTableFree() {
      try IndexBuilder(run: run, context: context).build()
    }
    try context.options.faults.pass("before-publish")
    context.onEvent(.began(.publish, total: nil))
    var outcome = try publish(run, plan)
    context.onEvent(.ended(.publish))
    try context.options.faults.pass("after-publish")
    try CleanUp(context: context).finish(&outcome)
    return outcome
  }

  /// A live app at work may get in the way: then the comparison is made again.
  private func publish(_ run: ImportRun, _ plan: ImportPlan) throws -> LoadOutcome {
    let publisher = Publisher(folder: folder, run: run, plan: plan, context: context)
    do {
      for _ in 0..<3 {
        do {
          return try publisher.publish()
        } catch let error as PostgresError where error.isConflict || error.sqlState == SQLState.uniqueViolation {
          continue
        }
      }
      return try publisher.publish()
    } catch let error as LoadError where error.isRefusal {
      // Nobody goes on with it.
      try context.transaction { try ImportRun.abandon(run.importID, connection) }
      throw error
    }
  }

  private func isTableFree() throws -> Bool {
    try TableShape.read(.metrics, connection).map { try EmptyTable.isReplaceable($0, connection) } ?? true
  }

  private func makePlan(_ shape: TableShape?) throws -> ImportPlan {
    let relation = try ExportRelation.read(manifest, connection)
    let symbols = found?.symbols ?? SymbolTable()
    context.onEvent(.began(.fingerprint, total: nil))
    var staged = try TableGroupsReader.read(.groups, of: folder, symbols: symbols)
    let (grouped, listed) = (
      staged.values.reduce(0) { $0 + $1.count }, folder.chunks(of: .metrics).reduce(0) { $0 + $1.rowCount }
    )
    if grouped != listed {
      throw LoadError.badChunk(
        file: Manifest.fileName, reason: "\(listed) rows, but \(grouped) in \(ChunkTable.groups.rawValue)")
    }
    let leftOut = try TableGroupsReader.read(.unchangedGroups, of: folder, symbols: symbols)
    staged.merge(leftOut) { groups, _ in groups }
    var table = found?.table ?? TableGroups()
    if let shape, found == nil {
      table = try context.reading(TableGroupsReader.settings) {
        try TableGroupsReader.read(shape, userID: context.userID, symbols: symbols, connection)
      }
    }
    context.onEvent(.ended(.fingerprint))
    let rule = RemovalRule(
      mode: context.options.missingRows, isForced: context.options.isForced, isOlder: relation.isOlder,
      isSalvaged: manifest.export.isSalvaged)
    let plan = ImportPlan(
      relation: relation, rule: rule,
      serverZone: try ExportRelation.serverZone(manifest.zone, inUse: relation.storedServerZone, connection),
      staged: staged, table: table, symbols: symbols, hashesAgree: context.server.hashesAgree,
      pruned: shape == nil ? PrunedDays() : try PrunedDays.read(userID: context.userID, connection))
    // A broken load that is resumed has the same chunks, so what it selected was staged.
    if let group = leftOut.keys.first(where: plan.rows.isSelected) {
      throw LoadError.leftOut(metricType: plan.text(group.type), day: group.day)
    }
    return plan
  }

  private func begin(_ plan: inout ImportPlan, _ strategy: ImportRun.Strategy) throws -> ImportRun {
    try context.transaction {
      var run = try ImportRun.begin(folder, strategy, mayResume: true, connection)
      if run.isResumed {
        if try plan.adoptDays(run.tables, connection) { return run }
        run = try ImportRun.begin(folder, strategy, mayResume: false, connection)
      }
      try Incoming.create(run, connection)
      try plan.writeDays(run.tables, connection)
      return run
    }
  }
}
