import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// `v_healthkit_daily_quantity` beyond the first rules, which `SchemaTests` has (DESIGN §2.1).
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct QuantityViewTests {
  private let fixture: LoadingFixture

  init() throws { fixture = try LoadingFixture() }

  private typealias F = LoadingFixture

  private let rows = "SELECT day, sum_value, sample_count, source FROM v_healthkit_daily_quantity ORDER BY user_id, day"

  private func setZone(_ zone: String, user: String = F.user) throws {
    try fixture.database.query(
      """
      INSERT INTO hk2pg.user_settings (user_id, zone, server_zone) VALUES ($1, $2, $2)
      ON CONFLICT (user_id) DO UPDATE SET zone = $2, server_zone = $2
      """, [user, zone])
  }

  @Test func liveRowsAfterTheExportAreSeenTheSameDay() throws {
    var export = F.export(0, date: "2024-05-02T16:00:00Z")
    export.rows = F.rows(3, from: "2024-05-01T08:00:00Z") + F.rows(3, from: "2024-05-02T08:00:00Z")
    try fixture.load(try F.summed(export))
    #expect(try fixture.database.lines(rows) == ["2024-05-01|33|3|summary", "2024-05-02|33|3|raw"])
    try fixture.insertLive("2024-05-02T18:00:00Z", value: 100)
    try fixture.insertLive("2024-05-03T18:00:00Z", value: 7, source: "Pedometer")
    try fixture.insertLive("2024-05-03T18:00:01Z", value: 5)
    #expect(
      try fixture.database.lines(rows) == [
        "2024-05-01|33|3|summary", "2024-05-02|133|4|raw", "2024-05-03|7|1|raw",
      ])
  }

  @Test(arguments: ["Mars/Phobos", "", "no zone at all", "+99:99"]) func aBadZoneBreaksNobodysQuery(_ zone: String)
    throws
  {
    try Schema.apply(fixture.database.connection)
    try setZone("Europe/Berlin")
    try fixture.insertLive("2024-05-01T22:30:00Z", value: 1)
    try fixture.database.query(
      """
      INSERT INTO healthkit_metrics (user_id, metric_type, value, started_at) VALUES ('x', $1, 2, '2024-05-01T23:30:00Z')
      """, [F.steps])
    try setZone(zone, user: "x")
    #expect(try fixture.database.value("SELECT server_zone FROM hk2pg.user_settings WHERE user_id = 'x'") == nil)
    #expect(try fixture.database.lines(rows) == ["2024-05-02|1|1|raw", "2024-05-01|2|1|raw"])
    // Neither does one that is made bad later, or a bare name.
    try fixture.database.query("UPDATE hk2pg.user_settings SET zone = $1, server_zone = $1", [zone])
    #expect(try fixture.database.lines(rows) == ["2024-05-01|1|1|raw", "2024-05-01|2|1|raw"])
    try fixture.database.query("UPDATE hk2pg.user_settings SET zone = 'Asia/Tokyo'")
    #expect(try fixture.database.lines(rows) == ["2024-05-02|1|1|raw", "2024-05-02|2|1|raw"])
  }

  @Test func oneRowADayWhereMidnightComesTwice() throws {
    try Schema.apply(fixture.database.connection)
    // In Havana the clock went from 1:00 back to 0:00 on 3 November 2024: 4:30 UTC is the first 0:30 of that day.
    try setZone("America/Havana")
    try fixture.insertLive("2024-11-03T04:30:00Z", value: 9)
    try fixture.database.query(
      """
      INSERT INTO healthkit_daily_summaries (user_id, metric_type, summary_date, sum_value, sample_count)
      VALUES ($1, $2, '2024-11-03', 8, 1)
      """, [F.user, F.steps])
    #expect(try fixture.database.lines(rows) == ["2024-11-03|9|1|raw"])
    try fixture.database.execute("UPDATE hk2pg.user_settings SET newest_export_date = '2024-12-01'")
    #expect(try fixture.database.lines(rows) == ["2024-11-03|8|1|summary"])
  }

  @Test func quantityTypesOnly() throws {
    var export = F.export(0, date: "2024-06-01T12:00:00Z")
    export.rows = [
      F.night("2024-05-01T21:00:00Z", minutes: 60), F.row(F.heartRate, "2024-05-01T10:00:00Z", value: 60),
      F.row(F.workout, "2024-05-01T10:00:00Z", value: 60, unit: "seconds"),
    ]
    try fixture.load(try F.summed(export))
    try fixture.insertLive("2024-06-02T08:00:00Z", type: "HKCategoryTypeIdentifierMindfulSession", value: 0)
    #expect(try fixture.database.lines("SELECT DISTINCT metric_type FROM v_healthkit_daily_quantity") == [F.heartRate])
  }

  @Test func infiniteInstantsAreNoDays() throws {
    try Schema.apply(fixture.database.connection)
    try fixture.insertLive("infinity", value: 9)
    #expect(try fixture.database.lines(rows).isEmpty)
  }

  @Test(arguments: TableShapeTests.shapes) func oneRowADayInEveryShape(_ shape: TableShapeTests.Shape) throws {
    for statement in shape.statements { try fixture.database.execute(statement) }
    var export = F.export(0, date: "2024-05-03T12:00:00Z")
    for day in 1...3 {
      export.rows += F.rows(2, from: "2024-05-0\(day)T10:00:00Z", source: "Apple Watch", value: 10)
      export.rows += F.rows(2, from: "2024-05-0\(day)T10:00:00Z", source: "iPhone", value: 7)
    }
    try fixture.load(try F.summed(export))
    if shape.unit != "unit text" {
      // Where a day may have a summary for each unit, the one of most samples counts.
      try fixture.database.query(
        """
        INSERT INTO healthkit_daily_summaries (user_id, metric_type, \(shape.day), sum_value, sample_count, unit)
        VALUES ($1, $2, '2024-05-01', 99, 1, 'steps')
        """, [F.user, F.steps])
    }
    #expect(
      try fixture.database.lines(rows) == [
        "2024-05-01|21|4|summary", "2024-05-02|21|4|summary", "2024-05-03|21|2|raw",
      ])
  }
}
