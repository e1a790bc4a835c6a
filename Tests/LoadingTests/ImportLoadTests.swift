import Foundation
import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// Loads of folders without the rows that the database was found to hold.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct ImportLoadTests {
  private let fixture: LoadingFixture

  init() throws { fixture = try LoadingFixture() }

  private static let firstDay = CivilDay(year: 2024, month: 5, day: 1)

  /// Three days of steps, ten rows each.
  private static func export(_ date: String, changing changedDay: Int? = nil) -> ChunkFolderFixture {
    var export = LoadingFixture.export(0, date: date)
    for day in 1...3 {
      export.rows += LoadingFixture.rows(
        10, from: "2024-05-0\(day)T08:00:00Z", value: day == changedDay ? 500 : 10)
    }
    return export
  }

  /// A later export, of which the second day differs, without the rows that the loader's table was found to hold.
  private func writeWhatDiffers(from loader: Loader) throws -> ChunkFolder {
    loader.beginReadingTable()
    for _ in 0..<1000 where loader.knownDays() == nil { Thread.sleep(forTimeInterval: 0.01) }
    let steps = try #require(loader.knownDays()?.ofType(Array(LoadingFixture.steps.utf8)))
    var export = Self.export("2024-07-01T12:00:00Z", changing: 2)
    export.leftOut = { steps.holds($0, on: $1, symbols: $2) }
    return try fixture.write(export)
  }

  @Test func rowsThatTheTableHoldsNeedNoChunks() throws {
    try fixture.load(Self.export("2024-06-01T12:00:00Z"))
    let loader = try fixture.loader()
    defer { loader.close() }
    let folder = try writeWhatDiffers(from: loader)
    #expect(folder.chunks(of: .metrics).map(\.rowCount) == [10])
    #expect(folder.chunks(of: .unchangedGroups).map(\.rowCount) == [2])
    let outcome = try loader.load(folder)
    #expect((outcome.staged, outcome.alreadyThere, outcome.new, outcome.changed, outcome.removed) == (30, 30, 0, 10, 0))
    #expect(try fixture.count("healthkit_metrics", "value >= 500") == 10)
    #expect(try fixture.count() == 30)
  }

  @Test func whatTheTableHasLostMeanwhileIsAskedForAndNothingIsChanged() throws {
    try fixture.load(Self.export("2024-06-01T12:00:00Z"))
    let loader = try fixture.loader()
    defer { loader.close() }
    let folder = try writeWhatDiffers(from: loader)
    try fixture.database.execute("DELETE FROM healthkit_metrics WHERE started_at = '2024-05-03 08:05:00Z'")
    let before = try fixture.versions()
    // Another process, which reads the table itself.
    let later = try fixture.loader()
    defer { later.close() }
    #expect(throws: LoadError.leftOut(metricType: LoadingFixture.steps, day: Self.firstDay.advanced(by: 2))) {
      try later.load(folder)
    }
    #expect(try fixture.versions() == before)
    #expect(try fixture.leftovers().isEmpty)
    // The whole export mends it.
    #expect(try later.load(fixture.write(Self.export("2024-07-01T12:00:00Z", changing: 2))).new == 1)
    #expect(try fixture.count() == 30)
  }

  @Test func anEmptiedTableGetsNoPartOfAnExport() throws {
    try fixture.load(Self.export("2024-06-01T12:00:00Z"))
    let loader = try fixture.loader()
    defer { loader.close() }
    let folder = try writeWhatDiffers(from: loader)
    try fixture.database.execute("DROP TABLE healthkit_metrics CASCADE")
    let later = try fixture.loader()
    defer { later.close() }
    #expect(throws: LoadError.self) { try later.load(folder) }
  }

  @Test func rowsMadeByOtherRulesAreAllStaged() throws {
    try fixture.load(Self.export("2024-06-01T12:00:00Z"))
    try fixture.database.execute("UPDATE hk2pg.user_settings SET mapping_version = mapping_version - 1")
    let loader = try fixture.loader()
    defer { loader.close() }
    loader.beginReadingTable()
    let folder = try fixture.write(Self.export("2024-07-01T12:00:00Z"))
    // Until it has been read.
    let outcome = try loader.load(folder)
    #expect(outcome.alreadyThere == 30)
    let next = try fixture.loader()
    defer { next.close() }
    try fixture.database.execute("UPDATE hk2pg.user_settings SET mapping_version = mapping_version - 1")
    next.beginReadingTable()
    Thread.sleep(forTimeInterval: 0.3)
    #expect(next.knownDays() == nil)
  }
}
