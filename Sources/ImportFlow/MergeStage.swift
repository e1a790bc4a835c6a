import BoundedQueues
import DailySummaries
import ExportReader
import HealthModel
import Loading
import RowMapping
import Staging
import Synchronization

/// Second half of the flow: one pass over all samples ordered by (metric type, start, end).
///
/// ```
/// SegmentStore.merge(type) ─► SampleGroup ─► IdentityResolver ─► ResolvedBatch ─┬─► SummaryFold
///       ▲                                                                      ├─► GroupFingerprints ◄─ KnownDays
///  SideFileJoin: routes, clinical records, electrocardiograms                  └─► ChunkWriter: days that differ
/// ```
/// Workers take tasks of the `MergePlan`; what they make depends on the task alone, and on what is known of the database
/// when it begins.
struct MergeStage: Sendable {
  let export: OpenExport
  let isSalvage: Bool
  let store: SegmentStore
  let symbols: [[UInt8]]
  let user: String
  let zone: ZoneRules
  let ranking: SourceRanking
  /// Rows that start before are summarised, but not staged (`--raw-window`).
  let rawWindowStart: Instant?
  /// Rows from here on are counted for the size forecast of a 30-day window.
  let forecastStart: Instant
  /// Nil: nothing is written (`inspect`).
  let folder: UnfinishedChunkFolder?
  /// Days of the database that need no chunks if the export has them in the same way, as far as they are known by now.
  let knownDays: @Sendable () -> KnownDays?
  let jobs: Int
  let interruption: Interruption
  let progress: @Sendable (ProgressEvent) -> Void

  struct Result: Sendable {
    var samples = Manifest.Samples()
    var types: [TypeResult] = []
    var chunks: [Manifest.Chunk] = []
    var witnesses: [TruthCheck.Witness] = []
    var rowsInForecastWindow = 0
    /// Of side files; offsets are those of the elements that name them.
    var problems = ProblemTally()
    /// Paths of side files that a row came from.
    var usedFiles: Set<String> = []
  }

  /// What one metric type came to.
  struct TypeResult: Sendable {
    var metricType: String
    var symbol: Symbol
    var staged = 0
    var withheld = 0
    var first: Instant?
    var last: Instant?
    var groups: GroupFingerprints
    var summaries: [DailySummary] = []
  }

  func run() throws -> Result {
    let types = store.types
    let plan = MergePlan(recordCounts: types.map(\.recordCount))
    progress(.began(.merge, total: Int64(types.reduce(0) { $0 + $1.recordCount })))
    let next = Atomic<Int>(0)
    let merged = Atomic<Int>(0)
    let results = Guarded<[Int: Result]>([:])
    let worker: @Sendable () throws -> Void = {
      while true {
        let place = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard place < plan.schedule.count else { return }
        let task = plan.schedule[place]
        let result = try run(types: types[plan.tasks[task]].map(\.type), ordinal: task + 1, merged: merged)
        results.withLock { $0[task] = result }
      }
    }
    try runStages(Array(repeating: worker, count: jobs), onFailure: { next.store(.max / 2, ordering: .relaxed) })
    let all = Int64(merged.load(ordering: .relaxed))
    progress(.advanced(.merge, ProgressEvent.Advance(done: all, records: all)))
    progress(.ended(.merge))
    return results.withLock { results in
      plan.tasks.indices.reduce(into: Result()) { $0.append(results[$1] ?? Result()) }
    }
  }

  private func run(types: [Symbol], ordinal: Int, merged: borrowing Atomic<Int>) throws -> Result {
    var result = Result()
    var writer: ChunkWriter?
    if let folder {
      writer = try ChunkWriter(folder: folder, table: .metrics, prefix: ChunkTable.metrics.filePrefix(ordinal: ordinal))
    }
    for type in types { try run(type: type, writer: &writer, into: &result, merged: merged) }
    if let chunks = try writer.take()?.finish() { result.chunks = chunks + result.chunks }
    return result
  }
}

extension MergeStage {
  /// All samples of one type, in order.
  private func run(
    type: Symbol, writer: inout ChunkWriter?, into result: inout Result, merged: borrowing Atomic<Int>
  ) throws {
    let name = symbols[Int(type.index)]
    var pass = TypePass(stage: self, type: type)
    var join = try SideFileJoin(metricType: name, stage: self)
    var samples = try store.merge(type: type)
    var group = SampleGroup()
    while try samples.nextGroup(into: &group) {
      if pass.isComplete(before: group) {
        try finish(&pass, endsDay: true, name: name, writer: &writer, join: &join, merged: merged)
      }
      pass.groupedCount += group.records.count
      try join?.join(&group)
      pass.resolver.resolve(&group, into: &pass.batch)
      if pass.isFull { try finish(&pass, endsDay: false, name: name, writer: &writer, join: &join, merged: merged) }
    }
    try finish(&pass, endsDay: true, name: name, writer: &writer, join: &join, merged: merged)
    try join.take()?.finish(into: &result)
    pass.end(symbols: symbols)
    result.append(pass)
  }

  /// Passes a batch on: every row is summed, those inside the raw window are staged, unless the table holds their day.
  private func finish(
    _ pass: inout TypePass, endsDay: Bool, name: [UInt8], writer: inout ChunkWriter?, join: inout SideFileJoin?,
    merged: borrowing Atomic<Int>
  ) throws {
    pass.sum()
    if let rawWindowStart { pass.withhold(before: rawWindowStart) }
    pass.noteStaged()
    if !pass.batch.rows.isEmpty {
      pass.fingerprint(endsDay: endsDay, symbols: symbols)
      try writer?.append(pass.batch, metricType: name, userID: Array(user.utf8), symbols: symbols)
      try join?.append(pass.batch)
    }
    pass.batch.removeAll()
    try interruption.check()
    let done = Int64(merged.wrappingAdd(pass.takeGroupedCount(), ordering: .relaxed).newValue)
    let day = pass.total.last?.utcDay
    progress(.advanced(.merge, ProgressEvent.Advance(done: done, records: done, dateReached: day)))
  }
}

extension MergeStage.Result {
  /// Adds a later task's result.
  mutating func append(_ other: MergeStage.Result) {
    samples.add(other.samples)
    types += other.types
    chunks += other.chunks
    witnesses += other.witnesses
    rowsInForecastWindow += other.rowsInForecastWindow
    problems.merge(other.problems)
    usedFiles.formUnion(other.usedFiles)
  }

  mutating func append(_ pass: TypePass) {
    samples.add(pass.samples)
    types.append(pass.total)
    witnesses += pass.witnesses
    rowsInForecastWindow += pass.rowsInForecastWindow
  }
}

extension Manifest.Samples {
  mutating func add(_ other: Manifest.Samples) {
    staged += other.staged
    repeats += other.repeats
    superseded += other.superseded
    withheld += other.withheld
    rejected += other.rejected
    moved += other.moved
  }
}
