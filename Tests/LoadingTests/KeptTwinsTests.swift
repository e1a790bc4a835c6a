import Foundation
import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// Exports with other samples of one type, start and end than the table, where rows may not be removed: no value is lost
/// and none doubled (DESIGN §3.3, §3.9, §7.1).
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct KeptTwinsTests {
  private let fixture: LoadingFixture

  init() throws { fixture = try LoadingFixture() }

  private static let heartRate = LoadingFixture.heartRate
  private static let start = LoadingFixture.time("2024-05-01T08:00:00Z")

  private static func row(_ value: Double, _ source: String = "Watch", second: Int = 0) -> ChunkFolderFixture.Row {
    let start = Instant(seconds: start.seconds + Int64(second) * 60)
    return .init(type: heartRate, source: source, start: start, end: Instant(seconds: start.seconds + 5), value: value)
  }

  private func export(_ day: Int, _ rows: [ChunkFolderFixture.Row]) -> ChunkFolderFixture {
    var export = LoadingFixture.export(0, date: "2024-06-\(day < 10 ? "0" : "")\(day)T12:00:00Z")
    export.digest = UUID().uuidString
    export.rows = rows
    return export
  }

  private static var keep: LoadOptions {
    var options = LoadOptions()
    options.missingRows = .keep
    return options
  }

  private func values() throws -> [String] {
    try fixture.database.lines(
      "SELECT value, source_device FROM healthkit_metrics ORDER BY metric_type, date_trunc('second', started_at), 1, 2")
  }

  @Test func anExportWithOneOfTwoLosesNone() throws {
    try fixture.load(export(1, [Self.row(60), Self.row(61)]))
    let before = try fixture.versions()
    let outcome = try fixture.load(export(2, [Self.row(61)]), Self.keep)
    #expect(try values() == ["60|Watch", "61|Watch"])
    #expect((outcome.new, outcome.alreadyThere, outcome.changed, outcome.removed) == (0, 1, 0, 0))
    #expect(outcome.keptMissing.notAsked == 1)
    #expect(outcome.isBalanced)
    #expect(try fixture.versions() == before)
    // A whole export again, and it is as if nothing had been.
    #expect(try fixture.load(export(3, [Self.row(60), Self.row(61)])).changed == 0)
    #expect(try fixture.versions() == before)
  }

  @Test func aCorrectionStandsBesideWhatIsKept() throws {
    try fixture.load(export(1, [Self.row(60)]))
    let outcome = try fixture.load(export(2, [Self.row(62)]), Self.keep)
    #expect(try values() == ["60|Watch", "62|Watch"])
    #expect((outcome.new, outcome.alreadyThere, outcome.changed) == (1, 0, 0))
    #expect(outcome.keptMissing.notAsked == 1)
    let versions = try fixture.versions()
    #expect(try fixture.load(export(3, [Self.row(62)]), Self.keep).alreadyThere == 1)
    #expect(try fixture.versions() == versions)
    // Both are exported: the ids are those of an import into an empty table, and nothing is new.
    let both = export(4, [Self.row(60), Self.row(62)])
    let last = try fixture.load(both, Self.keep)
    #expect((last.new, last.alreadyThere, last.removed, last.keptMissing.total) == (0, 2, 0, 0))
    #expect(last.isBalanced)
    #expect(last.rowsInTable == 2)
    let clean = try LoadingFixture()
    try clean.load(both)
    #expect(try fixture.rows() == clean.rows())
    // When it may go, only the correction is left.
    var options = LoadOptions()
    options.isForced = true
    #expect(try fixture.load(export(5, [Self.row(62)]), options).removed == 1)
    #expect(try values() == ["62|Watch"])
  }

  @Test func theSamplesOfASourceThatTheExportLacksStay() throws {
    // The Watch comes first in value, so that its id is the one that the iPhone's sample has when alone.
    let filler = (10..<40).map { Self.row(80, "iPhone", second: $0) }
    try fixture.load(export(1, [Self.row(60, "Watch"), Self.row(61, "iPhone")] + filler))
    let before = try fixture.versions()
    let outcome = try fixture.load(export(2, [Self.row(61, "iPhone")] + filler))
    #expect((outcome.new, outcome.alreadyThere, outcome.changed, outcome.removed) == (0, 31, 0, 0))
    #expect(outcome.keptMissing.groupNotInExport == 1)
    #expect(try fixture.versions() == before)
  }

  @Test func equalValuesStayWithTheirSources() throws {
    let filler = (10..<40).map { Self.row(80, "iPhone", second: $0) }
    try fixture.load(export(1, [Self.row(60, "Watch"), Self.row(60, "iPhone")] + filler))
    let before = try fixture.versions()
    try fixture.load(export(2, [Self.row(60, "iPhone")] + filler))
    #expect(try fixture.versions() == before)
  }

  @Test func aGroupCutByMoreThanHalfLosesNone() throws {
    let rows = (0..<20).flatMap { [Self.row(60, second: $0), Self.row(61, second: $0)] }
    try fixture.load(export(1, rows))
    let before = try fixture.versions()
    let outcome = try fixture.load(export(2, (0..<19).map { Self.row(61, second: $0) }))
    #expect((outcome.new, outcome.alreadyThere, outcome.changed, outcome.removed) == (0, 19, 0, 0))
    #expect(outcome.keptMissing.underHalf == 21)
    #expect(try fixture.versions() == before)
  }

  @Test func aTypeThatIsSparedLosesNoneAndKeepsWhatWasCorrected() throws {
    let rows = (0..<20).flatMap { [Self.row(60, second: $0), Self.row(61, second: $0)] }
    try fixture.load(export(1, rows))
    // 15 of 40 gone, and two values are others.
    var fewer = (0..<15).map { Self.row(61, second: $0) } + rows[30...]
    fewer[15].value = 70
    fewer[17].value = 71
    let outcome = try fixture.load(export(2, fewer))
    #expect(outcome.keptMissing.overFivePercent == 17)
    #expect((outcome.new, outcome.alreadyThere, outcome.changed, outcome.removed) == (2, 23, 0, 0))
    #expect(outcome.isBalanced)
    #expect(try fixture.count("healthkit_metrics", "value = 60") == 20)
    #expect(try fixture.count("healthkit_metrics", "value = 61") == 20)
    #expect(try fixture.count() == 42)
    // Forced, only the export's rows are left.
    var options = LoadOptions()
    options.isForced = true
    let clean = try LoadingFixture()
    try clean.load(export(3, fewer))
    let forced = try fixture.load(export(3, fewer), options)
    #expect(try fixture.rows() == clean.rows())
    #expect(forced.isBalanced)
    #expect(forced.rowsInTable == 25)
  }

  @Test func anOlderExportIsOverruledOrAlreadyThere() throws {
    try fixture.load(export(10, [Self.row(61), Self.row(70, second: 1)]))
    let before = try fixture.versions()
    // 60 was deleted since, 69 corrected to 70.
    let outcome = try fixture.load(export(1, [Self.row(60), Self.row(61), Self.row(69, second: 1)]))
    #expect((outcome.new, outcome.alreadyThere, outcome.superseded) == (0, 1, 2))
    #expect(outcome.isBalanced)
    #expect(try fixture.versions() == before)
  }

  @Test func anOlderExportAddsTheSourceThatIsAbsent() throws {
    try fixture.load(export(10, [Self.row(61, "Watch")]))
    let outcome = try fixture.load(export(1, [Self.row(60, "iPhone"), Self.row(61, "Watch")]))
    #expect((outcome.new, outcome.alreadyThere, outcome.superseded) == (1, 1, 0))
    #expect(try values() == ["60|iPhone", "61|Watch"])
  }

  @Test func aCorrelationIsItsContent() throws {
    func pressure(_ systolic: Int) -> ChunkFolderFixture.Row {
      .init(
        type: "HKCorrelationTypeIdentifierBloodPressure", source: "Cuff", start: Self.start, end: Self.start,
        value: nil,
        unit: "", metadata: #"{"members": [\#(systolic)]}"#)
    }
    try fixture.load(export(1, [pressure(120)]))
    let outcome = try fixture.load(export(2, [pressure(130)]), Self.keep)
    #expect((outcome.new, outcome.changed, outcome.keptMissing.notAsked) == (1, 0, 1))
    #expect(try fixture.count() == 2)
    #expect(try fixture.load(export(3, [pressure(130)]), Self.keep).alreadyThere == 1)
    #expect(try fixture.count() == 2)
  }

  @Test func anActivitySummaryIsItsDateWhateverItsValue() throws {
    func summary(_ energy: Double) -> ChunkFolderFixture.Row {
      .init(type: "HKActivitySummaryTypeIdentifier", source: "", start: Self.start, value: energy, unit: "kcal")
    }
    try fixture.load(export(1, [summary(100)]))
    #expect(try fixture.load(export(2, [summary(400)]), Self.keep).changed == 1)
    #expect(try fixture.count() == 1)
  }

  // MARK: Any sequence

  /// Imports of random exports with `keep`, 40 starts side by side, against what a multiset says.
  @Test(arguments: 0..<3) func noSequenceOfImportsLosesOrDoublesAValue(_ round: Int) throws {
    var random = SplitMix(printing: "noSequenceOfImportsLosesOrDoublesAValue", stream: UInt64(round))
    let seed = random.seed
    var model: [[Double: Int]] = .init(repeating: [:], count: 40)
    for day in 1...6 {
      let rows = drawn(&random, upTo: &model)
      let outcome = try fixture.load(export(day, rows), Self.keep)
      #expect(outcome.isBalanced)
      #expect(outcome.removed == 0)
      #expect(outcome.rowsInTable == (try fixture.count()))
      #expect(try counts() == model, "seed \(seed), round \(round), import \(day)")
      try expectAll(rows)
      let versions = try fixture.versions()
      let again = try fixture.load(export(day, rows), Self.keep)
      #expect((again.new, again.changed) == (0, 0))
      #expect(again.alreadyThere == rows.count)
      #expect(try fixture.versions() == versions, "seed \(seed), round \(round), import \(day) again")
    }
    try expectAWholeExportIsAsIfAlone(&random)
  }

  /// Newer and older exports, with and without `keep`, beside an app that adds rows of its own.
  @Test(arguments: 0..<2) func noSequenceOfImportsDoublesAValueOrTouchesALiveRow(_ round: Int) throws {
    var random = SplitMix(printing: "noSequenceOfImportsDoublesAValueOrTouchesALiveRow", stream: UInt64(round))
    try Schema.apply(fixture.database.connection)
    var most: [[Double: Int]] = .init(repeating: [:], count: 40)
    var (newest, live) = (0, 0)
    for _ in 0..<7 {
      let day = 1 + random.below(20)
      let rows = drawn(&random, upTo: &most)
      let isNewest = day >= newest
      newest = max(newest, day)
      let before = try liveRows()
      let options = random.below(2) == 0 ? Self.keep : LoadOptions()
      let outcome = try fixture.load(export(day, rows), options)
      #expect(outcome.isBalanced)
      #expect(outcome.rowsInTable == (try fixture.count()))
      #expect(try liveRows() == before)
      let ours = try counts("get_byte(uuid_send(id), 6) >> 4 = 8")
      let all = try counts()
      for second in all.indices {
        for (value, count) in ours[second] { #expect(count <= most[second][value] ?? 0, "\(random.seed), \(second)") }
        if !isNewest { continue }
        for row in rows where row.start == Self.row(0, second: second).start {
          #expect(all[second][row.value ?? 0] != nil, "\(random.seed), \(second): \(row.value ?? 0)")
        }
      }
      try expectNothingNew(export(day, rows), options, random.seed)
      for _ in 0..<10 {
        live += 1
        try addLive(Double(60 + random.below(5)), ["a", "b", "c"][random.below(3)], random.below(40), live)
      }
    }
    try expectOnlyTheExport(drawn(&random, upTo: &most))
  }

  /// The same again. A row that stepped aside may have left others with ids and places of their own, which they lose
  /// then; no value and no source is another one, and after that nothing is written at all.
  private func expectNothingNew(_ export: ChunkFolderFixture, _ options: LoadOptions, _ seed: UInt64) throws {
    let before = try fixture.database.lines(Self.samples)
    let again = try fixture.load(export, options)
    #expect((again.new, again.removed, again.steppedAside) == (0, 0, 0), "\(seed)")
    #expect(try fixture.database.lines(Self.samples) == before, "\(seed)")
    let versions = try fixture.versions()
    try fixture.load(export, options)
    #expect(try fixture.versions() == versions, "\(seed)")
  }

  /// Whose rows, which seconds, values and sources: all but ids and places within the second.
  private static let samples = """
    SELECT get_byte(uuid_send(id), 6) >> 4 = 8, date_trunc('second', started_at), value, source_device
    FROM healthkit_metrics ORDER BY 1, 2, 3, 4
    """

  private func drawn(_ random: inout SplitMix, upTo most: inout [[Double: Int]]) -> [ChunkFolderFixture.Row] {
    var rows: [ChunkFolderFixture.Row] = []
    for second in most.indices {
      var counts: [Double: Int] = [:]
      var drawn: Set<String> = []
      for _ in 0..<random.below(5) {
        let (value, source) = (Double(60 + random.below(5)), ["a", "b", "c"][random.below(3)])
        guard drawn.insert("\(value) \(source)").inserted else { continue }
        rows.append(Self.row(value, source, second: second))
        counts[value, default: 0] += 1
      }
      most[second].merge(counts) { max($0, $1) }
    }
    return rows
  }

  /// Never two at the same place: `number` is its fraction of the second.
  private func addLive(_ value: Double, _ source: String, _ second: Int, _ number: Int) throws {
    try fixture.database.query(
      """
      INSERT INTO healthkit_metrics (id, user_id, metric_type, value, unit, source_device, started_at)
      VALUES (overlay(md5($6) PLACING '4' FROM 13 FOR 1)::uuid, $1, $2, $3::float8, 'count/min', $4, to_timestamp($5::bigint) + interval '1 ms' * $6::int)
      ON CONFLICT DO NOTHING
      """,
      [
        LoadingFixture.user, Self.heartRate, String(value), source, String(Self.start.seconds + Int64(second) * 60),
        String(number),
      ])
  }

  private func liveRows() throws -> [String] {
    try fixture.database.lines("SELECT * FROM healthkit_metrics WHERE get_byte(uuid_send(id), 6) >> 4 <> 8 ORDER BY id")
  }

  /// With all that is missing removed, the table holds what it would have held from the start.
  private func expectOnlyTheExport(_ rows: [ChunkFolderFixture.Row]) throws {
    var options = LoadOptions()
    options.missingRows = .remove
    options.isForced = true
    let last = export(25, rows)
    #expect(try fixture.load(last, options).isBalanced)
    let clean = try LoadingFixture()
    try Schema.apply(clean.database.connection)
    let columns = LoadingFixture.columns
    let live = try fixture.database.query(
      "SELECT (t.*)::text FROM (SELECT \(columns), synced_at FROM healthkit_metrics) t WHERE get_byte(uuid_send(id), 6) >> 4 <> 8"
    )
    for row in live.rows {
      try clean.database.query(
        """
        INSERT INTO healthkit_metrics (\(columns), synced_at) SELECT (r).* FROM (SELECT $1::healthkit_metrics AS r) x
        """, [try row.text(0)])
    }
    try clean.load(last)
    // Ids and places are as from the start after one more import at the latest, see `expectNothingNew`.
    #expect(try fixture.database.lines(Self.samples) == clean.database.lines(Self.samples))
    try fixture.load(last, options)
    try clean.load(last, options)
    #expect(try fixture.rows() == clean.rows())
  }

  /// Number of rows by value for each start.
  private func counts(_ condition: String = "true") throws -> [[Double: Int]] {
    var result: [[Double: Int]] = .init(repeating: [:], count: 40)
    let found = try fixture.database.query(
      """
      SELECT (extract(epoch FROM date_trunc('second', started_at)) - \(Self.start.seconds))::int / 60 AS second,
        value::int AS value, count(*) AS number FROM healthkit_metrics WHERE \(condition) GROUP BY 1, 2
      """)
    for row in found.rows { result[try row.int("second")][Double(try row.int("value"))] = try row.int("number") }
    return result
  }

  /// Every sample has a row with its value and its source.
  private func expectAll(_ rows: [ChunkFolderFixture.Row]) throws {
    let found = Set(
      try fixture.database.lines(
        """
        SELECT (extract(epoch FROM date_trunc('second', started_at)))::bigint, value, source_device
        FROM healthkit_metrics
        """))
    for row in rows {
      #expect(found.contains("\(row.start.seconds)|\(Int(row.value ?? 0))|\(row.source)"))
    }
  }

  /// An export of all that is there, and some more, leaves what it would leave in an empty table.
  private func expectAWholeExportIsAsIfAlone(_ random: inout SplitMix) throws {
    let found = try fixture.database.query(
      """
      SELECT (extract(epoch FROM date_trunc('second', started_at)) - \(Self.start.seconds))::int / 60 AS second,
        value::int AS value, source_device FROM healthkit_metrics
      """)
    var rows = try found.rows.map {
      Self.row(Double(try $0.int("value")), try $0.text("source_device"), second: try $0.int("second"))
    }
    let known = rows.count
    for second in 0..<40 where random.below(2) == 0 { rows.append(Self.row(65, "d", second: second)) }
    let whole = export(20, rows)
    let outcome = try fixture.load(whole, Self.keep)
    #expect(outcome.new == rows.count - known)
    #expect(outcome.alreadyThere == known)
    #expect((outcome.removed, outcome.keptMissing.total) == (0, 0))
    let clean = try LoadingFixture()
    try clean.load(whole)
    #expect(try fixture.rows() == clean.rows())
  }
}
