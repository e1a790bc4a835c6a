import DailySummaries
import PostgresClient
import Staging

/// The one transaction in which everything becomes visible: rows, summaries, what belongs to `hk2pg`, and the ledger's
/// word that it is done. The shared tables are touched last.
struct Publisher {
  let folder: ChunkFolder
  let run: ImportRun
  let plan: ImportPlan
  let context: LoadContext

  private var connection: PostgresConnection { context.connection }
  private var manifest: Manifest { folder.manifest }
  private var tables: WorkingTables { run.tables }

  func publish() throws -> LoadOutcome {
    let memory = try MemorySettings.read(connection)
    return try context.transaction([("work_mem", memory.work)]) {
      var outcome = LoadOutcome()
      outcome.importID = run.importID
      outcome.staged = plan.stagedRows
      if plan.relation.isOlder { outcome.notes.append(.olderExport) }
      if plan.serverZone == nil { outcome.notes.append(.zoneUnknownToServer) }
      if !context.server.hashesAgree { outcome.notes.append(.hashesDiffer) }
      try connection.execute("ALTER TABLE \(tables.summaries) ADD COLUMN is_recomputed boolean NOT NULL DEFAULT false")
      let days = try publishRows(&outcome)
      try publishSummaries(days, &outcome)
      try SideTables(
        manifest: manifest, run: run, relation: plan.relation, calendar: days.calendar, serverZone: plan.serverZone,
        connection: connection
      ).publish()
      try context.options.faults.pass("in-publish")
      outcome.rowsInTable =
        plan.table.rowCount + outcome.new - outcome.removed - outcome.steppedAside
      try run.finish(outcome, connection)
      return outcome
    }
  }

  // MARK: Rows

  private func publishRows(_ outcome: inout LoadOutcome) throws -> UnionDays.Result {
    var isRenamed = false
    if run.strategy == .newTable {
      try Schema.lock(connection)
      isRenamed = try NewTable(run: run, context: context).publish()
      if isRenamed { outcome.new = plan.stagedRows }
    }
    guard let shape = try TableShape.read(.metrics, connection) else { return UnionDays.Result() }
    let publisher = RowPublisher(shape: shape, userID: context.userID, tables: tables, connection: connection)
    if isRenamed || plan.isWhole {
      if !isRenamed { try insertAll(publisher, &outcome) }
      return try recomputeDays(shape, isCompared: false)
    }
    outcome.alreadyThere = plan.rows.unchangedRows
    outcome.withheld = plan.rows.withheldRows
    outcome.keptMissing.groupNotInExport = plan.relation.isOlder ? 0 : plan.rows.keptRows
    if !plan.rows.isEmpty { try compare(shape, &outcome) }
    let days = try recomputeDays(shape, isCompared: !plan.rows.isEmpty)
    try context.options.faults.pass("after-compare")
    if !plan.rows.isEmpty { try write(publisher, &outcome) }
    if plan.relation.isZoneNew {
      outcome.changed += try ActivitySummaryDays(shape: shape, userID: context.userID, connection: connection)
        .move(to: SystemZones.load(name: manifest.zone))
    }
    return days
  }

  /// Into a table that has no row of the user.
  private func insertAll(_ publisher: RowPublisher, _ outcome: inout LoadOutcome) throws {
    try context.options.faults.pass("before-insert")
    outcome.new = try publisher.insert(expected: plan.rows.selectedRows, isCompared: false)
    outcome.asideForLive = plan.rows.selectedRows - outcome.new
  }

  private func recomputeDays(_ shape: TableShape, isCompared: Bool) throws -> UnionDays.Result {
    try UnionDays(
      run: run, plan: plan, manifest: manifest, shape: shape, isCompared: isCompared, connection: connection
    ).recompute()
  }

  private func write(_ publisher: RowPublisher, _ outcome: inout LoadOutcome) throws {
    let skipped = try skippedRows()
    outcome.alreadyThere += skipped["present"] ?? 0
    outcome.superseded = skipped["superseded"] ?? 0
    outcome.withheld += skipped["withheld"] ?? 0
    outcome.asideForLive = (skipped["live"] ?? 0) + (skipped["held"] ?? 0)
    let expected = plan.rows.selectedRows - skipped.values.reduce(0, +)
    let removed = try publisher.remove()
    outcome.steppedAside = removed.steppedAside
    outcome.changed = try publisher.change()
    try context.options.faults.pass("before-insert")
    let inserted = try publisher.insert(expected: expected, isCompared: true)
    outcome.asideForLive += expected - inserted
    // A row that gets another id is no news.
    let moved = min(removed.replaced, inserted)
    outcome.new = inserted - moved
    outcome.alreadyThere += moved
    outcome.changed += moved
    outcome.removed = removed.missing + removed.replaced - moved
  }

  private func compare(_ shape: TableShape, _ outcome: inout LoadOutcome) throws {
    context.onEvent(.began(.compare, total: Int64(plan.rows.selectedRows)))
    try plan.writeGroups(tables, connection)
    outcome.keptMissing.add(try decide(shape, sparedTypes: []).kept)
    try PlaceFinder(tables: tables, isOlder: plan.relation.isOlder, connection: connection).find()
    context.onEvent(.ended(.compare))
  }

  /// Where a type turns out to be spared, rows that were about to be overwritten stay as well: the comparison is made
  /// once more.
  private func decide(_ shape: TableShape, sparedTypes: Set<String>) throws -> RemovalRule.Verdict {
    let comparison = Comparison(
      run: run, shape: shape, relation: plan.relation, manifest: manifest, rule: plan.rule, sparedTypes: sparedTypes,
      connection: connection)
    try connection.execute("SAVEPOINT hk2pg_compare")
    let conditional = try comparison.compare(wholeScan: plan.rows.selectedTableRows * 5 > plan.rows.tableRows)
    let verdict = plan.rule.verdict(on: try comparison.missing(rowsByType: plan.rowsByType))
    if !verdict.refused.isEmpty { throw LoadError.wouldRemoveTooMuch(verdict.refused) }
    let spared = sparedTypes.union(verdict.kept.sparedTypes)
    if !conditional.isDisjoint(with: spared.subtracting(sparedTypes)) {
      try connection.execute("ROLLBACK TO SAVEPOINT hk2pg_compare")
      return try decide(shape, sparedTypes: spared)
    }
    try comparison.apply(verdict, removesAll: plan.rule.removesAll)
    return verdict
  }

  private func skippedRows() throws -> [String: Int] {
    let result = try connection.query("SELECT reason, count(*) FROM \(tables.skip) GROUP BY reason")
    var counts: [String: Int] = [:]
    for row in result.rows { counts[try row.text(0)] = try row.int(1) }
    return counts
  }

  // MARK: Summaries

  /// With other days or other ranks, how many samples a summary covers says nothing.
  private func precedence(_ days: UnionDays.Result) -> SummaryPublisher.Precedence {
    if !plan.relation.isOlder { return .newer }
    return days.isCutAnew || plan.relation.isRankingNew ? .olderByOtherRules : .older
  }

  private func publishSummaries(_ days: UnionDays.Result, _ outcome: inout LoadOutcome) throws {
    guard let metrics = try TableShape.read(.metrics, connection) else { return }
    guard let summaries = try Schema.summariesTable(context.server, connection) else { return }
    outcome.summaries = try SummaryPublisher(
      shape: summaries, userID: context.userID, tables: tables, precedence: precedence(days), connection: connection
    ).publish()
    try Schema.createView(metrics: metrics, summaries: summaries, context.server, connection)
  }
}

extension LoadOutcome.KeptMissing {
  mutating func add(_ other: Self) {
    groupNotInExport += other.groupNotInExport
    underHalf += other.underHalf
    overFivePercent += other.overFivePercent
    notAsked += other.notAsked
    sparedTypes += other.sparedTypes
  }
}
