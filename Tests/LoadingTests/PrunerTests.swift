import Foundation
import HealthModel
import PostgresClient
import Staging
import Synchronization
import TestSupport
import Testing

@testable import Loading

/// `hk2pg prune` (DESIGN §4.6).
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct PrunerTests {
  private let fixture: LoadingFixture

  init() throws { fixture = try LoadingFixture() }

  private typealias F = LoadingFixture

  /// Ten minutes of steps at noon on each day of May 2024, exported on 1 June.
  private func may(_ days: ClosedRange<Int> = 1...31) throws -> ChunkFolderFixture {
    var export = F.export(0, date: "2024-06-01T12:00:00Z")
    for day in days { export.rows += F.rows(10, from: "2024-05-\(day < 10 ? "0" : "")\(day)T10:00:00Z") }
    return try F.summed(export)
  }

  private let viewDays = """
    SELECT day, source, sum_value FROM v_healthkit_daily_quantity ORDER BY 1
    """

  private func prunedDays() throws -> [String] {
    try fixture.database.lines("SELECT metric_type, day, row_count FROM hk2pg.pruned_days ORDER BY 1, 2")
  }

  @Test func theThirtiethDayStaysWhole() throws {
    try fixture.load(may())
    let days = try fixture.database.lines(viewDays)
    // 30 days before 9 June is 10 May.
    let outcome = try fixture.prune(today: "2024-06-09")
    #expect(outcome.firstKeptDay?.description == "2024-05-10")
    #expect(outcome.types == [PrunedType(metricType: F.steps, rows: 90, days: 9)])
    #expect(outcome.skipped.isEmpty)
    #expect(outcome.reusableBytes > 0)
    #expect(outcome.isVacuumed)
    #expect(try fixture.starts().first == "05-10 10:00")
    #expect(try fixture.count() == 220)
    #expect(try prunedDays() == (1...9).map { "\(F.steps)|2024-05-0\($0)|10" })
    #expect(
      try fixture.database.lines(
        "SELECT starts_at AT TIME ZONE 'UTC', ends_at AT TIME ZONE 'UTC' FROM hk2pg.pruned_days ORDER BY 1 LIMIT 1")
        == ["2024-04-30 22:00:00|2024-05-01 22:00:00"])
    // Nobody sees a difference in the daily figures.
    #expect(try fixture.database.lines(viewDays) == days)
    #expect(try fixture.prune(today: "2024-06-09").rows == 0)
  }

  /// Each batch sees what the one before it deleted, which is no change by others.
  @Test func manyBatchesOfOneTypeAllGo() throws {
    try fixture.load(may())
    let outcome = try fixture.prune(today: "2024-06-28", rowsPerBatch: 10)
    #expect(outcome.types.map(\.rows) == [280])
    #expect(outcome.batches == 28)
    #expect(outcome.skipped.isEmpty)
    #expect(try fixture.count() == 30)
    #expect(try prunedDays().count == 28)
  }

  @Test func aDryRunChangesNothing() throws {
    #expect(try fixture.prune(today: "2024-06-09", isDryRun: true).rows == 0)
    #expect(try fixture.database.value("SELECT to_regnamespace('hk2pg') IS NULL") == "t")
    try fixture.load(may())
    let versions = try fixture.versions()
    let dry = try fixture.prune(today: "2024-06-09", isDryRun: true)
    #expect(dry.rows == 90)
    #expect(dry.types.map(\.days) == [9])
    #expect(try fixture.versions() == versions)
    #expect(try prunedDays().isEmpty)
    let done = try fixture.prune(today: "2024-06-09")
    #expect(done.types == dry.types)
    #expect(done.skipped == dry.skipped)
  }

  @Test func aReimportBringsNothingBack() throws {
    let export = try may()
    try fixture.load(export)
    _ = try fixture.prune(today: "2024-06-09")
    let (versions, days) = (try fixture.versions(), try fixture.database.lines(viewDays))
    let outcome = try fixture.load(export)
    #expect(outcome.isBalanced)
    #expect(outcome.withheld == 90)
    #expect(outcome.alreadyThere == 220)
    #expect(outcome.new == 0)
    #expect(try fixture.versions() == versions)
    // A newer export with one more sample on a pruned and on a kept day, and one less on another pruned one.
    var newer = try may()
    newer.summaries = []
    newer.exportDate = F.time("2024-06-09T12:00:00Z")
    newer.rows.append(F.row(F.steps, "2024-05-03T15:00:00Z", value: 1000))
    newer.rows.append(F.row(F.steps, "2024-05-20T15:00:00Z", value: 1000))
    newer.rows.removeFirst()
    let later = try fixture.load(try F.summed(newer))
    #expect(later.isBalanced)
    #expect((later.withheld, later.new, later.removed) == (90, 1, 0))
    #expect(later.summaries.kept == 1)
    let sums = try fixture.sums()
    #expect(sums[0] == "2024-05-01|124|10")
    #expect(sums[2] == "2024-05-03|1124|11")
    #expect(sums[19] == "2024-05-20|1124|11")
    #expect(try fixture.database.lines(viewDays).count == days.count)
    #expect(try fixture.summarize().written == 0)
  }

  @Test func whenAllRowsWerePrunedAReimportBringsNoneBack() throws {
    let export = try may()
    try fixture.load(export)
    #expect(try fixture.prune(today: "2024-09-01").rows == 310)
    let outcome = try fixture.load(export)
    #expect((outcome.withheld, outcome.new) == (310, 0))
    #expect(outcome.isBalanced)
    #expect(try fixture.count() == 0)
    // Somebody who drops the tables wants everything again.
    try fixture.database.execute("DROP TABLE healthkit_metrics, healthkit_daily_summaries CASCADE")
    #expect(try fixture.load(export).new == 310)
    #expect(try prunedDays().isEmpty)
  }

  @Test func daysThatDoNotMatchAreNamed() throws {
    var export = try may(1...9)
    export.rows.append(F.row(F.steps, "2024-05-07T18:00:00Z", value: 3, unit: "furlong"))
    try fixture.load(export)
    try fixture.database.execute(
      """
      UPDATE healthkit_daily_summaries SET sum_value = sum_value + 1 WHERE summary_date = '2024-05-02';
      UPDATE healthkit_daily_summaries SET sample_count = 9 WHERE summary_date = '2024-05-03';
      UPDATE healthkit_daily_summaries SET sum_value = sum_value * 1.000001 WHERE summary_date = '2024-05-04';
      DELETE FROM healthkit_daily_summaries WHERE summary_date = '2024-05-05'
      """)
    // Another program's row of a day that its summary does not have yet.
    try fixture.insertLive("2024-05-06T18:00:00Z", value: 5)
    let outcome = try fixture.prune(today: "2024-09-01")
    #expect(
      outcome.skipped.map { "\($0.day) \($0.reason.rawValue) \($0.rows)" } == [
        "2024-05-02 differs 10", "2024-05-03 differs 10", "2024-05-05 no_summary 10", "2024-05-06 differs 10",
        "2024-05-07 left_out_rows 11",
      ])
    #expect(outcome.rows == 40)
    #expect(try fixture.count() == 52)
    _ = try fixture.summarize()
    #expect(try fixture.prune(today: "2024-09-01").rows == 40)
    // Live rows stay, and the row that no summary holds with its day.
    #expect(try fixture.starts().first == "05-06 18:00")
    #expect(try fixture.count() == 12)
  }

  @Test func liveRowsAndTypesWithoutSummariesStay() throws {
    var export = try may(1...3)
    export.rows.append(F.row(F.routes, "2024-05-01T10:00:00Z", value: 50))
    export.rows.append(F.row("HKActivitySummaryTypeIdentifier", "2024-04-30T22:00:00Z", value: 50, unit: "kcal"))
    try fixture.load(export)
    try fixture.insertLive("2024-05-01T18:00:00Z", value: 5)
    // The live app has taken a row of ours over.
    try fixture.database.execute(
      """
      UPDATE healthkit_metrics SET metadata = '{"h4ai_aggregation": "none"}'
      WHERE started_at = '2024-05-02T10:00:00Z'
      """)
    _ = try fixture.summarize()
    let days = try fixture.database.lines(viewDays)
    let outcome = try fixture.prune(today: "2024-09-01")
    #expect(outcome.rows == 29)
    #expect(try fixture.starts() == ["05-01 18:00", "05-02 10:00"])
    #expect(try fixture.starts(F.routes).count == 1)
    #expect(try fixture.starts("HKActivitySummaryTypeIdentifier").count == 1)
    // Their days come from the summary all the same.
    #expect(try fixture.database.lines(viewDays) == days)
    #expect(try fixture.summarize().written == 0)
    let again = try fixture.load(export)
    #expect(again.isBalanced)
    #expect(try fixture.database.lines(viewDays) == days)
  }

  @Test func rowsThatReachIntoAKeptDayStay() throws {
    var export = F.export(0, date: "2024-06-20T12:00:00Z")
    // 9 May in Berlin is 8 May 22:00 to 9 May 22:00 UTC.
    export.rows = [
      F.row(F.steps, "2024-05-09T10:00:00Z", minutes: 10, value: 5),
      F.row(F.steps, "2024-05-09T21:30:00Z", minutes: 60, value: 40),
      F.row(F.steps, "2024-05-09T21:40:00Z", minutes: 20, value: 9, source: "iPhone"),
      F.row(F.steps, "2024-05-10T10:00:00Z", minutes: 10, value: 5),
      F.night("2024-05-08T21:00:00Z", minutes: 60), F.night("2024-05-08T22:30:00Z", minutes: 400),
      F.night("2024-05-09T20:00:00Z", minutes: 60), F.night("2024-05-09T21:30:00Z", minutes: 400),
    ]
    try fixture.load(try F.summed(export))
    let summaries = try fixture.summaries()
    #expect(try fixture.prune(today: "2024-06-09").rows == 4)
    #expect(try fixture.starts() == ["05-09 21:30", "05-10 10:00"])
    // The evening of 9 May is part of a night that ends on 10 May.
    #expect(try fixture.starts(F.sleep) == ["05-09 20:00", "05-09 21:30"])
    // The kept day can be recomputed, and is the same.
    try fixture.database.execute("UPDATE healthkit_daily_summaries SET sum_value = 1 WHERE summary_date = '2024-05-10'")
    #expect(try fixture.summarize().written == 3)
    #expect(try fixture.summaries() == summaries)
    // The next day they go as well.
    #expect(try fixture.prune(today: "2024-06-10").rows == 4)
    #expect(try fixture.count() == 0)
    #expect(try fixture.summaries() == summaries)
  }

  @Test func aDayBesideOneThatStaysKeepsWhatReachesIntoIt() throws {
    var export = F.export(0, date: "2024-06-20T12:00:00Z")
    export.rows = [
      F.row(F.steps, "2024-05-01T21:30:00Z", minutes: 60, value: 40), F.row(F.steps, "2024-05-02T10:00:00Z", value: 5),
      F.row(F.steps, "2024-05-02T21:30:00Z", minutes: 60, value: 40), F.row(F.steps, "2024-05-03T10:00:00Z", value: 5),
    ]
    try fixture.load(try F.summed(export))
    try fixture.database.execute("UPDATE healthkit_daily_summaries SET sum_value = 1 WHERE summary_date = '2024-05-02'")
    let outcome = try fixture.prune(today: "2024-09-01")
    #expect(outcome.skipped.map(\.day.description) == ["2024-05-02"])
    #expect(try fixture.starts() == ["05-01 21:30", "05-02 10:00", "05-02 21:30"])
    #expect(try fixture.summarize().written == 1)
    #expect(try fixture.prune(today: "2024-09-01").rows == 3)
    #expect(try fixture.sums() == ["2024-05-01|20|1", "2024-05-02|45|2", "2024-05-03|25|1"])
  }

  @Test func theDayOfTheNewestExportStays() throws {
    try fixture.load(may(20...31))
    try fixture.insertLive("2024-06-01T18:00:00Z", value: 5)
    try fixture.insertLive("2024-06-02T18:00:00Z", value: 5)
    var export = try may(20...31)
    export.rows.append(F.row(F.steps, "2024-06-01T10:00:00Z", value: 7))
    export.exportDate = F.time("2024-06-01T13:00:00Z")
    try fixture.load(try F.summed(export))
    let outcome = try fixture.prune(today: "2024-09-01")
    #expect(outcome.isLimitedByExport)
    #expect(outcome.firstKeptDay?.description == "2024-06-01")
    #expect(try fixture.starts() == ["06-01 10:00", "06-01 18:00", "06-02 18:00"])
    // The live row after the export is seen on the same day.
    #expect(try fixture.database.lines(viewDays).suffix(2) == ["2024-06-01|raw|12", "2024-06-02|raw|5"])
  }

  // MARK: Beside writers

  @Test func rowsThatComeBetweenSurveyAndDeletionCount() throws {
    try fixture.load(may(1...9))
    let inserted = Atomic<Bool>(false)
    let other = try fixture.database.connect()
    // Another program writes, and has no idea of hk2pg's locks.
    nonisolated(unsafe) let (writer, fixture) = (other, fixture)
    var options = LoadOptions()
    options.faults = FaultPoints { name in
      guard name == "before-prune", !inserted.exchange(true, ordering: .relaxed) else { return }
      try unsafe fixture.insertLive("2024-05-05T18:00:00Z", value: 5, on: unsafe writer)
    }
    let outcome = try self.fixture.prune(today: "2024-09-01", options)
    #expect(outcome.skipped.map { "\($0.day) \($0.reason.rawValue)" } == ["2024-05-05 differs"])
    #expect(outcome.rows == 80)
    #expect(try self.fixture.count() == 11)
    _ = try self.fixture.summarize()
    #expect(try self.fixture.sums()[4] == "2024-05-05|129|11")
    #expect(try self.fixture.prune(today: "2024-09-01").rows == 10)
    #expect(try self.fixture.starts() == ["05-05 18:00"])
    #expect(try self.fixture.sums()[4] == "2024-05-05|129|11")
  }

  @Test func rowsThatComeAgainAndAgainAreNotLost() throws {
    try fixture.load(may(1...3))
    let count = Atomic<Int>(0)
    let other = try fixture.database.connect()
    nonisolated(unsafe) let (writer, fixture) = (other, fixture)
    var options = LoadOptions()
    options.faults = FaultPoints { name in
      guard name == "before-prune" else { return }
      let number = count.wrappingAdd(1, ordering: .relaxed).newValue
      // With a value of zero and far from other days, so that only the second look can see it.
      try unsafe fixture.insertLive("2024-05-04T18:0\(number):00Z", value: 5, on: unsafe writer)
    }
    let outcome = try self.fixture.prune(today: "2024-09-01", options)
    #expect(outcome.rows == 0)
    #expect(Set(outcome.skipped.map(\.reason)) == [.changing])
    #expect(try self.fixture.count("healthkit_metrics", "started_at < '2024-05-04'") == 30)
    #expect(try prunedDays().isEmpty)
  }

  /// A live app writes into the days that are pruned, all the time. Afterwards every row is either in the table or in a
  /// summary, and no row in both.
  @Test func aConcurrentWriterLosesNothing() throws {
    let export = try may(1...28)
    try fixture.load(export)
    let isDone = Atomic<Bool>(false)
    let written = Mutex<[Int: Int]>([:])
    let settings = fixture.database.settings
    let finished = DispatchSemaphore(value: 0)
    Thread {
      defer { finished.signal() }
      guard let connection = try? PostgresConnection(settings) else { return }
      var number = 0
      while !isDone.load(ordering: .relaxed) {
        number += 1
        let day = 1 + number * 7 % 28
        let result = try? connection.query(
          """
          INSERT INTO healthkit_metrics (user_id, metric_type, value, unit, source_device, started_at, ended_at)
          SELECT $1, $2, 1000, 'count', 'Apple Watch', t, t + interval '30 s'
          FROM (SELECT timestamptz '2024-05-01T12:00:00Z' + $3::interval AS t) x
          """, [F.user, F.steps, "\(day - 1) days \(number) minutes"])
        if result != nil { written.withLock { $0[day, default: 0] += 1 } }
        usleep(3000)
      }
    }.start()
    usleep(30_000)
    var outcomes: [PruneOutcome] = []
    for _ in 0..<3 { outcomes.append(try fixture.prune(today: "2024-09-01")) }
    isDone.store(true, ordering: .relaxed)
    finished.wait()
    let lines = try fixture.database.lines(
      """
      SELECT s.summary_date, s.sum_value, s.sample_count, p.day IS NOT NULL,
        (SELECT count(*) FROM healthkit_metrics m WHERE m.started_at::date = s.summary_date AND m.value < 1000),
        (SELECT count(*) FROM healthkit_metrics m WHERE m.started_at::date = s.summary_date AND m.value = 1000)
      FROM healthkit_daily_summaries s LEFT JOIN hk2pg.pruned_days p ON p.day = s.summary_date ORDER BY 1
      """)
    #expect(lines.count == 28)
    for (index, line) in lines.enumerated() {
      let parts = line.split(separator: "|").map(String.init)
      // The summary is still the import's; its rows are there, or gone with the day's mark.
      #expect(parts[1...2] == ["124", "10"], "\(line)")
      #expect(parts[4] == (parts[3] == "t" ? "0" : "10"), "\(line)")
      #expect(parts[5] == "\(written.withLock { $0[index + 1] ?? 0 })", "\(line)")
    }
    #expect(outcomes.reduce(0) { $0 + $1.rows } == (280 - (try fixture.count("healthkit_metrics", "value < 1000"))))
    // Days that stayed are summed up with what came.
    _ = try fixture.summarize()
    let mended = try fixture.database.lines(
      """
      SELECT s.summary_date FROM healthkit_daily_summaries s
      WHERE NOT EXISTS (SELECT FROM hk2pg.pruned_days p WHERE p.day = s.summary_date)
        AND s.sample_count <> (SELECT count(*) FROM healthkit_metrics m WHERE m.started_at::date = s.summary_date)
      """)
    #expect(mended.isEmpty)
  }

  @Test func aWriterInATransactionIsWaitedFor() throws {
    try fixture.load(may(1...3))
    let other = try fixture.database.connect()
    try other.execute("BEGIN")
    try fixture.insertLive("2024-05-02T18:00:00Z", value: 5, on: other)
    nonisolated(unsafe) let writer = other
    Thread {
      usleep(1_500_000)
      _ = try? unsafe writer.execute("COMMIT")
    }.start()
    let outcome = try fixture.prune(today: "2024-09-01")
    #expect(outcome.skipped.map(\.day.description) == ["2024-05-02"])
    #expect(outcome.rows == 20)
    #expect(try fixture.count() == 11)
  }

  @Test func killedInBetweenNothingIsHalfDone() throws {
    try fixture.load(may(1...3))
    var options = LoadOptions()
    options.faults = FaultPoints { if $0 == "in-prune" { throw LoadError.fault($0) } }
    #expect(throws: LoadError.fault("in-prune")) { try fixture.prune(today: "2024-09-01", options) }
    #expect(try fixture.count() == 30)
    #expect(try prunedDays().isEmpty)
    #expect(try fixture.prune(today: "2024-09-01").rows == 30)
  }
}
