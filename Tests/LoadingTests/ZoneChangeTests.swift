import Foundation
import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// Changes of zone where raw rows are not all in the table: no sample counts on two days (DESIGN §3.2, §4.6).
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct ZoneChangeTests {
  private let fixture: LoadingFixture

  init() throws { fixture = try LoadingFixture() }

  private typealias F = LoadingFixture

  private static let newYork = "America/New_York"

  /// Rows of 1, 2, 4 … steps, so that a sum tells which of them it holds.
  private func export(
    _ starts: [String], zone: String = F.berlin, date: String = "2024-06-01T12:00:00Z", type: String = F.steps
  ) -> ChunkFolderFixture {
    var export = F.export(0, date: date)
    export.zone = zone
    for (index, start) in starts.enumerated() { export.rows.append(F.row(type, start, value: Double(1 << index))) }
    return export
  }

  // MARK: A raw window

  /// 23:00 UTC is the next day in Berlin and the same one in New York.
  @Test func withheldDaysOfTheFormerZoneGo() throws {
    let starts = ["2024-04-01T23:00:00Z", "2024-04-03T10:00:00Z", "2024-05-20T10:00:00Z"]
    try fixture.load(try F.windowed(export(starts), days: 30))
    #expect(try fixture.sums() == ["2024-04-02|1|1", "2024-04-03|2|1", "2024-05-20|4|1"])
    #expect(try fixture.count() == 1)
    let moved = export(starts, zone: Self.newYork, date: "2024-06-02T12:00:00Z")
    let outcome = try fixture.load(try F.windowed(moved, days: 30))
    #expect(outcome.summaries.removed == 1)
    #expect(try fixture.sums() == ["2024-04-01|1|1", "2024-04-03|2|1", "2024-05-20|4|1"])
    // Again: nothing is left to do.
    let versions = try fixture.versions()
    try fixture.load(try F.windowed(moved, days: 30))
    #expect(try fixture.versions() == versions)
  }

  @Test func theyGoAlsoWhereTheWindowHoldsNoRow() throws {
    let starts = ["2024-04-01T23:00:00Z"]
    try fixture.load(try F.windowed(export(starts), days: 30))
    #expect(try fixture.count() == 0)
    let moved = export(starts, zone: Self.newYork, date: "2024-06-02T12:00:00Z")
    try fixture.load(try F.windowed(moved, days: 30))
    #expect(try fixture.sums() == ["2024-04-01|1|1"])
  }

  /// An earlier whole import has brought the rows, so they are summed up again in the new zone.
  @Test func daysWithRowsAreRecomputedInTheNewZone() throws {
    let starts = ["2024-04-01T23:00:00Z", "2024-04-03T10:00:00Z", "2024-05-20T10:00:00Z"]
    try fixture.load(try F.summed(export(starts, date: "2024-05-25T12:00:00Z")))
    // The new phone has only the last one.
    var moved = export([], zone: Self.newYork, date: "2024-06-02T12:00:00Z")
    moved.rows = [F.row(F.steps, starts[2], value: 4)]
    try fixture.load(try F.windowed(moved, days: 30))
    #expect(try fixture.count() == 3)
    #expect(try fixture.sums() == ["2024-04-01|1|1", "2024-04-03|2|1", "2024-05-20|4|1"])
  }

  @Test func historyFarFromTheExportsDaysStays() throws {
    try fixture.load(try F.windowed(export(["2024-03-01T23:00:00Z"], date: "2024-05-25T12:00:00Z"), days: 30))
    var moved = export([], zone: Self.newYork, date: "2024-06-02T12:00:00Z")
    moved.rows = [F.row(F.steps, "2024-04-20T10:00:00Z", value: 2)]
    try fixture.load(try F.windowed(moved, days: 30))
    #expect(try fixture.sums() == ["2024-03-02|1|1", "2024-04-20|2|1"])
  }

  /// The newer export's summaries hold what it withheld, and stay in their zone until rows say as much.
  @Test func anOlderExportLeavesWithheldDaysInTheirZone() throws {
    let starts = ["2024-04-01T23:00:00Z", "2024-04-03T10:00:00Z", "2024-04-04T01:00:00Z", "2024-05-20T23:00:00Z"]
    try fixture.load(try F.windowed(export(starts), days: 30))
    #expect(try fixture.sums() == ["2024-04-02|1|1", "2024-04-03|2|1", "2024-04-04|4|1", "2024-05-21|8|1"])
    var older = export(Array(starts[..<2]), zone: Self.newYork, date: "2024-04-10T12:00:00Z")
    try fixture.load(try F.summed(older))
    #expect(try fixture.count() == 3)
    // What has all its rows moves; 4 May of Berlin does not, and counts once.
    #expect(try fixture.sums() == ["2024-04-01|1|1", "2024-04-03|2|1", "2024-04-04|4|1", "2024-05-20|8|1"])
    #expect(try fixture.summarize(zone: Self.newYork).written == 0)
    // Days of the window move at once with `summarize`, too.
    _ = try fixture.summarize(zone: F.berlin)
    #expect(try fixture.sums() == ["2024-04-02|1|1", "2024-04-03|2|1", "2024-04-04|4|1", "2024-05-21|8|1"])
    // And the last one, when its row comes.
    older = export(Array(starts[..<3]), zone: Self.newYork, date: "2024-04-11T12:00:00Z")
    try fixture.load(try F.summed(older))
    #expect(try fixture.sums() == ["2024-04-01|1|1", "2024-04-03|6|2", "2024-05-20|8|1"])
  }

  /// The first days of the window beside the last withheld ones, by hand. Berlin is six hours ahead of New York.
  @Test func summarizeCountsTheBorderOfAWindowOnce() throws {
    // The window of 30 days begins on 2 May 00:00 in New York, 04:00 UTC; the first day that is certainly whole is 3 May.
    let starts = [
      "2024-05-02T02:00:00Z", "2024-05-03T03:00:00Z", "2024-05-03T05:00:00Z", "2024-05-03T23:00:00Z",
      "2024-05-04T10:00:00Z",
    ]
    try fixture.load(try F.windowed(export(starts, zone: Self.newYork), days: 30))
    #expect(try fixture.sums() == ["2024-05-01|1|1", "2024-05-02|2|1", "2024-05-03|12|2", "2024-05-04|16|1"])
    _ = try fixture.summarize(zone: F.berlin)
    // 2 May stays New York's and holds what starts until 04:00 UTC of the 3rd; 3 May gets what starts after that.
    #expect(try fixture.sums() == ["2024-05-01|1|1", "2024-05-02|2|1", "2024-05-03|4|1", "2024-05-04|24|2"])
    #expect(try fixture.summarize(zone: F.berlin).written == 0)
  }

  // MARK: Pruned days

  /// Days pruned in New York's zone end at 04:00 UTC; the export in Berlin's zone has all samples.
  @Test func prunedDaysStayInTheirZone() throws {
    let starts = [
      "2024-05-01T10:00:00Z", "2024-05-02T10:00:00Z", "2024-05-02T23:00:00Z", "2024-05-03T03:00:00Z",
      "2024-05-03T05:00:00Z", "2024-05-03T23:00:00Z",
    ]
    try fixture.load(try F.summed(export(starts, zone: Self.newYork)))
    #expect(try fixture.sums() == ["2024-05-01|1|1", "2024-05-02|14|3", "2024-05-03|48|2"])
    #expect(try fixture.prune(today: "2024-06-02").rows == 4)
    for date in ["2024-06-02T12:00:00Z", "2024-06-03T12:00:00Z"] {
      // In Berlin, 23:00 and 03:00 UTC are of 3 May, which counts only what New York's 2 May does not hold.
      try fixture.load(try F.summed(export(starts, date: date)))
      #expect(try fixture.sums() == ["2024-05-01|1|1", "2024-05-02|14|3", "2024-05-03|16|1", "2024-05-04|32|1"])
    }
    #expect(try fixture.summarize().written == 0)
    // Rows that no summary of Berlin's days leaves out go later, day by day.
    let outcome = try fixture.prune(today: "2024-09-01")
    #expect(outcome.skipped.isEmpty)
    #expect(outcome.rows == 2)
    #expect(try fixture.sums().count == 4)
  }

  /// The other way round, some hours belong to a day that was pruned with other limits: the day after it gets them.
  @Test func hoursBesidePrunedDaysCountOnTheNextDay() throws {
    let starts = ["2024-05-02T10:00:00Z", "2024-05-02T23:00:00Z", "2024-05-03T10:00:00Z", "2024-05-04T10:00:00Z"]
    try fixture.load(try F.summed(export(starts)))
    #expect(try fixture.sums() == ["2024-05-02|1|1", "2024-05-03|6|2", "2024-05-04|8|1"])
    // 2 May ends at 22:00 UTC in Berlin; in New York, 23:00 UTC is of the same day.
    #expect(try fixture.prune(today: "2024-06-02").rows == 1)
    _ = try fixture.summarize(zone: Self.newYork)
    let sums = ["2024-05-02|1|1", "2024-05-03|6|2", "2024-05-04|8|1"]
    #expect(try fixture.sums() == sums)
    // All of it, by an import as well.
    try fixture.load(try F.summed(export(starts, zone: Self.newYork, date: "2024-06-02T12:00:00Z")))
    #expect(try fixture.sums() == sums)
    #expect(try fixture.summarize(zone: Self.newYork).written == 0)
    // It is pruned with the limits that it has now: from 22:00 UTC to 04:00 UTC, 30 hours.
    let outcome = try fixture.prune(today: "2024-09-01")
    #expect(outcome.skipped.isEmpty && outcome.rows == 3)
    #expect(
      try fixture.database.lines(
        """
        SELECT day, starts_at AT TIME ZONE 'UTC', ends_at AT TIME ZONE 'UTC' FROM hk2pg.pruned_days ORDER BY 1
        """) == [
          "2024-05-02|2024-05-01 22:00:00|2024-05-02 22:00:00", "2024-05-03|2024-05-02 22:00:00|2024-05-04 04:00:00",
          "2024-05-04|2024-05-04 04:00:00|2024-05-05 04:00:00",
        ])
    _ = try fixture.summarize(zone: F.berlin)
    try fixture.load(try F.summed(export(starts, date: "2024-06-03T12:00:00Z")))
    #expect(try fixture.sums() == sums)
    #expect(try fixture.count() == 0)
  }

  /// What spills over into the day after a pruned one is not lost with the zone.
  @Test func aSampleOverAMidnightIsSharedOut() throws {
    var export = export([])
    // An hour before midnight in Berlin and two after it.
    export.rows = [F.row(F.steps, "2024-05-02T21:00:00Z", minutes: 180, value: 300)]
    export.rows.append(F.row(F.steps, "2024-05-02T08:00:00Z", value: 1))
    try fixture.load(try F.summed(export))
    #expect(try fixture.sums() == ["2024-05-02|101|2", "2024-05-03|200|0"])
    try fixture.database.execute("UPDATE hk2pg.user_settings SET newest_export_date = '2024-05-03T10:00:00Z'")
    #expect(try fixture.prune(today: "2024-06-02").rows == 1)
    for zone in [Self.newYork, "Asia/Kathmandu", F.berlin] {
      _ = try fixture.summarize(zone: zone)
      #expect(try fixture.sums() == ["2024-05-02|101|2", "2024-05-03|200|0"])
    }
  }

  // MARK: Settings changed by hand

  @Test func aZoneSetByHandMovesDaysAtTheNextImport() throws {
    let old = export(["2024-05-01T23:00:00Z"])
    try fixture.load(try F.summed(old))
    try fixture.database.execute("UPDATE hk2pg.user_settings SET zone = 'America/New_York'")
    // The next export lacks the day: it is recomputed from its row.
    var next = export([], zone: Self.newYork, date: "2024-06-02T12:00:00Z")
    next.rows = [F.row(F.steps, "2024-05-20T10:00:00Z", value: 2)]
    try fixture.load(try F.summed(next))
    #expect(try fixture.sums() == ["2024-05-01|1|1", "2024-05-20|2|1"])
    try fixture.database.execute("UPDATE hk2pg.user_settings SET zone = 'Europe/Berlin'")
    #expect(try fixture.summarize(zone: F.berlin).formerZone == Self.newYork)
    #expect(try fixture.sums() == ["2024-05-02|1|1", "2024-05-20|2|1"])
  }

  // MARK: What is remembered

  private func rememberedDays() throws -> String? {
    try fixture.database.value("SELECT summarized_days::text FROM hk2pg.user_settings")
  }

  /// Version 2 of the schema kept names of zones alone: what has no rows is of the first one, the rest of the last.
  @Test func zonesOfAnEarlierVersionAreUnderstood() throws {
    try fixture.load(try F.windowed(export(["2024-04-01T23:00:00Z", "2024-05-20T23:00:00Z"]), days: 30))
    #expect(try rememberedDays() == "{}")
    try fixture.database.execute(
      """
      UPDATE hk2pg.user_settings SET zone = 'America/New_York', summarized_zone = 'Europe/Berlin America/New_York';
      UPDATE healthkit_daily_summaries SET summary_date = '2024-05-20' WHERE summary_date = '2024-05-21';
      ALTER TABLE hk2pg.user_settings DROP COLUMN summarized_days;
      UPDATE hk2pg.schema_versions SET version = 2
      """)
    _ = try fixture.summarize(zone: Self.newYork)
    #expect(try fixture.sums() == ["2024-04-02|1|1", "2024-05-20|2|1"])
    #expect(
      try rememberedDays() == """
        {"\(F.steps)": [{"lengths": [[86400, 1]], "first_day": "2024-04-02", "starts_at": "2024-04-01T22:00:00Z"}]}
        """)
    #expect(try fixture.database.value("SELECT summarized_zone FROM hk2pg.user_settings") == Self.newYork)
    try fixture.database.execute(
      "UPDATE hk2pg.user_settings SET summarized_days = replace(summarized_days::text, '86400', '0')::jsonb")
    #expect(throws: LoadError.malformedDays(user: F.user)) { try fixture.summarize(zone: F.berlin) }
    try fixture.database.execute(
      "UPDATE hk2pg.user_settings SET summarized_days = replace(summarized_days::text, '[0', '[86400')::jsonb")
    _ = try fixture.summarize(zone: F.berlin)
    #expect(try fixture.sums() == ["2024-04-02|1|1", "2024-05-21|2|1"])
    #expect(try rememberedDays() == "{}")
  }

  // MARK: ActivitySummaries

  private func activity(_ days: ClosedRange<Int>, zone: String, date: String) throws -> ChunkFolderFixture {
    var export = F.export(0, date: date)
    export.zone = zone
    let rules = try F.rules(zone)
    for number in days {
      let day = CivilDay(year: 2024, month: 5, day: number)
      export.rows.append(
        .init(
          type: ActivitySummaryDays.metricType, source: "", start: rules.firstInstant(of: day),
          end: rules.firstInstant(of: day.advanced(by: 1)), value: Double(number), unit: "kcal",
          metadata: #"{"dateComponents":"\#(day)"}"#, naming: 0, identity: day.utcMidnight))
    }
    return export
  }

  private func activityDays() throws -> [String] {
    try fixture.database.lines(
      """
      SELECT metadata->>'dateComponents', to_char(started_at AT TIME ZONE 'UTC', 'DD HH24:MI'),
        to_char(ended_at AT TIME ZONE 'UTC', 'DD HH24:MI'), value
      FROM healthkit_metrics WHERE metric_type = '\(ActivitySummaryDays.metricType)' ORDER BY started_at
      """)
  }

  /// Rows of dates that the older export has, and of dates that it lacks.
  @Test func anOlderExportMovesAllActivitySummaries() throws {
    try fixture.load(try activity(1...3, zone: F.berlin, date: "2024-05-04T12:00:00Z"))
    #expect(
      try activityDays() == [
        "2024-05-01|30 22:00|01 22:00|1", "2024-05-02|01 22:00|02 22:00|2", "2024-05-03|02 22:00|03 22:00|3",
      ])
    var older = try activity(1...2, zone: Self.newYork, date: "2024-05-03T12:00:00Z")
    for index in older.rows.indices { older.rows[index].value = 99 }
    let outcome = try fixture.load(older)
    #expect(outcome.isBalanced)
    #expect(outcome.changed == 3)
    // Their content is that of the newer export.
    let moved = [
      "2024-05-01|01 04:00|02 04:00|1", "2024-05-02|02 04:00|03 04:00|2", "2024-05-03|03 04:00|04 04:00|3",
    ]
    #expect(try activityDays() == moved)
    let versions = try fixture.versions()
    try fixture.load(older)
    #expect(try fixture.versions() == versions)
    // A newer export without the first date moves that as well, and so does `summarize`.
    try fixture.load(try activity(2...3, zone: F.berlin, date: "2024-05-06T12:00:00Z"))
    #expect(try activityDays().map { $0.prefix(16) } == ["2024-05-01|30 22", "2024-05-02|01 22", "2024-05-03|02 22"])
    _ = try fixture.summarize(zone: Self.newYork)
    #expect(try activityDays() == moved)
  }

  /// Another program's row keeps its place; ours goes to the next microsecond, and nothing is lost.
  @Test func aLiveActivitySummaryKeepsItsPlace() throws {
    try fixture.load(try activity(1...2, zone: F.berlin, date: "2024-05-04T12:00:00Z"))
    try fixture.insertLive("2024-05-02T04:00:00Z", type: ActivitySummaryDays.metricType, value: 5)
    _ = try fixture.summarize(zone: Self.newYork)
    #expect(
      try fixture.database.lines(
        """
        SELECT started_at AT TIME ZONE 'UTC', value FROM healthkit_metrics
        WHERE metric_type = '\(ActivitySummaryDays.metricType)' ORDER BY started_at
        """) == ["2024-05-01 04:00:00|1", "2024-05-02 04:00:00|5", "2024-05-02 04:00:00.000001|2"])
  }
}
