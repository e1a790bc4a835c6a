import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// Which export is right (DESIGN §3.9).
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct MissingRowsTests {
  private let fixture: LoadingFixture

  init() throws { fixture = try LoadingFixture() }

  /// 30 days with 40 samples each.
  private func month(_ date: String, source: String = "Apple Watch") -> ChunkFolderFixture {
    var export = LoadingFixture.export(0, date: date)
    for day in 1...30 {
      export.rows += LoadingFixture.rows(
        40, from: "2024-04-\(day < 10 ? "0" : "")\(day)T08:00:00Z", source: source)
    }
    return export
  }

  private func options(_ mode: MissingRows = .automatic, isForced: Bool = false) -> LoadOptions {
    var options = LoadOptions()
    options.missingRows = mode
    options.isForced = isForced
    return options
  }

  @Test func samplesDeletedOnThePhoneGo() throws {
    try fixture.load(month("2024-06-01T00:00:00Z"))
    var export = month("2024-06-02T00:00:00Z")
    export.rows.removeSubrange(10..<20)
    let outcome = try fixture.load(export)
    #expect(outcome.removed == 10)
    #expect(outcome.rowsInTable == 1190)
    let clean = try LoadingFixture()
    try clean.load(export)
    #expect(try fixture.rows() == clean.rows())
  }

  @Test func aGroupThatLostMoreThanHalfStays() throws {
    try fixture.load(month("2024-06-01T00:00:00Z"))
    var export = month("2024-06-02T00:00:00Z")
    export.rows.removeSubrange(0..<21)
    let outcome = try fixture.load(export)
    #expect(outcome.removed == 0)
    #expect(outcome.keptMissing.underHalf == 21)
    #expect(try fixture.count() == 1200)
    // Exactly half is enough.
    export.rows.append(month("2024-06-02T00:00:00Z").rows[0])
    #expect(try fixture.load(export).removed == 20)
  }

  @Test func aDayTheExportLacksStays() throws {
    try fixture.load(month("2024-06-01T00:00:00Z"))
    var export = month("2024-06-02T00:00:00Z")
    export.rows.removeSubrange(0..<40)
    let outcome = try fixture.load(export)
    #expect(outcome.removed == 0)
    #expect(outcome.keptMissing.groupNotInExport == 40)
    #expect(outcome.alreadyThere == 1160)
  }

  @Test func aNewPhoneWipesNothing() throws {
    try fixture.load(month("2024-06-01T00:00:00Z"))
    let export = LoadingFixture.export(
      30, from: "2024-06-02T08:00:00Z", source: "New Phone", date: "2024-06-03T00:00:00Z")
    let outcome = try fixture.load(export)
    #expect(outcome.new == 30)
    #expect(outcome.removed == 0)
    #expect(outcome.keptMissing.groupNotInExport == 1200)
  }

  @Test func moreThanFivePercentOfATypeNeedsForce() throws {
    try fixture.load(month("2024-06-01T00:00:00Z"))
    var export = month("2024-06-02T00:00:00Z")
    // 61 of 1200 are more than 5 %, spread such that no group loses half.
    for day in (0..<4).reversed() { export.rows.removeSubrange(day * 40..<day * 40 + 15) }
    export.rows.remove(at: 200)
    let outcome = try fixture.load(export)
    #expect(outcome.removed == 0)
    #expect(outcome.keptMissing.overFivePercent == 61)
    #expect(outcome.keptMissing.sparedTypes == [LoadingFixture.steps])
    let before = try fixture.versions()
    #expect(throws: LoadError.wouldRemoveTooMuch([TypeLoss(metricType: LoadingFixture.steps, rows: 1200, lost: 61)])) {
      try fixture.load(export, options(.remove))
    }
    #expect(try fixture.versions() == before)
    #expect(try fixture.load(export, options(isForced: true)).removed == 61)
  }

  @Test func exactlyFivePercentIsNotTooMuch() throws {
    try fixture.load(month("2024-06-01T00:00:00Z"))
    var export = month("2024-06-02T00:00:00Z")
    for day in (0..<4).reversed() { export.rows.removeSubrange(day * 40..<day * 40 + 15) }
    #expect(try fixture.load(export).removed == 60)
  }

  @Test func keepKeepsAndRemoveRemovesAll() throws {
    try fixture.load(month("2024-06-01T00:00:00Z"))
    var export = month("2024-06-02T00:00:00Z")
    export.rows.removeSubrange(0..<41)
    let kept = try fixture.load(export, options(.keep))
    #expect(kept.removed == 0)
    #expect(kept.keptMissing.total == 41)
    let removed = try fixture.load(export, options(.remove))
    #expect(removed.removed == 41)
    #expect(removed.keptMissing.total == 0)
  }

  @Test func aTypeTheExportLacksAltogetherIsRemovedOnlyByForce() throws {
    var export = month("2024-06-01T00:00:00Z")
    export.rows += LoadingFixture.rows(10, from: "2024-04-01T08:00:00Z", type: LoadingFixture.heartRate)
    try fixture.load(export)
    export.rows.removeLast(10)
    #expect(try fixture.load(export).keptMissing.groupNotInExport == 10)
    #expect(throws: LoadError.self) { try fixture.load(export, options(.remove)) }
    #expect(try fixture.load(export, options(.remove, isForced: true)).removed == 10)
  }

  @Test func anOlderExportOnlyAddsGroupsThatAreAbsent() throws {
    var newer = month("2024-06-10T00:00:00Z")
    newer.rows.removeSubrange(0..<45)
    try fixture.load(newer)
    // The older one has 45 more samples and one other value.
    var older = month("2024-06-01T00:00:00Z")
    older.rows[300].value = 999
    let outcome = try fixture.load(older)
    #expect(outcome.new == 40)
    #expect(outcome.superseded == 6)
    #expect(outcome.alreadyThere == 1154)
    #expect(outcome.changed == 0)
    #expect(outcome.removed == 0)
    #expect(outcome.isBalanced)
    #expect(outcome.notes == [.olderExport])
    #expect(try fixture.count("healthkit_metrics", "value = 999") == 0)
    // The newer one is still the newest.
    #expect(try fixture.load(newer).keptMissing.groupNotInExport == 40)
  }

  @Test func idsUnderAnotherSourceNameAreNotAbsent() throws {
    var newer = month("2024-06-10T00:00:00Z", source: "Renamed Watch")
    newer.rows.remove(at: 3)
    try fixture.load(newer)
    let outcome = try fixture.load(month("2024-06-01T00:00:00Z", source: "Apple Watch"))
    #expect(outcome.new == 0)
    #expect(outcome.alreadyThere == 1199)
    #expect(outcome.superseded == 1)
    #expect(outcome.changed == 0)
    #expect(try fixture.count("healthkit_metrics", "source_device = 'Apple Watch'") == 0)
  }

  @Test func aSalvagedExportNeverRemoves() throws {
    try fixture.load(month("2024-06-01T00:00:00Z"))
    var export = month("2024-06-02T00:00:00Z")
    export.rows.removeSubrange(10..<20)
    export.isSalvaged = true
    let outcome = try fixture.load(export, options(.remove, isForced: true))
    #expect(outcome.removed == 0)
    #expect(outcome.keptMissing.notAsked == 10)
  }

  @Test func withheldDaysOfARawWindowAreNotMissing() throws {
    try fixture.load(month("2024-05-01T00:00:00Z"))
    // 20 days before 1 May in Berlin begin on 11 April at 22:00 UTC of the 10th: all of the 10th's samples are older.
    var export = month("2024-05-01T10:00:00Z")
    export.rows.removeAll { $0.start < LoadingFixture.time("2024-04-11T08:10:00Z") }
    let folder = try fixture.write(export)
    var manifest = folder.manifest
    manifest.options.rawWindowDays = 19
    let date = try #require(manifest.export.exportDate)
    #expect(date == "2024-05-01T10:00:00Z")
    let condition = Comparison.rawWindowCondition(manifest)
    let count = try fixture.count("healthkit_metrics p", "true \(condition)")
    #expect(count == 1200 - 11 * 40)
  }

  @Test func prunedDaysStayPruned() throws {
    let export = month("2024-06-01T00:00:00Z")
    try fixture.load(export)
    try fixture.database.execute(
      """
      DELETE FROM healthkit_metrics WHERE started_at < '2024-04-04T22:00:00Z';
      INSERT INTO hk2pg.pruned_days (user_id, metric_type, day, starts_at, ends_at, row_count)
      SELECT '\(LoadingFixture.user)', '\(LoadingFixture.steps)', d::date, d - interval '2 hours',
        d + interval '22 hours', 40
      FROM generate_series(timestamptz '2024-04-01 00:00+00', '2024-04-04 00:00+00', '1 day') d
      """)
    let outcome = try fixture.load(export)
    #expect(outcome.withheld == 160)
    #expect(outcome.new == 0)
    #expect(outcome.alreadyThere == 1040)
    #expect(outcome.isBalanced)
    #expect(try fixture.count() == 1040)
  }

  @Test func aNewMappingComparesEveryRow() throws {
    let export = LoadingFixture.export(100)
    try fixture.load(export)
    try fixture.database.execute(
      """
      UPDATE healthkit_metrics SET metadata = '{"old": 1}' WHERE value = 10;
      UPDATE hk2pg.user_settings SET mapping_version = 0
      """)
    let count = try fixture.count("healthkit_metrics", "metadata IS NOT NULL")
    let outcome = try fixture.load(export)
    #expect(outcome.changed == count)
    #expect(try fixture.count("healthkit_metrics", "metadata IS NOT NULL") == 0)
    #expect(
      try fixture.database.value("SELECT mapping_version FROM hk2pg.user_settings")
        == "\(Manifest.currentMappingVersion)")
  }
}
