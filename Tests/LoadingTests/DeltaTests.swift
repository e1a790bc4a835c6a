import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct DeltaTests {
  @Test func theSameAgainWritesNoRow() throws {
    let fixture = try LoadingFixture()
    var export = LoadingFixture.export(1000)
    export.rows += LoadingFixture.rows(1000, from: "2024-05-01T08:00:00Z", source: "iPhone", value: 3)
    export.summaries = [
      DailySummary(
        metricType: LoadingFixture.steps, day: CivilDay(year: 2024, month: 5, day: 1), average: 12, minimum: 10,
        maximum: 16, sum: 6000, sampleCount: 500, unit: "count")
    ]
    try fixture.load(export)
    let before = try fixture.versions()
    let outcome = try fixture.load(export)
    #expect(outcome.new == 0)
    #expect(outcome.alreadyThere == 2000)
    #expect(outcome.changed == 0)
    #expect(outcome.removed == 0)
    #expect(outcome.summaries.unchanged == 1)
    #expect(outcome.isBalanced)
    #expect(try fixture.versions() == before)
    #expect(try fixture.leftovers().isEmpty)
  }

  @Test func aThousandMoreAddsExactlyThose() throws {
    let fixture = try LoadingFixture()
    try fixture.load(LoadingFixture.export(2000, date: "2024-06-01T12:00:00Z"))
    let before = Set(try fixture.versions())
    var export = LoadingFixture.export(2000, date: "2024-06-08T12:00:00Z")
    export.rows += LoadingFixture.rows(1000, from: "2024-05-02T17:20:00Z")
    let outcome = try fixture.load(export)
    #expect(outcome.new == 1000)
    #expect(outcome.alreadyThere == 2000)
    #expect(outcome.isBalanced)
    #expect(before.isSubset(of: try fixture.versions()))
    #expect(try fixture.count() == 3000)
    // As if the second had come alone.
    let clean = try LoadingFixture()
    try clean.load(export)
    #expect(try fixture.rows() == clean.rows())
  }

  @Test func changedContentIsRewrittenInPlace() throws {
    let fixture = try LoadingFixture()
    var export = LoadingFixture.export(100)
    export.rows += LoadingFixture.rows(5, from: "2024-05-03T08:00:00Z", type: "HKWorkoutTypeIdentifier")
    try fixture.load(export)
    export.rows[3].value = 99
    export.rows[4].unit = "steps"
    export.rows[4].value = 98
    // Metadata alone is seen only where it is always compared.
    export.rows[101].metadata = #"{"workout_type": "HKWorkoutActivityTypeRunning"}"#
    export.exportDate = Instant(iso8601: "2024-06-02T12:00:00Z")
    let outcome = try fixture.load(export)
    #expect(outcome.changed == 3)
    #expect(outcome.new == 0)
    #expect(outcome.removed == 0)
    let clean = try LoadingFixture()
    try clean.load(export)
    #expect(try fixture.rows() == clean.rows())
  }

  @Test func valuesThatAreTheSameInSixDigitsStay() throws {
    let fixture = try LoadingFixture()
    var export = LoadingFixture.export(100, value: 1234.56)
    try fixture.load(export)
    let before = try fixture.versions()
    for index in export.rows.indices { export.rows[index].value! *= 1.000005 }
    let outcome = try fixture.load(export)
    #expect(outcome.changed == 0)
    #expect(outcome.alreadyThere == 100)
    #expect(try fixture.versions() == before)
  }

  @Test func aRenamedSourceUpdatesInPlace() throws {
    let fixture = try LoadingFixture()
    try fixture.load(LoadingFixture.export(3000, source: "Tom’s Apple Watch"))
    let ids = try fixture.database.lines("SELECT id FROM healthkit_metrics ORDER BY 1")
    let export = LoadingFixture.export(3000, source: "Tom's Watch Ultra", date: "2024-07-01T12:00:00Z")
    let outcome = try fixture.load(export)
    #expect(outcome.changed == 3000)
    #expect(outcome.new == 0)
    #expect(outcome.removed == 0)
    #expect(outcome.keptMissing.total == 0)
    #expect(try fixture.database.lines("SELECT id FROM healthkit_metrics ORDER BY 1") == ids)
    #expect(try fixture.database.lines("SELECT DISTINCT source_device FROM healthkit_metrics") == ["Tom's Watch Ultra"])
  }

  @Test func aSampleBetweenTwoOfOneSecondMovesTheLaterOne() throws {
    let fixture = try LoadingFixture()
    let start = LoadingFixture.time("2024-05-01T08:00:00Z")
    func food(_ seconds: Int64, _ value: Double, _ source: String = "Food") -> ChunkFolderFixture.Row {
      .init(
        type: "HKQuantityTypeIdentifierDietaryEnergyConsumed", source: source, start: start,
        end: Instant(seconds: start.seconds + seconds), value: value, unit: "kcal")
    }
    var export = LoadingFixture.export(0)
    export.rows = [food(1, 100), food(3, 300)]
    try fixture.load(export)
    export.rows.append(food(2, 200, "Other app"))
    export.exportDate = Instant(iso8601: "2024-06-02T12:00:00Z")
    let outcome = try fixture.load(export)
    #expect(outcome.new == 1)
    #expect(outcome.changed == 1)
    #expect(
      try fixture.database.lines("SELECT value, started_at FROM healthkit_metrics ORDER BY 2") == [
        "100|2024-05-01 08:00:00+00", "200|2024-05-01 08:00:00.000001+00", "300|2024-05-01 08:00:00.000002+00",
      ])
    let before = try fixture.versions()
    try fixture.load(export)
    #expect(try fixture.versions() == before)
  }

  @Test func aSecondUserIsLoadedBesideTheFirst() throws {
    let fixture = try LoadingFixture()
    try fixture.load(LoadingFixture.export(500))
    let before = try fixture.versions()
    let outcome = try fixture.load(LoadingFixture.export(700, user: "study-42"))
    #expect(outcome.new == 700)
    #expect(outcome.rowsInTable == 700)
    #expect(try fixture.count() == 1200)
    #expect(Set(before).isSubset(of: try fixture.versions()))
  }

  @Test func theLedgerTellsWhatWasDone() throws {
    let fixture = try LoadingFixture()
    var export = try LoadingFixture.summed(LoadingFixture.export(50))
    export.digest = "abc"
    let outcome = try fixture.load(export)
    let ledger = Ledger(fixture.database.connection)
    let found = try #require(try ledger.finishedImport(user: LoadingFixture.user, digest: "abc", byteCount: 1))
    #expect(found.importID == outcome.importID)
    #expect(found.outcome.new == 50)
    #expect(try ledger.finishedImport(user: LoadingFixture.user, digest: "abd", byteCount: 1) == nil)
    #expect(try ledger.finishedImports(user: "other", byteCount: 1).isEmpty)
    #expect(try ledger.usersInTables(limit: 2) == [LoadingFixture.user])
    #expect(try ledger.settings(of: LoadingFixture.user)?.zone == "Europe/Berlin")
    // Emptied by hand: the ledger must not say that all is done.
    try fixture.database.execute("TRUNCATE healthkit_metrics, healthkit_daily_summaries")
    #expect(try ledger.finishedImport(user: LoadingFixture.user, digest: "abc", byteCount: 1) == nil)
  }
}
