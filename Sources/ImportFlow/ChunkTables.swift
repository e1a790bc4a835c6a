import DailySummaries
import ExportReader
import Foundation
import HealthModel
import PostgresClient
import Staging

/// Writes what belongs to an export beside its raw rows: summaries, fingerprints, sources, the profile, the manifest.
struct ChunkTables {
  let outcome: StageFlow.Outcome
  let settings: ImportSettings

  func write(_ export: OpenExport, into folder: UnfinishedChunkFolder) throws -> ChunkFolder {
    var chunks = outcome.merged.chunks
    chunks += try summaries(folder)
    chunks += try groups(folder, .groups) + groups(folder, .unchangedGroups)
    chunks += try sources(folder)
    chunks += try profile(folder)
    return try folder.complete(with: manifest(export, chunks: chunks))
  }

  private func writer(_ table: ChunkTable, _ folder: UnfinishedChunkFolder) throws -> ChunkWriter {
    try ChunkWriter(folder: folder, table: table, prefix: table.filePrefix(ordinal: 1))
  }

  private func summaries(_ folder: UnfinishedChunkFolder) throws -> [Manifest.Chunk] {
    var writer = try writer(.dailySummaries, folder)
    let user = UserKey(userID: settings.user)
    for summary in outcome.summaries { try writer.append(summary, userID: settings.user, user: user) }
    return try writer.finish()
  }

  private func groups(_ folder: UnfinishedChunkFolder, _ table: ChunkTable) throws -> [Manifest.Chunk] {
    var writer = try writer(table, folder)
    try GroupFingerprints.write(outcome.merged.types.map(\.groups), symbols: outcome.symbols, to: &writer)
    return try writer.finish()
  }

  private func sources(_ folder: UnfinishedChunkFolder) throws -> [Manifest.Chunk] {
    var writer = try writer(.sources, folder)
    let byName = outcome.facts.sources
      .map { (name: outcome.symbols[Int($0.key.index)], facts: $0.value) }
      .sorted { $0.name.lexicographicallyPrecedes($1.name) }
    for (name, facts) in byName {
      try writer.appendRow { row in
        row.append(text: Array(settings.user.utf8))
        row.append(text: name)
        row.append(text: Array(facts.deviceClass(sourceName: name).rawValue.utf8))
        for set in [facts.deviceNames, facts.models, facts.hardware, facts.versions] {
          row.append(textArray: set.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
        }
        for instant in [facts.firstSample, facts.lastSample] {
          if let instant { row.append(timestamptz: instant) } else { row.appendNull() }
        }
        row.append(int8: Int64(facts.sampleCount))
      }
    }
    return try writer.finish()
  }

  private func profile(_ folder: UnfinishedChunkFolder) throws -> [Manifest.Chunk] {
    var writer = try writer(.profiles, folder)
    for (characteristic, value) in outcome.facts.me.sorted(by: { $0.key < $1.key }) {
      try writer.appendRow { row in
        row.append(text: Array(settings.user.utf8))
        row.append(text: Array(characteristic.utf8))
        row.append(text: Array(value.utf8))
      }
    }
    return try writer.finish()
  }

  private func manifest(_ export: OpenExport, chunks: [Manifest.Chunk]) -> Manifest {
    let facts = outcome.facts
    return Manifest(
      hk2pgVersion: HK2PGVersion.current,
      export: Manifest.Export(
        name: export.name, byteCount: export.byteCount, digest: outcome.digest,
        exportDate: facts.exportDate?.iso8601, newestCreation: facts.newestCreation?.iso8601, locale: facts.locale,
        isSalvaged: facts.problems.count(of: .salvaged) > 0),
      user: settings.user, zone: outcome.zone.rules.name,
      options: Manifest.Options(rawWindowDays: settings.rawWindowDays, sourcePriority: outcome.ranking.priority),
      samples: outcome.merged.samples, types: types(), problems: problems(), chunks: chunks)
  }

  private func types() -> [Manifest.MetricType] {
    let units = outcome.unitsByType
    return outcome.merged.types.compactMap { type in
      guard let first = type.first, let last = type.last else { return nil }
      return Manifest.MetricType(
        metricType: type.metricType, rows: type.staged, withheld: type.withheld, first: first.iso8601,
        last: last.iso8601, exportedUnits: units[type.symbol] ?? [:])
    }
  }

  private func problems() -> [Manifest.Problem] {
    outcome.facts.problems.entries
      .map { Manifest.Problem(kind: $0.key, count: $0.value.count, firstOffset: $0.value.firstOffset) }
      .sorted { ($0.firstOffset, $0.kind.rawValue) < ($1.firstOffset, $1.kind.rawValue) }
  }
}
