import HealthModel
import Loading
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Transfer

/// What a comparison finds, and on which day.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct VerificationTests {
  private typealias F = TransferFixture
  private static let days = ["2024-04-30", "2024-05-01", "2024-05-02", "2024-05-03"]

  /// Ten rows on each of four days, on both sides.
  private func equal() throws -> TransferFixture {
    let fixture = try F()
    try fixture.load(F.export(Self.days.flatMap { F.rows(10, from: $0 + "T08:00:00Z") }), into: fixture.source)
    try fixture.copy()
    return fixture
  }

  @Test func groupsHaveCountSumAndDigest() throws {
    let fixture = try equal()
    let outcome = try fixture.verify()
    #expect(outcome.isEqual && outcome.days.isEmpty && outcome.explained.keys.allSatisfy { $0 == .ledger })
    let groups = outcome.groups.filter { $0.table == "healthkit_metrics" }
    #expect(groups.map(\.month) == ["2024-04-01", "2024-05-01"])
    #expect(groups.map(\.left.rows) == [10, 30])
    // 10 to 16, then 10, 11, 12: 124 a day.
    #expect(groups.map(\.left.sum) == [124, 372])
    #expect(groups.allSatisfy { $0.isEqual && $0.left == $0.right && $0.left.digest != "0" })
  }

  @Test(arguments: [
    "value = value + 1", "value = NULL", "unit = 'dozen'", "source_device = 'iPhone'", "metadata = '{\"a\": 1}'",
    "ended_at = ended_at + interval '1 second'", "ended_at = NULL", "value = value * 1.000001",
  ])
  func oneChangedRow(_ change: String) throws {
    let fixture = try equal()
    let updated = try fixture.target.execute(
      "UPDATE healthkit_metrics SET \(change) WHERE started_at = '2024-05-02 08:03:00+00'"
    ).affectedRows
    #expect(updated == 1)
    let outcome = try fixture.verify()
    #expect(!outcome.isEqual)
    #expect(
      outcome.days == [
        VerifyOutcome.Day(table: "healthkit_metrics", metricType: F.steps, day: "2024-05-02", changed: 1)
      ])
    #expect(try !fixture.verify(.contained).isEqual)
  }

  /// DESIGN §3.6: an export prints six digits.
  @Test func anExportIsComparedToSixDigits() throws {
    let fixture = try equal()
    try fixture.target.execute("UPDATE healthkit_metrics SET value = value * 1.000009 WHERE value = 16")
    let rounded = try fixture.verify(.export)
    #expect(rounded.isEqual)
    #expect(rounded.explained[.rounded] == 4)
    try fixture.target.execute("UPDATE healthkit_metrics SET value = 16 * 1.00002 WHERE value > 16")
    #expect(try fixture.verify(.export).days.map(\.changed) == [1, 1, 1, 1])
  }

  @Test func oneMissingRow() throws {
    let fixture = try equal()
    try fixture.target.execute("DELETE FROM healthkit_metrics WHERE started_at = '2024-04-30 08:09:00+00'")
    let expected = [VerifyOutcome.Day(table: "healthkit_metrics", metricType: F.steps, day: "2024-04-30", missing: 1)]
    for kind in [VerifyRules.Kind.exact, .contained, .export] { #expect(try fixture.verify(kind).days == expected) }
  }

  @Test func oneExtraRow() throws {
    let fixture = try equal()
    try fixture.source.execute("DELETE FROM healthkit_metrics WHERE started_at = '2024-05-03 08:00:00+00'")
    let expected = [VerifyOutcome.Day(table: "healthkit_metrics", metricType: F.steps, day: "2024-05-03", extra: 1)]
    #expect(try fixture.verify().days == expected)
    // The export has nine samples of that day and source: an import would have removed the tenth.
    #expect(try fixture.verify(.export).days == expected)
    #expect(try fixture.verify(.contained).isEqual)
  }

  @Test func historyThatAnExportLacksIsNoDifference() throws {
    let fixture = try equal()
    try fixture.source.execute(
      "DELETE FROM healthkit_metrics WHERE started_at < '2024-05-01' OR started_at > '2024-05-03 08:03:30+00'")
    let outcome = try fixture.verify(.export)
    #expect(outcome.isEqual)
    // A whole day, and six of ten rows of another: the export has less than half of it.
    #expect(outcome.explained[.kept] == 16)
    #expect(try fixture.verify().days.map(\.extra) == [10, 6])
  }

  @Test func rowsOfOtherProgramsAreNotInAnExport() throws {
    let fixture = try equal()
    try F.insertLive(
      fixture.target, id: "0f8fad5b-d9cb-469f-a165-70867728950e", at: "2024-05-03T09:00:00Z", value: 3)
    // A live row under the name of the device, which stands for the sample.
    try fixture.target.execute("DELETE FROM healthkit_metrics WHERE started_at = '2024-05-03 08:00:00+00'")
    try F.insertLive(
      fixture.target, id: "1f8fad5b-d9cb-469f-a165-70867728950e", at: "2024-05-03T08:00:00.5Z", value: 10,
      source: "Jane’s Watch")
    let outcome = try fixture.verify(.export)
    #expect(outcome.isEqual, "\(outcome.days)")
    #expect(outcome.explained[.liveRow] == 1 && outcome.explained[.live] == 1)
    #expect(
      try fixture.verify().days == [
        VerifyOutcome.Day(table: "healthkit_metrics", metricType: F.steps, day: "2024-05-03", missing: 1, extra: 2)
      ])
  }

  @Test func anHourOfAllSourcesStandsForItsSamples() throws {
    let fixture = try equal()
    try fixture.target.execute("DELETE FROM healthkit_metrics WHERE started_at > '2024-05-03 08:04:30+00'")
    try F.insertLive(
      fixture.target, id: "0f8fad5b-d9cb-469f-a165-70867728950e", at: "2024-05-03T08:00:00.5Z", value: 60,
      source: "HealthKit (all sources)", metadata: #"{"h4ai_aggregation": "hourly"}"#)
    let outcome = try fixture.verify(.export)
    #expect(outcome.isEqual, "\(outcome.days)")
    #expect(outcome.explained[.live] == 5 && outcome.explained[.liveRow] == 1)
  }

  @Test func summariesAndSeriesAreCompared() throws {
    let fixture = try equal()
    try fixture.target.execute("UPDATE healthkit_daily_summaries SET max_value = 17")
    try fixture.source.query(
      """
      INSERT INTO hk2pg.route_points (user_id, file_digest, ordinal, longitude, latitude)
      SELECT $1, 'd', n, 13.4, 52.5 FROM generate_series(0, 4) n
      """, [F.anna])
    let outcome = try fixture.verify()
    #expect(
      outcome.days == [
        VerifyOutcome.Day(table: "healthkit_daily_summaries", metricType: F.steps, day: "2024-05-01", changed: 1)
      ])
    #expect(
      outcome.tables.filter { $0.missing > 0 } == [
        VerifyOutcome.Table(table: "hk2pg.route_points", leftRows: 5, rightRows: 0, missing: 5, extra: 0)
      ])
  }

  /// A folder is compared by the server that holds the other side.
  @Test func aFolderIsComparedToo() throws {
    let fixture = try equal()
    let archive = try fixture.archive()
    let reader = try SourceDatabase(fixture.target.settings, isInterrupted: { false })
    func compare() throws -> VerifyOutcome {
      try reader.snapshot(mayWrite: true) {
        try Verification(
          .temporary(archive, $0), ComparedSide($0, user: F.anna), rules: VerifyRules(.exact)
        ).run()
      }
    }
    #expect(try compare().isEqual)
    try fixture.target.execute("DELETE FROM healthkit_metrics WHERE started_at = '2024-04-30 08:09:00+00'")
    #expect(try compare().days.map(\.day) == ["2024-04-30"])
    #expect(try fixture.target.value("SELECT count(*) FROM pg_class WHERE relname LIKE 'hk2pg_verify%'") == "0")
  }

  @Test func sortedListsAreSubtracted() {
    #expect(Verification.difference([], []) == (0, 0))
    #expect(Verification.difference([1, 2, 2, 5], [2, 3, 5]) == (2, 1))
    #expect(Verification.difference([7], []) == (1, 0))
    #expect(Verification.difference([], [-3, 9]) == (0, 2))
  }
}
