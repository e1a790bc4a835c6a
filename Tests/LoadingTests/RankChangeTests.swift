import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// New source ranks hold for all days whose raw rows are there, also those that the export at hand lacks (DESIGN §4.7).
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct RankChangeTests {
  private let fixture: LoadingFixture

  init() throws { fixture = try LoadingFixture() }

  private typealias F = LoadingFixture

  private static let ranks = ["": ["iPhone"]]

  /// The Watch's 100 and the iPhone's 60 overlap by half: 130 where the Watch counts, 110 where the iPhone does.
  private func walk(_ day: String) -> [ChunkFolderFixture.Row] {
    [
      F.row(F.steps, "\(day)T10:00:00Z", minutes: 10, value: 100),
      F.row(F.steps, "\(day)T10:05:00Z", minutes: 10, value: 60, source: "iPhone"),
    ]
  }

  private func export(_ days: [String], date: String, ranks: [String: [String]] = [:]) throws -> ChunkFolderFixture {
    var export = F.export(0, date: date)
    export.options.sourcePriority = ranks
    export.rows = days.flatMap(walk)
    return try F.summed(export)
  }

  @Test func keptDaysAreRecomputed() throws {
    try fixture.load(export(["2024-05-01", "2024-05-10"], date: "2024-06-01T12:00:00Z"))
    // Another program's days were never in an export.
    try fixture.insertLive("2024-05-20T10:00:00.5Z", minutes: 10, value: 100)
    try fixture.insertLive("2024-05-20T10:05:00.5Z", minutes: 10, value: 60, source: "iPhone")
    _ = try fixture.summarize()
    #expect(try fixture.sums() == ["2024-05-01|130|2", "2024-05-10|130|2", "2024-05-20|130|2"])
    // Without new ranks, what is far from the export's days is left alone.
    let same = try fixture.load(export(["2024-05-28"], date: "2024-06-02T12:00:00Z"))
    #expect(same.summaries.recomputed == 0)
    let outcome = try fixture.load(export(["2024-05-28"], date: "2024-06-03T12:00:00Z", ranks: Self.ranks))
    #expect(outcome.summaries.recomputed == 3)
    let turned = ["2024-05-01|110|2", "2024-05-10|110|2", "2024-05-20|110|2", "2024-05-28|110|2"]
    #expect(try fixture.sums() == turned)
    #expect(try fixture.summarize(priority: Self.ranks).written == 0)
    // Ranks set by hand hold from the next import on.
    try fixture.database.execute("UPDATE hk2pg.user_settings SET source_priority = '{}'")
    try fixture.load(export(["2024-05-28"], date: "2024-06-04T12:00:00Z"))
    #expect(try fixture.sums().allSatisfy { $0.contains("|130|") })
  }

  @Test func anOlderExportsRanksHoldToo() throws {
    try fixture.load(export(["2024-05-01", "2024-05-10"], date: "2024-06-01T12:00:00Z"))
    let outcome = try fixture.load(export(["2024-05-01"], date: "2024-05-05T12:00:00Z", ranks: Self.ranks))
    #expect(outcome.new == 0)
    #expect(try fixture.sums() == ["2024-05-01|110|2", "2024-05-10|110|2"])
    #expect(try fixture.database.value("SELECT source_priority::text FROM hk2pg.user_settings") == #"{"": ["iPhone"]}"#)
  }

  /// What a raw window has withheld cannot be ranked anew; it is not made less either.
  @Test func withheldDaysKeepTheirRanks() throws {
    var newer = F.export(0, date: "2024-06-01T12:00:00Z")
    newer.rows = walk("2024-04-01") + [F.row(F.steps, "2024-04-01T20:00:00Z", value: 7)] + walk("2024-05-20")
    try fixture.load(try F.windowed(newer, days: 30))
    #expect(try fixture.sums() == ["2024-04-01|137|3", "2024-05-20|130|2"])
    let outcome = try fixture.load(export(["2024-04-01"], date: "2024-04-05T12:00:00Z", ranks: Self.ranks))
    #expect(outcome.new == 2)
    #expect(try fixture.sums() == ["2024-04-01|137|3", "2024-05-20|110|2"])
  }
}
