import BoundedQueues
import DailySummaries
import ExportReader
import Foundation
import HealthModel
import Loading
import Staging

/// Export to chunk folder: the half of the flow that needs no database.
///
/// ```
/// ReadStage ─► SegmentStore + ExportFacts ─► zone, ranks ─► MergeStage ─► chunks ─► manifest
/// ElectrocardiogramStage ─┘                                    ▲ routes, clinical records
/// ```
struct StageFlow {
  let settings: ImportSettings
  let interruption: Interruption
  let progress: @Sendable (ProgressEvent) -> Void

  /// What reading and merging came to; with `folder` nil, nothing was written.
  struct Outcome {
    var facts: ExportFacts
    var zone: UserZone
    var ranking: SourceRanking
    var symbols: [[UInt8]]
    var merged: MergeStage.Result
    var summaries: [DailySummary]
    var digest: String
    var sideFiles: ImportReport.SideFiles
    var rejectedFiles: [ElectrocardiogramStage.RejectedFile]
    var folder: ChunkFolder?

    /// Exported units of each type, with their number of samples; the empty one is that of samples without.
    var unitsByType: [Symbol: [String: Int]] {
      facts.units.reduce(into: [:]) { units, use in
        let unit = String(decoding: symbols[Int(use.key.unit.index)], as: UTF8.self)
        units[use.key.type, default: [:]][unit, default: 0] += use.value
      }
    }
  }

  /// - Parameters:
  ///   - storedZone, storedPriority: what `hk2pg.user_settings` holds; flags beat it.
  ///   - folder: where chunks go; nil writes nothing (`inspect`).
  ///   - knownDays: days of the database that need no chunks if the export has them in the same way.
  func run(
    _ export: OpenExport, into folder: UnfinishedChunkFolder?, segmentDirectory: String, storedZone: String?,
    storedPriority: [String: [String]]?, knownDays: (@Sendable () -> KnownDays?)? = nil
  ) throws -> Outcome {
    let symbols = SymbolTable()
    let store = try SegmentStore(
      directory: segmentDirectory, memoryLimit: settings.sortMemory, symbols: symbols)
    defer { try? store.removeAll() }
    var (facts, curves) = try read(export, symbols: symbols, store: store)

    let zone = try UserZone.resolve(option: settings.timezone, stored: storedZone, facts: facts)
    progress(.note("Days are local days in \(zone.rules.name) (from \(zone.origin.rawValue))."))
    let names = symbols.snapshot()
    let ranking = SourceRanking(
      sources: facts.sources, symbols: names, priority: settings.ranks(stored: storedPriority))
    let merge = MergeStage(
      export: export, isSalvage: settings.isSalvage, store: store, symbols: names, user: settings.user,
      zone: zone.rules, ranking: ranking,
      rawWindowStart: settings.rawWindowDays.flatMap { windowStart($0, facts, zone.rules) },
      forecastStart: windowStart(SizeForecast.windowDays, facts, zone.rules) ?? Instant(microseconds: .min),
      folder: folder, knownDays: knownDays ?? { nil }, jobs: settings.jobs,
      interruption: interruption, progress: progress)
    var merged = try merge.run()
    merged.samples.read = facts.samplesRead
    merged.samples.rejected += facts.samplesRejected
    facts.problems.merge(merged.problems)
    let used = merged.usedFiles.union(curves.usedFiles)
    let digest = try facts.streamDigest ?? export.computeDigest() ?? ""
    var outcome = Outcome(
      facts: facts, zone: zone, ranking: ranking, symbols: names, merged: merged,
      summaries: StageFlow.sorted(merged.types.flatMap(\.summaries)), digest: digest,
      sideFiles: ImportReport.SideFiles(of: export, used: used), rejectedFiles: curves.rejected, folder: nil)
    if let folder { outcome.folder = try ChunkTables(outcome: outcome, settings: settings).write(export, into: folder) }
    return outcome
  }

  private func read(
    _ export: OpenExport, symbols: SymbolTable, store: SegmentStore
  ) throws -> (ExportFacts, ElectrocardiogramStage.Result) {
    let rejects = try RejectWriter(path: settings.rejectsPath, limit: settings.maxRejects)
    let stage = ReadStage(
      export: export, symbols: symbols, store: store, rejects: rejects, userByteCount: settings.user.utf8.count,
      jobs: settings.jobs, isSalvage: settings.isSalvage, interruption: interruption, progress: progress)
    var facts = try stage.run()
    let curves = try ElectrocardiogramStage(
      export: export, symbols: symbols, store: store, rejects: rejects, userByteCount: settings.user.utf8.count,
      isSalvage: settings.isSalvage, interruption: interruption
    ).run()
    facts.merge(curves.facts)
    try rejects.close(numberingLinesOf: export)
    try interruption.check()
    return (facts, curves)
  }

  /// Local midnight, `days` days before the day of the export; nil when the export has no date at all.
  private func windowStart(_ days: Int, _ facts: ExportFacts, _ zone: ZoneRules) -> Instant? {
    guard let exported = facts.exportDate ?? facts.newestCreation else { return nil }
    return zone.firstInstant(of: zone.localDay(of: exported).advanced(by: -days))
  }

  /// By (metric type, day) bytewise: the order of the table's key, whatever type a row came from. Types are compared once
  /// each, since comparing the names of tens of thousands of rows takes as long as merging a million samples.
  private static func sorted(_ summaries: [DailySummary]) -> [DailySummary] {
    let byType = Dictionary(grouping: summaries, by: \.metricType)
    let types = byType.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return types.flatMap { type in (byType[type] ?? []).sorted { $0.day < $1.day } }
  }
}
