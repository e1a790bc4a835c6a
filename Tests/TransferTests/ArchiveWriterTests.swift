import Foundation
import HealthModel
import Loading
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Transfer

/// Rows out of a database into chunks, and back.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct ArchiveWriterTests {
  private typealias F = TransferFixture
  private static let live = "0f8fad5b-d9cb-469f-a165-70867728950e"

  @Test func everythingComesBackAsItWas() throws {
    let fixture = try F()
    try fixture.load(F.export(F.rows(500)), into: fixture.source)
    try F.insertLive(
      fixture.source, id: Self.live, at: "2024-05-02T08:00:00.123456Z", value: 7.25,
      metadata: #"{"h4ai_aggregation": "hourly", "b": 1}"#)
    var limits = ChunkWriter.Limits()
    limits.rows = 100
    let archive = try fixture.archive(limits: limits)
    #expect(archive.chunks(of: .metrics).map(\.rowCount) == [100, 100, 100, 100, 100, 1])
    #expect(archive.chunks(of: .metrics)[0].columns.last == "synced_at")
    #expect(archive.manifest.zone == "Europe/Berlin")
    try archive.verify()
    #expect(try ChunkFolder.open(at: archive.path) == archive)

    let outcome = try fixture.receive(archive)
    #expect(outcome.rows.copied == 501 && outcome.rows.new == 501 && outcome.rows.isBalanced)
    #expect(outcome.summaries.written == 1)
    #expect(try F.rows(fixture.target) == F.rows(fixture.source))
    for query in [
      "SELECT * FROM healthkit_daily_summaries ORDER BY id", "SELECT * FROM hk2pg.sources ORDER BY name",
      "SELECT * FROM hk2pg.profiles", "SELECT * FROM hk2pg.type_units",
      "SELECT user_id, zone, server_zone, newest_export_date, mapping_version FROM hk2pg.user_settings",
      """
      SELECT user_id, export_name, export_digest, export_date, started_at, finished_at FROM hk2pg.imports
      WHERE strategy NOT LIKE 'copy%'
      """,
    ] {
      #expect(try fixture.target.lines(query) == fixture.source.lines(query), "\(query)")
    }
    // The ledger's numbers are the target's own.
    #expect(
      try fixture.target.value(
        """
        SELECT count(*) FROM hk2pg.imports i JOIN hk2pg.user_settings u ON u.newest_import_id = i.import_id
        WHERE i.export_digest LIKE 'digest of%' AND (i.outcome->>'importID')::bigint = i.import_id
        """) == "1")
    #expect(try fixture.verify().isEqual)
    #expect(try fixture.target.value("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'incoming%'") == "0")
  }

  @Test func aSecondCopyWritesNothing() throws {
    let fixture = try F()
    try fixture.load(F.export(F.rows(200)), into: fixture.source)
    try fixture.copy()
    let versions = "SELECT xmin, ctid, id FROM healthkit_metrics ORDER BY id"
    let before = try fixture.target.lines(versions)
    let again = try fixture.copy()
    #expect(again.rows.same == 200 && again.rows.copied == 200 && again.summaries.same == 1)
    #expect(!again.hasWritten)
    #expect(try fixture.target.lines(versions) == before)
  }

  /// A row of hk2pg gets another id and the same hash bits XORed; an id of another program stays.
  @Test func aReKeyedCopyHasTheIDsOfAnImport() throws {
    let fixture = try F()
    try fixture.load(F.export(F.rows(50)), into: fixture.source)
    try F.insertLive(fixture.source, id: Self.live, at: "2024-05-02T08:00:00Z", value: 7)
    let outcome = try fixture.copy(as: F.bob)
    #expect(outcome.rows.new == 51)
    let other = try TestDatabase()
    try fixture.load(F.export(F.rows(50), user: F.bob), into: other)
    let ids = "SELECT id FROM healthkit_metrics WHERE value >= 10 ORDER BY id"
    #expect(try fixture.target.lines(ids) == other.lines(ids))
    #expect(
      try fixture.target.lines("SELECT id FROM healthkit_daily_summaries")
        == other.lines("SELECT id FROM healthkit_daily_summaries"))
    #expect(try fixture.target.value("SELECT id FROM healthkit_metrics WHERE value = 7") == Self.live)
    #expect(try fixture.target.value("SELECT count(*) FROM healthkit_metrics WHERE user_id <> $1", [F.bob]) == "0")
    #expect(try fixture.verify(as: F.bob).isEqual)

    let imported = try fixture.load(F.export(F.rows(50), user: F.bob), into: fixture.target)
    #expect(imported.new == 0 && imported.changed == 0 && imported.removed == 0)
    #expect(imported.alreadyThere == 50)
  }

  /// In one database the live row's id is taken, so it changes by the XOR of both users, which a second copy finds.
  @Test func aReKeyedCopyBesideItsOriginal() throws {
    let fixture = try F()
    try fixture.load(F.export(F.rows(50)), into: fixture.source)
    try F.insertLive(fixture.source, id: Self.live, at: "2024-05-02T08:00:00Z", value: 7)
    let archive = try fixture.archive(as: F.bob)
    let outcome = try fixture.receive(archive, into: fixture.source)
    #expect(outcome.rows.new == 51 && outcome.rows.unplaced == 0)
    let original = try #require(RowID(uuid: Self.live))
    let expected = original.rekeyed(from: UserKey(userID: F.anna), to: UserKey(userID: F.bob))
    #expect(!expected.isOurs && expected != original)
    #expect(
      try fixture.source.value("SELECT id FROM healthkit_metrics WHERE value = 7 AND user_id = $1", [F.bob])
        == expected.description)
    let again = try fixture.receive(archive, into: fixture.source)
    #expect(again.rows.same == 51 && !again.hasWritten)
    #expect(try fixture.source.value("SELECT count(*) FROM healthkit_metrics WHERE user_id = $1", [F.anna]) == "51")
  }

  @Test func aDatabaseWithoutOurSchemaIsReadToo() throws {
    let fixture = try F()
    for statement in Shapes.published.statements { try fixture.source.execute(statement) }
    try F.insertLive(fixture.source, id: Self.live, at: "2024-05-02T08:00:00Z", value: 7, user: "someone")
    let outcome = try fixture.copy(user: "someone")
    #expect(outcome.rows.new == 1 && outcome.summaries.written == 0 && outcome.ownTables.isEmpty)
    #expect(try F.rows(fixture.target) == F.rows(fixture.source))
    #expect(try fixture.verify(user: "someone").isEqual)
  }
}

extension RowID {
  fileprivate init?(uuid text: String) {
    let digits = text.filter { $0 != "-" }
    guard digits.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }
}
