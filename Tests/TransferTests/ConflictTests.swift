import HealthModel
import Loading
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Transfer

/// Copies into a table that has rows of the user already: nothing is deleted, rows of other programs never change.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct ConflictTests {
  private typealias F = TransferFixture
  private static let live = "0f8fad5b-d9cb-469f-a165-70867728950e"
  private static let otherLive = "1f8fad5b-d9cb-469f-a165-70867728950e"

  @Test func whatIsNewComesWhatIsOnlyThereStays() throws {
    let fixture = try F()
    try fixture.load(F.export(F.rows(100)), into: fixture.source)
    try fixture.copy()
    try fixture.load(
      F.export(F.rows(100) + F.rows(30, from: "2024-05-03T08:00:00Z"), date: "2024-06-02T12:00:00Z"),
      into: fixture.source)
    try F.insertLive(fixture.target, id: Self.live, at: "2024-05-04T08:00:00Z", value: 1)
    let outcome = try fixture.copy()
    #expect(outcome.rows.copied == 130 && outcome.rows.same == 100 && outcome.rows.new == 30)
    #expect(try fixture.target.value("SELECT count(*) FROM healthkit_metrics") == "131")
    let contained = try fixture.verify(.contained)
    #expect(contained.isEqual)
    #expect(contained.explained[.additional] == 1)
    #expect(
      try fixture.verify().days == [
        VerifyOutcome.Day(table: "healthkit_metrics", metricType: F.steps, day: "2024-05-04", extra: 1)
      ])
  }

  @Test func theLaterWriterOfARowOfOursWins() throws {
    let fixture = try F()
    try fixture.load(F.export(F.rows(3)), into: fixture.source)
    try fixture.copy()
    try fixture.source.execute(
      "UPDATE healthkit_metrics SET value = 99, synced_at = synced_at + interval '1 hour' WHERE value = 11")
    try fixture.target.execute(
      "UPDATE healthkit_metrics SET value = 77, synced_at = synced_at + interval '1 hour' WHERE value = 12")
    let outcome = try fixture.copy()
    #expect(outcome.rows.changed == 1 && outcome.rows.kept == 1 && outcome.rows.same == 1 && outcome.rows.isBalanced)
    #expect(try fixture.target.lines("SELECT value FROM healthkit_metrics ORDER BY 1") == ["10", "77", "99"])
    #expect(
      try fixture.verify(.contained).days == [
        VerifyOutcome.Day(table: "healthkit_metrics", metricType: F.steps, day: "2024-05-01", changed: 1)
      ])
  }

  @Test func aLiveRowOfTheTargetIsNeverChanged() throws {
    let fixture = try F()
    try fixture.load(F.export(F.rows(1)), into: fixture.source)
    try fixture.load(F.export(F.rows(1)), into: fixture.target)
    try F.insertLive(fixture.source, id: Self.live, at: "2024-05-02T08:00:00Z", value: 5)
    try F.insertLive(fixture.target, id: Self.live, at: "2024-05-02T08:00:00Z", value: 6)
    try fixture.source.execute("UPDATE healthkit_metrics SET synced_at = now() + interval '1 day'")
    let before = try F.rows(fixture.target, "value = 6")
    let outcome = try fixture.copy()
    #expect(outcome.rows.kept == 1 && outcome.rows.same == 1)
    #expect(try F.rows(fixture.target, "value = 6") == before)
  }

  /// The same sample live on one side and imported on the other is there once.
  @Test func oneSampleUnderTwoIDs() throws {
    let fixture = try F()
    let minute = "2024-05-02T08:00:00Z"
    try fixture.load(F.export(F.rows(1) + F.rows(1, from: minute)), into: fixture.source)
    try fixture.load(F.export(F.rows(1)), into: fixture.target)
    // At the target the app has sent the sample, to the microsecond and in full precision.
    try F.insertLive(fixture.target, id: Self.live, at: "2024-05-02T08:00:00.25Z", value: 10.00001)
    // At the source it has sent the one that the target has imported.
    try fixture.source.execute("DELETE FROM healthkit_metrics WHERE started_at < '2024-05-02'")
    try F.insertLive(fixture.source, id: Self.otherLive, at: "2024-05-01T08:00:00.75Z", value: 10.00002)
    let before = try F.rows(fixture.target)
    let outcome = try fixture.copy()
    #expect(outcome.rows.twins == 2 && outcome.rows.new == 0 && outcome.rows.isBalanced)
    #expect(try F.rows(fixture.target) == before)
    let verified = try fixture.verify(.contained)
    #expect(verified.isEqual, "\(verified.days)")
    #expect(verified.explained[.otherID] == 2)
  }

  @Test func anotherSampleAtThePlaceMovesTheNewOne() throws {
    let fixture = try F()
    try fixture.load(F.export(F.rows(1)), into: fixture.source)
    try fixture.load(F.export(F.rows(1, from: "2024-05-09T08:00:00Z")), into: fixture.target)
    try F.insertLive(fixture.target, id: Self.live, at: "2024-05-01T08:00:00Z", value: 5, source: "iPhone")
    try F.insertLive(fixture.target, id: Self.otherLive, at: "2024-05-01T08:00:00.000001Z", value: 6, source: "iPhone")
    let outcome = try fixture.copy()
    #expect(outcome.rows.new == 1 && outcome.rows.moved == 1)
    #expect(
      try fixture.target.lines(
        """
        SELECT value, extract(microseconds FROM started_at), ended_at FROM healthkit_metrics
        WHERE started_at < '2024-05-02' ORDER BY started_at
        """) == ["5|0|∅", "6|1|∅", "10|2|2024-05-01 08:01:00+00"])
    #expect(try fixture.verify(.contained).isEqual)
    #expect(try fixture.copy().rows.same == 1)
  }

  @Test func daysThatWerePrunedThereStayPruned() throws {
    let fixture = try F()
    try fixture.load(F.export(F.rows(20)), into: fixture.source)
    try fixture.load(F.export(F.rows(1, from: "2024-05-09T08:00:00Z")), into: fixture.target)
    try fixture.target.query(
      """
      INSERT INTO hk2pg.pruned_days (user_id, metric_type, day, starts_at, ends_at, row_count)
      VALUES ($1, $2, '2024-05-01', '2024-04-30T22:00:00Z', '2024-05-01T22:00:00Z', 20)
      """, [F.anna, F.steps])
    let outcome = try fixture.copy()
    #expect(outcome.rows.withheld == 20 && outcome.rows.new == 0)
    let verified = try fixture.verify(.contained)
    #expect(verified.isEqual)
    #expect(verified.explained[.pruned] == 20)
  }

  @Test func prunedDaysComeAlongWhereNoRowsAre() throws {
    let fixture = try F()
    try fixture.load(F.export(F.rows(20)), into: fixture.source)
    try fixture.copy()
    let mark = """
      INSERT INTO hk2pg.pruned_days (user_id, metric_type, day, starts_at, ends_at, row_count) VALUES
        ($1, $2, '2024-05-01', '2024-04-30T22:00:00Z', '2024-05-01T22:00:00Z', 20),
        ($1, $2, '2024-04-01', '2024-03-31T22:00:00Z', '2024-04-01T22:00:00Z', 5)
      """
    try fixture.source.execute("DELETE FROM healthkit_metrics")
    try fixture.source.query(mark, [F.anna, F.steps])
    try fixture.copy()
    #expect(try fixture.target.lines("SELECT day, row_count FROM hk2pg.pruned_days") == ["2024-04-01|5"])
    #expect(try fixture.target.value("SELECT count(*) FROM healthkit_metrics") == "20")
  }

  @Test func summariesFollowTheNewerExport() throws {
    let fixture = try F()
    try fixture.load(F.export(F.rows(20)), into: fixture.source)
    var newer = F.export(F.rows(20), date: "2024-07-01T12:00:00Z")
    newer.summaries[0].sum = 1
    try fixture.load(newer, into: fixture.target)
    #expect(try fixture.copy().summaries.kept == 1)
    #expect(try fixture.target.value("SELECT sum_value FROM healthkit_daily_summaries") == "1")
    #expect(
      try fixture.target.value("SELECT newest_export_date FROM hk2pg.user_settings") == "2024-07-01 12:00:00+00")

    var newest = F.export(F.rows(20), date: "2024-08-01T12:00:00Z")
    newest.summaries[0].sum = 2
    try fixture.load(newest, into: fixture.source)
    #expect(try fixture.copy().summaries.written == 1)
    #expect(try fixture.target.value("SELECT sum_value FROM healthkit_daily_summaries") == "2")
    #expect(
      try fixture.target.value("SELECT newest_export_date FROM hk2pg.user_settings") == "2024-08-01 12:00:00+00")
  }
}
