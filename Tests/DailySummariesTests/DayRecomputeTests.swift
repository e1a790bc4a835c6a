import DailySummaries
import Foundation
import HealthModel
import TestSupport
import Testing

/// Rows as the table holds them, made from samples as an import makes them.
struct StoredRow {
  var source: String
  var startedAt: Instant
  var endedAt: Instant?
  var value: Double?
  var unit: String
  var metadata: String
  var isOurs = true

  /// Samples of one second are moved apart by microseconds; an end never lies before its start.
  static func rows(of fold: FoldCase) -> [StoredRow] {
    var used: Set<Int64> = []
    return fold.records.sorted { ($0.start, $0.end, $0.value) < ($1.start, $1.end, $1.value) }.map { record in
      var start = record.start.microseconds
      while !used.insert(start).inserted { start += 1 }
      return StoredRow(record, at: Instant(microseconds: start), of: fold)
    }
  }

  private init(_ record: SampleRecord, at startedAt: Instant, of fold: FoldCase) {
    source = fold.table.text(of: record.source)
    self.startedAt = startedAt
    endedAt = max(record.end, startedAt)
    value = record.numericValue
    let exported = fold.table.text(of: record.exportedUnit)
    unit = Catalogue.canonicalUnit(ofType: fold.metricType) ?? exported
    if record.flags.contains(.isUnconvertible) { unit = exported }
    var members: [String] = []
    if record.flags.contains(.isUserEntered) { members.append(#""HKWasUserEntered": 1"#) }
    let subtype = fold.table.text(of: record.subtype)
    if fold.metricType == SummaryKind.workoutType { members.append(#""workout_type": "\#(subtype)""#) }
    if fold.metricType == SummaryKind.sleepType, let state = SleepState(rawValue: Int(record.value)) {
      members.append(#""sleep_stage": "\#(state.exportName)""#)
    }
    metadata = members.isEmpty ? "" : "{" + members.joined(separator: ", ") + "}"
  }

  init(
    source: String, _ start: String, _ end: String?, _ value: Double?, unit: String, metadata: String = "",
    isOurs: Bool = false
  ) {
    self.source = source
    startedAt = FoldCase.instant(start)
    endedAt = end.map(FoldCase.instant)
    self.value = value
    self.unit = unit
    self.metadata = metadata
    self.isOurs = isOurs
  }

  /// source|unit|started_at|ended_at|value|metadata, times in microseconds, NULL as ∅.
  init(line: String) {
    let fields = line.split(separator: "|", omittingEmptySubsequences: false).map { $0 == "∅" ? "" : String($0) }
    source = fields[0]
    unit = fields[1]
    startedAt = Instant(microseconds: Int64(fields[2]) ?? 0)
    endedAt = Int64(fields[3]).map { Instant(microseconds: $0) }
    value = Double(fields[4])
    metadata = fields[5]
  }

  func record(_ recompute: inout DayRecompute) -> SampleRecord {
    recompute.record(
      sourceDevice: Array(source.utf8).span, unit: Array(unit.utf8).span, startedAt: startedAt, endedAt: endedAt,
      value: value, isOurs: isOurs, metadata: Array(metadata.utf8).span)
  }

  /// The fold of rows, with the facts of the sources as the database knows them.
  static func summaries(_ rows: [StoredRow], like fold: FoldCase) -> [DailySummary] {
    let table = SymbolTable()
    var facts: [Symbol: SourceFacts] = [:]
    for (symbol, known) in fold.sources {
      let name = fold.table.bytes(of: symbol)
      facts[table.intern(name)] = SourceFacts(
        deviceClass: known.deviceClass(sourceName: name), firstSample: known.firstSample)
    }
    let ranking = SourceRanking(sources: facts, symbols: table, priority: fold.priority)
    var recompute = DayRecompute(metricType: fold.metricType, symbols: table)
    var summary = SummaryFold(metricType: fold.metricType, zone: fold.zone, ranking: ranking, symbols: table)
    for row in rows.sorted(by: { $0.startedAt < $1.startedAt }) { summary.add(row.record(&recompute)) }
    return summary.finish()
  }
}

/// Random samples of a type, as people have them: two devices and an app, nights, workouts, some typed in.
struct RandomSamples {
  static let types = [
    FoldCase.steps, FoldCase.heartRate, "HKQuantityTypeIdentifierHeadphoneAudioExposure", FoldCase.mindful,
    SummaryKind.standHourType, SummaryKind.sleepType, SummaryKind.workoutType, "HKQuantityTypeIdentifierOfTomorrow",
  ]
  static let zones = ["Europe/Berlin", "Asia/Kathmandu", "America/Sao_Paulo", "UTC"]

  static func fold(_ type: String, zone: String, count: Int, days: Int, _ random: inout SplitMix) -> FoldCase {
    var fold = FoldCase(type, zone: zone)
    // Through the ends of daylight saving time in Berlin (2018-10-28) and São Paulo (2018-11-04).
    let origin = FoldCase.instant("2018-10-26 00:00").seconds
    for _ in 0..<count {
      let source = ["Ann’s Watch", "Ann’s iPhone", "Ring", ""][Int.random(in: 0...3, using: &random)]
      let start = origin + Int64.random(in: 0..<Int64(days) * 86_400, using: &random)
      let lengths: [Int64] = [0, 1, 60, 1800, 7200, 18_000, type == FoldCase.steps ? 200_000 : 28_800]
      let end = start + lengths[Int.random(in: 0...6, using: &random)]
      fold.add(
        source, Instant(seconds: start), Instant(seconds: end), value(type, &random),
        userEntered: Int.random(in: 0...9, using: &random) == 0,
        subtype: type == SummaryKind.workoutType
          ? "HKWorkoutActivityType" + ["Running", "Yoga"][Int.random(in: 0...1, using: &random)] : "",
        unit: type.hasSuffix("Tomorrow") ? ["foo", "bar"][Int.random(in: 0...1, using: &random)] : "")
      // Another sample in the same second.
      if Int.random(in: 0...3, using: &random) == 0 {
        fold.add("Ann’s Watch", Instant(seconds: start), Instant(seconds: end), value(type, &random))
      }
    }
    return fold
  }

  private static func value(_ type: String, _ random: inout SplitMix) -> Double {
    switch type {
    case SummaryKind.sleepType: Double(Int.random(in: 0...5, using: &random))
    case SummaryKind.standHourType: Double(Int.random(in: 0...1, using: &random))
    case FoldCase.mindful: 0
    default: Double(Int.random(in: 1...9999, using: &random)) / 100
    }
  }
}

@Suite struct DayRecomputeTests {
  /// The fold of the export and of the rows it became agree in every bit.
  @Test(arguments: RandomSamples.types) func rowsGiveTheSummariesOfTheExport(type: String) {
    var random = SplitMix(printing: "rowsGiveTheSummariesOfTheExport(\(type))")
    for round in 0..<60 {
      let zone = RandomSamples.zones[round % RandomSamples.zones.count]
      var fold = RandomSamples.fold(type, zone: zone, count: 60, days: 14, &random)
      let expected = fold.summaries()
      let rows = StoredRow.rows(of: fold).shuffled(using: &random)
      #expect(StoredRow.summaries(rows, like: fold) == expected)
    }
  }

  /// The same through a server: what timestamptz, float8 and jsonb give back.
  @Test(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
  func rowsOfAServerGiveTheSummariesOfTheExport() throws {
    var random = SplitMix(printing: "rowsOfAServerGiveTheSummariesOfTheExport")
    let database = try TestDatabase()
    try database.execute(
      """
      CREATE TABLE healthkit_metrics (metric_type text NOT NULL, value float8, unit text, source_device text,
        started_at timestamptz NOT NULL, ended_at timestamptz, metadata jsonb, UNIQUE (metric_type, started_at))
      """)
    let epoch = "timestamptz 'epoch' + interval '1 microsecond' * "
    for type in RandomSamples.types {
      var fold = RandomSamples.fold(type, zone: "Europe/Berlin", count: 80, days: 14, &random)
      let rows = StoredRow.rows(of: fold).map { row in
        """
        ('\(type)', \(row.value.map { "\($0)" } ?? "NULL"), '\(row.unit)', '\(row.source.replacing("'", with: "''"))',
         \(epoch)\(row.startedAt.microseconds), \(epoch)\((row.endedAt ?? row.startedAt).microseconds),
         \(row.metadata.isEmpty ? "NULL" : "'\(row.metadata)'"))
        """
      }
      try database.execute(
        """
        INSERT INTO healthkit_metrics (metric_type, value, unit, source_device, started_at, ended_at, metadata)
        VALUES \(rows.joined(separator: ","))
        """)
      let lines = try database.lines(
        """
        SELECT source_device, unit, (extract(epoch FROM started_at) * 1000000)::int8,
          (extract(epoch FROM ended_at) * 1000000)::int8, value, metadata
        FROM healthkit_metrics WHERE metric_type = $1 ORDER BY started_at
        """, [type])
      #expect(StoredRow.summaries(lines.map(StoredRow.init(line:)), like: fold) == fold.summaries())
    }
  }

  static func record(_ type: String, _ row: StoredRow) -> (SampleRecord, SymbolTable) {
    let table = SymbolTable()
    var recompute = DayRecompute(metricType: type, symbols: table)
    return (row.record(&recompute), table)
  }

  @Test func ourRowsLoseTheirMicroseconds() {
    var row = StoredRow(source: "Watch", "2024-03-01 10:00", "2024-03-01 10:00", 5, unit: "count", isOurs: true)
    row.startedAt.microseconds += 3
    row.endedAt?.microseconds += 3
    let (ours, _) = Self.record(FoldCase.steps, row)
    #expect(ours.start == FoldCase.instant("2024-03-01 10:00") && ours.end == ours.start)
    row.isOurs = false
    let (live, _) = Self.record(FoldCase.steps, row)
    #expect(live.start == row.startedAt && live.end == live.start)
  }

  @Test func flagsOfMetadata() {
    for (text, isEntered) in [
      (#"{"HKWasUserEntered": 1}"#, true), (#"{"a":"b","HKWasUserEntered":"1"}"#, true),
      (#"{"HKWasUserEntered": true}"#, true), (#"{"HKWasUserEntered": 0}"#, false),
      (#"{"HKWasUserEntered": "true"}"#, false),
      (#"{"x": {"HKWasUserEntered": 1}}"#, false), ("", false), ("null", false), ("{", false),
    ] {
      let row = StoredRow(source: "A", "2024-03-01 10:00", nil, 5, unit: "count", metadata: text)
      #expect(Self.record(FoldCase.steps, row).0.flags.contains(.isUserEntered) == isEntered, "\(text)")
    }
  }

  /// Live rows in another unit are converted, those in a foreign one are left out.
  @Test func unitsOfLiveRows() {
    let distance = "HKQuantityTypeIdentifierDistanceWalkingRunning"
    let (km, _) = Self.record(distance, StoredRow(source: "A", "2024-03-01 10:00", nil, 1.5, unit: "km"))
    #expect(km.value == 1500 && km.flags.contains(.isConverted))
    let (foreign, _) = Self.record(distance, StoredRow(source: "A", "2024-03-01 10:00", nil, 1.5, unit: "kg"))
    #expect(foreign.value == 1.5 && foreign.flags.contains(.isUnconvertible))
  }

  @Test func hourlyRowsLastAnHour() {
    let row = StoredRow(
      source: "HealthKit (all sources)", "2024-03-01 10:00", nil, 700, unit: "count",
      metadata: #"{"h4ai_aggregation": "hourly"}"#)
    let (record, _) = Self.record(FoldCase.steps, row)
    #expect(record.end == FoldCase.instant("2024-03-01 11:00"))
  }

  @Test func sleepByTheNameOfItsStage() {
    let row = StoredRow(
      source: "A", "2024-03-01 22:00", "2024-03-02 06:00", 480, unit: "min",
      metadata: #"{"sleep_stage": "HKCategoryValueSleepAnalysisAsleep"}"#)
    #expect(Self.record(SummaryKind.sleepType, row).0.value == 1)
    let plain = StoredRow(source: "A", "2024-03-01 22:00", "2024-03-02 06:00", 4, unit: "category")
    #expect(Self.record(SummaryKind.sleepType, plain).0.value == 4)
  }

  @Test func workoutsOfOtherPrograms() {
    let (minutes, table) = Self.record(
      SummaryKind.workoutType,
      StoredRow(
        source: "A", "2024-03-01 10:00", "2024-03-01 11:00", 50, unit: "min",
        metadata: #"{"workout_type": "HKWorkoutActivityTypeYoga", "duration_seconds": 3000}"#))
    #expect(minutes.value == 3000)
    #expect(table.text(of: minutes.subtype) == "HKWorkoutActivityTypeYoga")
    let (none, _) = Self.record(
      SummaryKind.workoutType, StoredRow(source: "A", "2024-03-01 10:00", "2024-03-01 11:00", nil, unit: "seconds"))
    #expect(none.value == 3600 && none.flags.contains(.hasValue))
  }
}
