import DailySummaries
import HealthModel
import PostgresClient
import Staging
import TestSupport

@testable import Loading

/// Exports whose summaries are right, as a fold of their rows gives them, and what tests of both tiers look at.
extension LoadingFixture {
  static let berlin = "Europe/Berlin"
  static let sleep = "HKCategoryTypeIdentifierSleepAnalysis"
  static let workout = "HKWorkoutTypeIdentifier"
  static let routes = "HKWorkoutRouteTypeIdentifier"

  /// The export with the summaries that staging would give it.
  static func summed(_ export: ChunkFolderFixture) throws -> ChunkFolderFixture {
    var export = export
    let zone = try SystemZones.load(name: export.zone)
    let symbols = SymbolTable()
    var sources: [Symbol: SourceFacts] = [:]
    for (source, rows) in Dictionary(grouping: export.rows, by: \.source) {
      let device: SourceFacts.DeviceClass =
        source.contains("Watch") ? .watch : source.contains("iPhone") ? .phone : .other
      sources[symbols.intern(source)] = SourceFacts(deviceClass: device, firstSample: rows.map(\.start).min())
    }
    let ranking = SourceRanking(sources: sources, symbols: symbols, priority: export.options.sourcePriority)
    for (type, rows) in Dictionary(grouping: export.rows, by: \.type) {
      var fold = SummaryFold(metricType: type, zone: zone, ranking: ranking, symbols: symbols)
      var samples = DayRecompute(metricType: type, symbols: symbols)
      for row in rows.sorted(by: { $0.start < $1.start }) {
        let (source, unit, metadata) = (
          Array(row.source.utf8), Array(row.unit.utf8), Array((row.metadata ?? "").utf8)
        )
        fold.add(
          samples.record(
            sourceDevice: source.span, unit: unit.span, startedAt: row.start, endedAt: row.end, value: row.value,
            isOurs: true, metadata: metadata.span))
      }
      export.summaries += fold.finish()
    }
    return export
  }

  /// The summed export as `--raw-window` stages it: rows of earlier local days are withheld.
  static func windowed(_ export: ChunkFolderFixture, days: Int) throws -> ChunkFolderFixture {
    var export = try summed(export)
    let zone = try SystemZones.load(name: export.zone)
    export.options.rawWindowDays = days
    if let date = export.exportDate {
      let start = zone.firstInstant(of: zone.localDay(of: date).advanced(by: -days))
      export.rows.removeAll { $0.start < start }
    }
    return export
  }

  static func rules(_ zone: String) throws -> ZoneRules { try SystemZones.load(name: zone) }

  static func row(
    _ type: String, _ start: String, minutes: Int64 = 1, value: Double = 1, source: String = "Apple Watch",
    unit: String = "count", metadata: String? = nil
  ) -> ChunkFolderFixture.Row {
    let begin = time(start)
    return .init(
      type: type, source: source, start: begin, end: Instant(seconds: begin.seconds + minutes * 60), value: value,
      unit: unit, metadata: metadata)
  }

  /// A sleep row of the stage "core".
  static func night(_ start: String, minutes: Int64, source: String = "Apple Watch") -> ChunkFolderFixture.Row {
    row(
      sleep, start, minutes: minutes, value: 3, source: source, unit: "category",
      metadata: #"{"sleep_stage":"HKCategoryValueSleepAnalysisAsleepCore"}"#)
  }

  func summarize(
    zone: String = LoadingFixture.berlin, priority: [String: [String]] = [:], days: ClosedRange<CivilDay>? = nil,
    user: String = LoadingFixture.user, settings: ConnectionSettings? = nil
  ) throws -> SummarizeOutcome {
    let loader = try loader(user: user, settings: settings)
    defer { loader.close() }
    return try loader.summarize(SummarizeRequest(zone: zone, sourcePriority: priority, days: days))
  }

  /// As if today were `today` in UTC at noon.
  func prune(
    keptDays: Int = 30, today: String, isDryRun: Bool = false, rowsPerBatch: Int? = nil,
    _ options: LoadOptions = LoadOptions()
  ) throws -> PruneOutcome {
    let loader = try loader(options)
    defer { loader.close() }
    let now = LoadingFixture.time("\(today)T12:00:00Z")
    var request = PruneRequest(keptDays: keptDays, isDryRun: isDryRun, now: now)
    if let rowsPerBatch { request.rowsPerBatch = rowsPerBatch }
    return try loader.prune(request)
  }

  /// Day, sum and count of a type's summaries.
  func sums(_ type: String = LoadingFixture.steps, day: String = "summary_date") throws -> [String] {
    try database.lines(
      """
      SELECT \(day), sum_value, sample_count FROM healthkit_daily_summaries WHERE metric_type = '\(type)' ORDER BY 1
      """)
  }

  /// Starts of a type's raw rows, in UTC.
  func starts(_ type: String = LoadingFixture.steps) throws -> [String] {
    try database.lines(
      """
      SELECT to_char(started_at AT TIME ZONE 'UTC', 'MM-DD HH24:MI') FROM healthkit_metrics
      WHERE metric_type = '\(type)' ORDER BY started_at
      """)
  }

  func insertLive(
    _ start: String, type: String = LoadingFixture.steps, minutes: Int = 1, value: Double,
    source: String = "Apple Watch", unit: String = "count", metadata: String? = nil,
    on connection: PostgresConnection? = nil
  ) throws {
    try (connection ?? database.connection).query(
      """
      INSERT INTO healthkit_metrics (user_id, metric_type, value, unit, source_device, started_at, ended_at, metadata)
      VALUES ($1, $2, $3::float8, $4, $5, $6::timestamptz, $6::timestamptz + $7::interval, $8::jsonb)
      """,
      [LoadingFixture.user, type, String(value), unit, source, start, "\(minutes) minutes", metadata])
  }
}
