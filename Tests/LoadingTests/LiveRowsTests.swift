import HealthModel
import PostgresClient
import Staging
import Synchronization
import TestSupport
import Testing

@testable import Loading

/// Rows that another program wrote, before and after an import (DESIGN §3.8).
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct LiveRowsTests {
  private let fixture: LoadingFixture
  private let user = LoadingFixture.user

  init() throws {
    fixture = try LoadingFixture()
    try Schema.apply(fixture.database.connection)
  }

  private func live(
    _ start: String, _ value: Double, source: String = "Apple Watch", type: String = LoadingFixture.steps,
    metadata: String? = nil
  ) throws {
    try fixture.database.query(
      """
      INSERT INTO healthkit_metrics (user_id, metric_type, value, unit, source_device, started_at, ended_at, metadata)
      VALUES ($1, $2, $3::float8, 'count', $4, $5::timestamptz, $5::timestamptz + interval '1 minute', $6::jsonb)
      """, [user, type, String(value), source, start, metadata])
  }

  private var liveRows: [String] {
    get throws {
      try fixture.database.lines("SELECT * FROM healthkit_metrics WHERE id::text NOT LIKE '%-8%-%-%' ORDER BY id")
    }
  }

  /// Ten minutes from 08:00 with values 10, 11, … 16, 10, 11, 12.
  private let export = LoadingFixture.export(10)

  @Test func aLiveRowBeforeTheImportStandsForItsSample() throws {
    try live("2024-05-01T08:00:00.357Z", 10)
    // Six digits of what HealthKit holds.
    try live("2024-05-01T08:01:00Z", 11.00000123)
    let before = try liveRows
    let outcome = try fixture.load(export)
    #expect(outcome.asideForLive == 2)
    #expect(outcome.new == 8)
    #expect(outcome.isBalanced)
    #expect(try fixture.count() == 10)
    #expect(try liveRows == before)
    let versions = try fixture.versions()
    let again = try fixture.load(export)
    #expect(again.asideForLive == 2)
    #expect(again.alreadyThere == 8)
    #expect(try fixture.versions() == versions)
  }

  @Test func oursStepAsideWhenTheLiveRowCameLater() throws {
    try fixture.load(export)
    try live("2024-05-01T08:03:00.9Z", 13)
    let before = try liveRows
    let outcome = try fixture.load(export)
    #expect(outcome.steppedAside == 1)
    #expect(outcome.asideForLive == 1)
    #expect(outcome.alreadyThere == 9)
    #expect(outcome.removed == 0)
    #expect(outcome.isBalanced)
    #expect(outcome.rowsInTable == 10)
    #expect(try fixture.count() == 10)
    #expect(try liveRows == before)
  }

  @Test func theOrderOfLiveRowAndImportDoesNotMatter() throws {
    try fixture.load(export)
    try live("2024-05-01T08:02:00.1Z", 12)
    try fixture.load(export)
    let other = try LiveRowsTests()
    try other.live("2024-05-01T08:02:00.1Z", 12)
    try other.fixture.load(export)
    let ours = "id::text LIKE '________-____-8%'"
    let rows = "SELECT \(LoadingFixture.columns) FROM healthkit_metrics WHERE \(ours) ORDER BY started_at"
    #expect(try fixture.database.lines(rows) == other.fixture.database.lines(rows))
  }

  @Test func whatIsNotTheSampleStays() throws {
    try live("2024-05-01T08:00:00.2Z", 10.01)
    try live("2024-05-01T08:01:00.2Z", 11, source: "iPhone")
    try live("2024-05-01T08:02:01Z", 12)
    try live("2024-05-01T08:03:00.2Z", 13, type: LoadingFixture.heartRate)
    let outcome = try fixture.load(export)
    #expect(outcome.asideForLive == 0)
    #expect(outcome.new == 10)
    #expect(try fixture.count() == 14)
  }

  @Test func aMicrosecondThatIsTakenIsPassedOver() throws {
    try live("2024-05-01T08:00:00Z", 777)
    try live("2024-05-01T08:00:00.000001Z", 778)
    let outcome = try fixture.load(export)
    #expect(outcome.new == 10)
    #expect(
      try fixture.database.lines(
        "SELECT value, started_at AT TIME ZONE 'UTC' FROM healthkit_metrics ORDER BY 2 LIMIT 4")
        == [
          "777|2024-05-01 08:00:00", "778|2024-05-01 08:00:00.000001", "10|2024-05-01 08:00:00.000002",
          "11|2024-05-01 08:01:00",
        ])
    let versions = try fixture.versions()
    try fixture.load(export)
    #expect(try fixture.versions() == versions)
    // When the other row is gone, ours goes back to its place.
    try fixture.database.execute("DELETE FROM healthkit_metrics WHERE value IN (777, 778)")
    #expect(try fixture.load(export).changed == 0)
    try live("2024-05-01T08:05:00.5Z", 15.5)
    #expect(try fixture.load(export).changed == 1)
    #expect(try fixture.count("healthkit_metrics", "value = 10 AND started_at = '2024-05-01T08:00:00Z'") == 1)
  }

  @Test func theNameOfADeviceCountsAsItsSource() throws {
    try fixture.database.query(
      """
      INSERT INTO hk2pg.sources (user_id, name, class, device_names) VALUES ($1, 'Apple Watch', 'watch', '{Watch7\u{A0}2}')
      """, [user])
    try live("2024-05-01T08:00:00Z", 10, source: "Watch7 2")
    try live("2024-05-01T08:01:00Z", 11, source: "Apple\u{A0}Watch")
    #expect(try fixture.load(export).asideForLive == 2)
  }

  @Test func anHourlyRowStandsForAllSamplesOfItsHour() throws {
    var export = LoadingFixture.export(130, from: "2024-05-01T07:50:00Z")
    export.rows += LoadingFixture.rows(130, from: "2024-05-01T07:50:00Z", source: "iPhone", value: 3)
    export.rows += LoadingFixture.rows(130, from: "2024-05-01T07:50:00Z", type: LoadingFixture.heartRate)
    try live(
      "2024-05-01T08:00:00Z", 5000, source: "HealthKit (all sources)", metadata: #"{"h4ai_aggregation": "hourly"}"#)
    let outcome = try fixture.load(export)
    #expect(outcome.asideForLive == 120)
    #expect(outcome.new == 270)
    #expect(outcome.isBalanced)
    // One that comes later, for an hour of a zone with half hours.
    try live(
      "2024-05-01T08:30:00Z", 5000, source: "HealthKit (all sources)", metadata: #"{"h4ai_aggregation": "hourly"}"#)
    let again = try fixture.load(export)
    #expect(again.steppedAside == 60)
    #expect(again.asideForLive == 180)
    #expect(again.isBalanced)
  }

  @Test func anHourThatReachesIntoTheNextUTCDay() throws {
    let export = LoadingFixture.export(120, from: "2024-05-01T23:00:00Z")
    try fixture.load(export)
    try live(
      "2024-05-01T23:30:00.25Z", 5000, source: "HealthKit (all sources)", metadata: #"{"h4ai_aggregation": "hourly"}"#)
    let outcome = try fixture.load(export)
    #expect(outcome.steppedAside == 60)
    #expect(outcome.alreadyThere == 60)
  }

  @Test func anUpsertOfTheAppOnARowOfOursMakesItLive() throws {
    try fixture.load(export)
    try fixture.database.query(
      """
      INSERT INTO healthkit_metrics (user_id, metric_type, value, unit, source_device, started_at, metadata)
      VALUES ($1, $2, 4321, 'count', 'HealthKit (all sources)', '2024-05-01T08:00:00Z', '{"h4ai_aggregation": "hourly"}')
      ON CONFLICT (user_id, metric_type, started_at) DO UPDATE SET value = excluded.value,
        source_device = excluded.source_device, metadata = excluded.metadata
      """, [user, LoadingFixture.steps])
    let outcome = try fixture.load(export)
    #expect(outcome.steppedAside == 9)
    #expect(outcome.asideForLive == 10)
    #expect(outcome.changed == 0)
    #expect(
      try fixture.database.lines("SELECT value, source_device FROM healthkit_metrics") == [
        "4321|HealthKit (all sources)"
      ])
  }

  @Test func asManyStepAsideAsThereAreLiveRows() throws {
    // Two samples of one second with equal values, different ends; one live row.
    var export = LoadingFixture.export(0)
    let start = LoadingFixture.time("2024-05-01T08:00:00Z")
    export.rows = [60, 120, 180].map {
      .init(start: start, end: Instant(seconds: start.seconds + $0), value: 5)
    }
    try live("2024-05-01T08:00:00.25Z", 5)
    let outcome = try fixture.load(export)
    #expect(outcome.asideForLive == 1)
    #expect(outcome.new == 2)
    try live("2024-05-01T08:00:00.75Z", 5)
    let again = try fixture.load(export)
    #expect(again.steppedAside == 1)
    #expect(try fixture.count() == 4 - 1)
    let versions = try fixture.versions()
    try fixture.load(export)
    #expect(try fixture.versions() == versions)
  }

  @Test func aLiveRowThatComesDuringTheImportFindsItsPlace() throws {
    try fixture.load(LoadingFixture.export(5))
    let export = LoadingFixture.export(10, date: "2024-07-01T00:00:00Z")
    var options = LoadOptions()
    let settings = fixture.database.settings
    let user = user
    options.faults = FaultPoints { point in
      guard point == "before-insert" else { return }
      // The sample itself, and another program's in the same place.
      let app = try PostgresConnection(settings)
      try app.query(
        """
        INSERT INTO healthkit_metrics (user_id, metric_type, value, unit, source_device, started_at)
        VALUES ($1, $2, 16, 'count', 'Apple Watch', '2024-05-01T08:06:00Z'),
          ($1, $2, 4711, 'count', 'Other', '2024-05-01T08:07:00Z')
        """, [user, LoadingFixture.steps])
    }
    let outcome = try fixture.load(export, options)
    #expect(outcome.new == 4)
    #expect(outcome.asideForLive == 1)
    #expect(outcome.isBalanced)
    #expect(try fixture.count() == 11)
    #expect(try fixture.count("healthkit_metrics", "started_at = '2024-05-01T08:07:00.000001Z'") == 1)
  }

  @Test func aLiveRowInTheWayOfAMoveMakesTheComparisonStartAgain() throws {
    let start = LoadingFixture.time("2024-05-01T08:00:00Z")
    func sample(_ seconds: Int64) -> ChunkFolderFixture.Row {
      .init(start: start, end: Instant(seconds: start.seconds + seconds), value: Double(seconds))
    }
    var export = LoadingFixture.export(0)
    export.rows = [sample(1), sample(3)]
    try fixture.load(export)
    export.rows.append(sample(2))
    export.exportDate = Instant(iso8601: "2024-06-02T00:00:00Z")
    var options = LoadOptions()
    let settings = fixture.database.settings
    let user = user
    let count = Mutex(0)
    options.faults = FaultPoints { point in
      guard point == "after-compare" else { return }
      let attempt = count.withLock { value in
        value += 1
        return value
      }
      if attempt > 1 { return }
      // Where the third sample is about to go.
      try PostgresConnection(settings).query(
        """
        INSERT INTO healthkit_metrics (user_id, metric_type, value, started_at)
        VALUES ($1, $2, 4711, '2024-05-01T08:00:00.000002Z')
        """, [user, LoadingFixture.steps])
    }
    let outcome = try fixture.load(export, options)
    #expect(count.withLock { $0 } == 2)
    #expect((outcome.new, outcome.changed) == (1, 1))
    #expect(
      try fixture.database.lines("SELECT value, started_at AT TIME ZONE 'UTC' FROM healthkit_metrics ORDER BY 2") == [
        "1|2024-05-01 08:00:00", "2|2024-05-01 08:00:00.000001", "4711|2024-05-01 08:00:00.000002",
        "3|2024-05-01 08:00:00.000003",
      ])
  }

  @Test func anAppThatWritesIsNotHeldUpByTheComparison() throws {
    try fixture.load(LoadingFixture.export(5))
    var options = LoadOptions()
    let settings = fixture.database.settings
    let user = user
    options.faults = FaultPoints { point in
      guard point == "after-compare" else { return }
      let app = try PostgresConnection(settings)
      try app.execute("SET statement_timeout = '2s'")
      for minute in 10..<20 {
        try app.query(
          """
          INSERT INTO healthkit_metrics (user_id, metric_type, value, started_at) VALUES ($1, $2, 1, $3::timestamptz)
          """, [user, LoadingFixture.steps, "2024-05-01T09:\(minute):00Z"])
      }
      try app.execute("UPDATE healthkit_metrics SET metadata = '{}' WHERE value = 1")
    }
    let outcome = try fixture.load(LoadingFixture.export(100, date: "2024-07-01T00:00:00Z"), options)
    #expect(outcome.new == 95)
  }
}
