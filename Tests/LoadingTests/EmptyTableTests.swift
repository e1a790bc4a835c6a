import HealthModel
import PostgresClient
import Staging
import Synchronization
import TestSupport
import Testing

@testable import Loading

@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct EmptyTableTests {
  private let fixture: LoadingFixture

  init() throws {
    fixture = try LoadingFixture()
    try Schema.apply(fixture.database.connection)
  }

  private var oid: String? {
    get throws { try fixture.database.value("SELECT 'healthkit_metrics'::regclass::oid") }
  }

  @Test func anEmptyTableOfOursIsReplaced() throws {
    let before = try oid
    let outcome = try fixture.load(LoadingFixture.export(100))
    #expect(outcome.new == 100)
    #expect(try oid != before)
    #expect(try fixture.count("v_healthkit_daily_quantity") > 0)
    #expect(
      try fixture.database.lines("SELECT indexname FROM pg_indexes WHERE tablename = 'healthkit_metrics' ORDER BY 1")
        == [
          "healthkit_metrics_metadata", "healthkit_metrics_pkey",
          "healthkit_metrics_user_id_metric_type_started_at_key",
          "healthkit_metrics_user_time", "healthkit_metrics_user_type_time",
        ])
  }

  @Test(arguments: [
    "CREATE VIEW mine AS SELECT * FROM healthkit_metrics",
    "GRANT SELECT ON healthkit_metrics TO pg_monitor",
    "ALTER TABLE healthkit_metrics ADD COLUMN note text",
    "CREATE INDEX mine ON healthkit_metrics (synced_at)",
    "CREATE TABLE notes (metric uuid REFERENCES healthkit_metrics)",
    "CREATE PUBLICATION mine FOR TABLE healthkit_metrics",
    "INSERT INTO healthkit_metrics (user_id, metric_type, started_at) VALUES ('x', 'y', now())",
  ]) func oneThatSomebodyUsesIsFilledInPlace(_ change: String) throws {
    try fixture.database.execute(change)
    let before = try oid
    #expect(try fixture.load(LoadingFixture.export(100)).new == 100)
    #expect(try oid == before)
  }

  @Test func rowsThatComeWhileItIsLoadedStay() throws {
    var options = LoadOptions()
    let settings = fixture.database.settings
    options.faults = FaultPoints { point in
      guard point == "before-publish" else { return }
      try PostgresConnection(settings).execute(
        "INSERT INTO healthkit_metrics (user_id, metric_type, started_at) VALUES ('x', 'y', now())")
    }
    let before = try oid
    #expect(try fixture.load(LoadingFixture.export(100), options).new == 100)
    #expect(try oid == before)
    #expect(try fixture.count() == 101)
  }

  @Test func aDroppedIndexOfOursIsBuiltAgain() throws {
    try fixture.load(LoadingFixture.export(100))
    try fixture.database.execute("DROP INDEX healthkit_metrics_user_time, healthkit_daily_summaries_user_date")
    let outcome = try fixture.load(LoadingFixture.export(101, date: "2024-07-01T00:00:00Z"))
    #expect(outcome.notes == [.indexRebuilt])
    #expect(
      try fixture.database.lines(
        "SELECT indexdef FROM pg_indexes WHERE indexname IN ('healthkit_metrics_user_time', 'healthkit_daily_summaries_user_date') ORDER BY 1"
      ) == [
        "CREATE INDEX healthkit_daily_summaries_user_date ON public.healthkit_daily_summaries USING btree (user_id, summary_date DESC)",
        "CREATE INDEX healthkit_metrics_user_time ON public.healthkit_metrics USING btree (user_id, started_at DESC)",
      ])
    #expect(try fixture.load(LoadingFixture.export(101, date: "2024-07-01T00:00:00Z")).notes.isEmpty)
  }

  @Test func whatIsReadAheadIsUsedUnlessItIsOutOfDate() throws {
    try fixture.load(LoadingFixture.export(100))
    let first = try fixture.loader()
    first.beginReadingTable()
    // Another import of the user is published before this one begins.
    try fixture.load(LoadingFixture.export(150, date: "2024-07-01T00:00:00Z"))
    let outcome = try first.load(try fixture.write(LoadingFixture.export(200, date: "2024-08-01T00:00:00Z")))
    #expect((outcome.new, outcome.alreadyThere) == (50, 150))
    first.beginReadingTable()
    let again = try first.load(try fixture.write(LoadingFixture.export(210, date: "2024-09-01T00:00:00Z")))
    #expect((again.new, again.alreadyThere) == (10, 200))
    first.close()
  }
}
