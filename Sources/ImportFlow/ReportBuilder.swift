import DailySummaries
import ExportReader
import Foundation
import HealthModel
import Loading
import Staging

/// Makes the report of a run from what its stages say.
enum ReportBuilder {
  /// Nothing but which export it was.
  static func report(_ command: String, of export: OpenExport, digest: String?) -> ImportReport {
    ImportReport(
      command: command, hk2pgVersion: HK2PGVersion.current,
      export: ImportReport.Export(name: export.name, byteCount: export.byteCount, digest: digest))
  }

  /// After reading and merging.
  static func report(_ command: String, of export: OpenExport, _ outcome: StageFlow.Outcome) -> ImportReport {
    var report = report(command, of: export, digest: outcome.digest)
    let facts = outcome.facts
    report.export.exportDate = facts.exportDate.map(date)
    report.export.newestCreation = facts.newestCreation.map(date)
    report.export.locale = facts.locale
    report.export.isSalvaged = facts.problems.count(of: .salvaged) > 0
    report.zone = ImportReport.Zone(name: outcome.zone.rules.name, origin: outcome.zone.origin.rawValue)
    report.samples = samples(outcome.merged.samples)
    report.changes.moved = outcome.merged.samples.moved
    let units = outcome.unitsByType
    report.types = outcome.merged.types.compactMap { type(of: $0, units: units[$0.symbol] ?? [:]) }
    report.sources = sources(outcome)
    report.sourceRanking = outcome.ranking.order().map { $0.name.isEmpty ? "(none)" : $0.name }
    report.problems = facts.problems.entries.map { problem($0.key, $0.value.count, $0.value.firstOffset) }
      .sorted { ($0.firstOffset, $0.kind.rawValue) < ($1.firstOffset, $1.kind.rawValue) }
    report.unknownNames = facts.unknownNames
    report.sideFiles = outcome.sideFiles
    report.summaries.days = outcome.summaries.count
    report.notes += SideFileNotes.sentences(for: outcome.rejectedFiles)
    report.notes += outcome.ranking.unmatchedNames.map {
      "No source of this export is called “\($0)” (--source-priority)."
    }
    report.sizes.stagedBytes = outcome.folder.map {
      Int64($0.manifest.chunks.reduce(0) { $0 + $1.compressedByteCount })
    }
    report.truthCheck = truthCheck(outcome)
    SizeForecast(outcome).add(to: &report.sizes)
    report.user = outcome.folder?.manifest.user
    return report
  }

  /// From a chunk folder alone: `load`, and an import that goes on with staged chunks.
  static func report(_ command: String, of folder: ChunkFolder) throws -> ImportReport {
    let manifest = folder.manifest
    var report = ImportReport(
      command: command, hk2pgVersion: HK2PGVersion.current,
      export: ImportReport.Export(
        name: manifest.export.name, byteCount: manifest.export.byteCount, digest: manifest.export.digest,
        exportDate: manifest.export.exportDate.map(date), newestCreation: manifest.export.newestCreation.map(date),
        locale: manifest.export.locale, isSalvaged: manifest.export.isSalvaged))
    report.user = manifest.user
    report.zone = ImportReport.Zone(name: manifest.zone, origin: "the staged chunks")
    report.samples = samples(manifest.samples)
    report.changes.moved = manifest.samples.moved
    report.types = manifest.types.map {
      ImportReport.MetricType(
        metricType: $0.metricType, rows: $0.rows, withheld: $0.withheld, first: date($0.first), last: date($0.last),
        units: $0.exportedUnits)
    }
    report.problems = manifest.problems.map { problem($0.kind, $0.count, $0.firstOffset) }
    report.summaries.days = folder.chunks(of: .dailySummaries).reduce(0) { $0 + $1.rowCount }
    report.sizes.stagedBytes = Int64(manifest.chunks.reduce(0) { $0 + $1.compressedByteCount })
    return report
  }

  /// What loading did with the staged samples. Throws when the sum of DESIGN §7.1 is not zero: a lost row must never
  /// look like success.
  static func add(
    _ outcome: LoadOutcome, of folder: ChunkFolder, to report: inout ImportReport, database: String
  ) throws {
    report.database = database
    report.samples.written = outcome.new
    report.samples.alreadyThere = outcome.alreadyThere
    report.samples.superseded += outcome.superseded
    report.samples.asideForLive = outcome.asideForLive
    report.samples.withheld += outcome.withheld
    report.changes.changed = outcome.changed
    report.changes.removed = outcome.removed
    report.changes.keptMissing = outcome.keptMissing.total
    report.summaries.written = outcome.summaries.written
    report.summaries.unchanged = outcome.summaries.unchanged
    report.sizes.tableBytes = outcome.tableBytes + outcome.indexBytes
    report.sizes.databaseBytes = outcome.databaseBytes
    report.notes += LoadNotes.sentences(for: outcome)
    let samples = report.samples
    guard samples.isBalanced else {
      throw FlowError.samplesDoNotAddUp(
        read: samples.read,
        accounted: samples.written + samples.alreadyThere + samples.repeats + samples.superseded
          + samples.asideForLive + samples.withheld + samples.rejected)
    }
  }

  // MARK: Parts

  private static func samples(_ staged: Manifest.Samples) -> ImportReport.Samples {
    var samples = ImportReport.Samples()
    samples.read = staged.read
    // Rows to write, until a database says which of them are new.
    samples.written = staged.staged
    samples.repeats = staged.repeats
    samples.superseded = staged.superseded
    samples.withheld = staged.withheld
    samples.rejected = staged.rejected
    return samples
  }

  private static func type(
    of result: MergeStage.TypeResult, units: [String: Int]
  ) -> ImportReport.MetricType? {
    guard let first = result.first, let last = result.last else { return nil }
    return ImportReport.MetricType(
      metricType: result.metricType, rows: result.staged, withheld: result.withheld, first: date(first),
      last: date(last), units: units.filter { !$0.key.isEmpty })
  }

  private static func sources(_ outcome: StageFlow.Outcome) -> [ImportReport.Source] {
    outcome.facts.sources
      .map { symbol, facts in
        ImportReport.Source(
          name: text(symbol, outcome),
          deviceClass: facts.deviceClass(sourceName: outcome.symbols[Int(symbol.index)]).rawValue,
          samples: facts.sampleCount, first: facts.firstSample.map(date), last: facts.lastSample.map(date))
      }
      .sorted { ($1.samples, $0.name) < ($0.samples, $1.name) }
  }

  private static func truthCheck(_ outcome: StageFlow.Outcome) -> ImportReport.TruthCheck? {
    var check = TruthCheck()
    for witness in outcome.merged.witnesses { check.add(witness) }
    check.add(outcome.summaries)
    let comparisons = check.comparisons()
    let compared = comparisons.reduce(0) { $0 + $1.daysCompared }
    if compared == 0 { return nil }
    let days = comparisons.flatMap { comparison in
      comparison.worst.map {
        ImportReport.TruthCheck.Day(
          metricType: comparison.metricType, day: $0.day, ours: $0.ours, theirs: $0.activitySummary)
      }
    }
    func difference(_ day: ImportReport.TruthCheck.Day) -> Double {
      abs(day.ours - day.theirs) / max(abs(day.ours), abs(day.theirs), .leastNormalMagnitude)
    }
    return ImportReport.TruthCheck(
      daysCompared: compared, daysWithinOnePercent: comparisons.reduce(0) { $0 + $1.daysWithinOnePercent },
      worst: Array(
        days.filter { difference($0) > 1e-6 }.sorted { (difference($1), $0.day) < (difference($0), $1.day) }.prefix(10))
    )
  }

  private static func problem(_ kind: ProblemKind, _ count: Int, _ offset: Int64) -> ImportReport.Problem {
    ImportReport.Problem(kind: kind, severity: kind.severity, count: count, firstOffset: offset)
  }

  private static func text(_ symbol: Symbol, _ outcome: StageFlow.Outcome) -> String {
    String(decoding: outcome.symbols[Int(symbol.index)], as: UTF8.self)
  }

  static func date(_ instant: Instant) -> Date { Date(timeIntervalSince1970: Double(instant.microseconds) / 1e6) }
  static func date(_ iso8601: String) -> Date { date(Instant(iso8601: iso8601) ?? Instant(microseconds: 0)) }
}

/// Expected size of the two tables with their indexes, from what `hk2pg-bench` measures per row.
struct SizeForecast {
  /// Heap and five indexes, without metadata: measured on 2.2 million rows of a synthetic export.
  static let bytesPerRow: Int64 = 430
  static let bytesPerSummary: Int64 = 330
  static let windowDays = 30

  private let rows: Int64
  private let windowRows: Int64
  private let summaries: Int64

  init(_ outcome: StageFlow.Outcome) {
    rows = Int64(outcome.merged.samples.staged + outcome.merged.samples.withheld)
    windowRows = Int64(outcome.merged.rowsInForecastWindow)
    summaries = Int64(outcome.summaries.count)
  }

  func add(to sizes: inout ImportReport.Sizes) {
    sizes.forecastAllRows = Int(rows)
    sizes.forecastWindowRows = Int(windowRows)
    sizes.forecastAllBytes = rows * SizeForecast.bytesPerRow + summaries * SizeForecast.bytesPerSummary
    sizes.forecastWindowBytes = windowRows * SizeForecast.bytesPerRow + summaries * SizeForecast.bytesPerSummary
  }
}
