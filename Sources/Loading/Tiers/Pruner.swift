import DailySummaries
import Foundation
import HealthModel
import PostgresClient

extension Loader {
  /// `hk2pg prune`: deletes raw rows of ours that are safely summarised (DESIGN §4.6). A dry run writes nothing at all.
  package func prune(_ request: PruneRequest) throws -> PruneOutcome {
    if request.isDryRun {
      let server = try ServerFacts(connection)
      if server.ownSchemaVersion == nil { return PruneOutcome(isDryRun: true) }
      return try Pruner(context: nil, server: server, userID: userID, request: request, connection: connection).run()
    }
    return try underLease {
      try Pruner(context: $0, server: $0.server, userID: userID, request: request, connection: connection).run()
    }
  }
}

extension PruneOutcome {
  fileprivate init(isDryRun: Bool) { self.isDryRun = isDryRun }
}

/// Deletes raw rows, a type after the other, in batches.
///
/// ```
/// one snapshot      rows of the type ─► fold ─► PruneSurvey ─► days whose summary says the same ─► PrunePlan
/// each batch        lock the table against writers ─► is everything as surveyed? ─► delete, mark the days ─► commit
/// ```
/// A batch is whole days of one type in one transaction: their rows go and `hk2pg.pruned_days` gets them together, so
/// that no day is ever half pruned, whenever prune is killed; the next run goes on with what is left. All in one
/// transaction would keep a live app from writing for as long as everything takes (a minute for two million rows); a
/// batch takes no longer than publishing an import does, and others write in between.
///
/// A row that comes between is seen by the second look: the type is surveyed again. One that comes after the commit
/// stays as a raw row. So nothing is deleted that no summary holds, and nothing is summed up twice.
struct Pruner {
  /// nil: a dry run.
  let context: LoadContext?
  let server: ServerFacts
  let userID: String
  let request: PruneRequest
  let connection: PostgresConnection

  private static let attempts = 4

  func run() throws -> PruneOutcome {
    var outcome = PruneOutcome(isDryRun: request.isDryRun)
    let settings = try Ledger(connection).settings(of: userID)
    guard let shape = try TableShape.read(.metrics, connection) else { return outcome }
    outcome.table = shape.qualifiedName
    // That of the summaries, which somebody may have changed in the settings since.
    guard let name = settings?.summarizedZones.last else { return outcome }
    let zone = try SystemZones.load(name: name)
    outcome.zone = name
    let limit = try limit(zone, &outcome)
    let summaries = try TableShape.read(.dailySummaries, connection)
    let work = TypePruner(
      pruner: self, zone: zone, limit: limit,
      rows: StoredRows(shape: shape, userID: userID, connection: connection),
      summaries: summaries.map { StoredSummaries(shape: $0, userID: userID, connection: connection) },
      priority: settings?.summarizedPriority ?? [:])
    context?.onEvent(.began(.compare, total: nil))
    for type in try work.rows.types() where SummaryKind(metricType: type) != .none {
      try work.prune(type, &outcome)
    }
    context?.onEvent(.ended(.compare))
    outcome.reusableBytes = try PrunedSpace(shape: shape, connection: connection).bytes(of: outcome.rows)
    if !request.isDryRun, outcome.rows > 0 {
      context?.onEvent(.began(.vacuum, total: nil))
      outcome.isVacuumed = try CleanUp.vacuum(.metrics, connection)
      context?.onEvent(.ended(.vacuum))
    }
    return outcome
  }

  /// The first day whose rows stay. That of the newest export is shown from raw rows, and later ones with it.
  private func limit(_ zone: ZoneRules, _ outcome: inout PruneOutcome) throws -> CivilDay {
    let wanted = zone.localDay(of: request.now).advanced(by: -request.keptDays)
    let result = try connection.query(
      """
      SELECT floor(extract(epoch FROM newest_export_date))::bigint AS date FROM hk2pg.user_settings WHERE user_id = $1
      """, [userID])
    let exported = result.isEmpty ? nil : try result[0].optionalInt("date")
    let exportDay = exported.map { zone.localDay(of: Instant(seconds: Int64($0))) }
    outcome.isLimitedByExport = exportDay.map { $0 < wanted } ?? false
    let limit = min(wanted, exportDay ?? wanted)
    outcome.firstKeptDay = limit
    return limit
  }

  func snapshot<T>(_ body: () throws -> T) throws -> T {
    try connection.transaction(TransactionOptions(isolation: .repeatableRead, isReadOnly: true)) {
      try server.prepareTransaction(connection)
      return try body()
    }
  }

  static func retry<T>(_ body: (_ isLast: Bool) throws -> T?) throws -> T? {
    for attempt in 1...attempts {
      if let result = try body(attempt == attempts) { return result }
    }
    return nil
  }
}

/// Prunes one type after the other.
private struct TypePruner {
  let pruner: Pruner
  let zone: ZoneRules
  let limit: CivilDay
  let rows: StoredRows
  let summaries: StoredSummaries?
  let priority: [String: [String]]

  private struct Finding {
    /// The type's local days.
    var rules: ZoneRules
    var survey: PruneSurvey
    var stored: [CivilDay: [DailySummary]]
    var blocked: [CivilDay: SkippedDay.Reason]
    var plan: PrunePlan
  }

  /// Where a batch is not as surveyed any more, the type is surveyed again; what then still changes is skipped.
  func prune(_ type: String, _ outcome: inout PruneOutcome) throws {
    var total = PrunedType(metricType: type, rows: 0, days: 0)
    let skipped = try Pruner.retry { isLast -> [SkippedDay]? in
      var finding = try pruner.snapshot { try survey(type) }
      var skipped = skippedDays(type, finding)
      for batch in finding.plan.batches {
        if let done = try carryOut(batch, &finding) {
          total.rows += done.rows
          total.days += done.days
          outcome.batches += 1
          try pruner.context?.options.faults.pass("after-prune-\(outcome.batches)")
        } else if isLast {
          skipped += finding.survey.days.filter { batch.days.contains($0.key) && $0.value.ours > 0 }.map {
            SkippedDay(metricType: type, day: $0.key, reason: .changing, rows: $0.value.ours)
          }
        } else {
          return nil
        }
      }
      return skipped.sorted { $0.day < $1.day }
    }
    outcome.skipped += skipped ?? []
    if total.rows > 0 { outcome.types.append(total) }
  }

  // MARK: Looking

  private func survey(_ type: String) throws -> Finding {
    let symbols = SymbolTable()
    let sources = try StoredSources.read(userID: rows.userID, symbols: symbols, rows.connection)
    let ranking = SourceRanking(sources: sources, symbols: symbols, priority: priority)
    let calendar = try SummaryCalendar.read(userID: rows.userID, rows.connection)
    let rules = calendar.rules(of: type, zone: zone)
    var survey = PruneSurvey(
      metricType: type, zone: rules, ranking: ranking, symbols: symbols, pruned: calendar.pruned.days(of: type))
    // Sessions and overlaps reach on; of other types, a few days more than those that are looked at again.
    let isWhole = RecomputeScope.needsIntervals(metricType: type)
    let end = isWhole ? nil : rules.firstInstant(of: limit.advanced(by: 3))
    try rows.read(type, before: end, hashed: true) { try survey.add(&$0) }
    survey.finish()
    let stored = try summaries?.rows(type) ?? [:]
    let blocked = survey.blocked(before: limit, stored: stored)
    let plan = PrunePlan(
      survey, blocked: Set(blocked.keys), limit: limit, zone: rules, rowsPerBatch: pruner.request.rowsPerBatch)
    return Finding(rules: rules, survey: survey, stored: stored, blocked: blocked, plan: plan)
  }

  /// Blocked days without rows of ours are nobody's business.
  private func skippedDays(_ type: String, _ finding: Finding) -> [SkippedDay] {
    finding.blocked.compactMap { day, reason in
      let ours = finding.survey.days[day]?.ours ?? 0
      return ours == 0 ? nil : SkippedDay(metricType: type, day: day, reason: reason, rows: ours)
    }
  }

  // MARK: Deleting

  /// nil: rows or summaries are not those of the survey any more. What the batch deletes is taken out of the survey, since
  /// the next batch looks again at days of this one.
  private func carryOut(_ batch: PrunePlan.Batch, _ finding: inout Finding) throws -> PrunedType? {
    let work = PruneBatch(rows: rows, metricType: finding.survey.metricType, batch: batch, zone: finding.rules)
    guard let context = pruner.context else { return try pruner.snapshot { try work.count() } }
    try context.options.faults.pass("before-prune")
    return try locked(context) {
      guard try work.isUnchanged(since: finding.survey), try isUnchanged(batch, finding) else { return nil }
      let done = try work.delete()
      finding.survey.replace(try work.fingerprints(), of: work.neighbourhood)
      try context.options.faults.pass("in-prune")
      return done
    }
  }

  private func isUnchanged(_ batch: PrunePlan.Batch, _ finding: Finding) throws -> Bool {
    let stored = try summaries?.rows(finding.survey.metricType, batch.days) ?? [:]
    return stored == finding.stored.filter { batch.days.contains($0.key) }
  }

  /// A transaction beside which nobody writes raw rows. The lock is asked for with a short limit, again and again: whoever
  /// waits for it makes others wait behind.
  private func locked<T>(_ context: LoadContext, _ body: () throws -> T) throws -> T {
    var attemptsLeft = 60
    while true {
      do {
        return try context.transaction([("lock_timeout", "1s"), ("work_mem", "64MB")]) {
          try context.connection.execute("LOCK TABLE \(rows.shape.qualifiedName) IN SHARE ROW EXCLUSIVE MODE")
          return try body()
        }
      } catch PostgresError.server(let error) where error.sqlState == "55P03" && attemptsLeft > 0 {
        attemptsLeft -= 1
        Thread.sleep(forTimeInterval: 0.5)
      }
    }
  }
}

/// How much space rows take.
struct PrunedSpace {
  let shape: TableShape
  let connection: PostgresConnection

  /// About: the share of the table and its indexes that belongs to so many of its rows.
  func bytes(of rows: Int) throws -> Int64 {
    if rows == 0 { return 0 }
    let result = try connection.query(
      """
      SELECT coalesce(sum(pg_total_relation_size(p.relid)), 0)::bigint AS bytes,
        coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint AS rows
      FROM (SELECT relid FROM pg_partition_tree($1::regclass) WHERE isleaf UNION SELECT $1::regclass) p
      JOIN pg_class c ON c.oid = p.relid
      """, [shape.qualifiedName])[0]
    // Statistics may be old, or absent.
    let all = max(try result.int("rows"), rows)
    return Int64(Double(try result.int("bytes")) * Double(rows) / Double(all))
  }
}
