import HealthModel
import TestSupport
import Testing

@testable import Queries

@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct ReadSessionLedgerTests {
  @Test func sourcesComeWithTheirDaysTheLatestFirst() throws {
    let fixture = try QueriesFixture()
    try fixture.database.execute(
      """
      UPDATE hk2pg.sources SET last_sample_at = '2024-06-09T22:30:00Z', sample_count = 5 WHERE name = 'Watch';
      INSERT INTO hk2pg.sources (user_id, name, class) VALUES ('somebody', 'Watch', 'watch')
      """)
    #expect(
      try fixture.read { try $0.sources() } == [
        // 22:30Z is the next day in Berlin.
        StoredSource(
          name: "Watch", deviceClass: .watch, days: QueriesFixture.day(1, 1, year: 2020)...QueriesFixture.day(6, 10),
          sampleCount: 5),
        StoredSource(name: "Phone", deviceClass: .phone, days: nil, sampleCount: 0),
      ])
  }

  @Test func importsComeWithWhatTheyNoticed() throws {
    let fixture = try QueriesFixture()
    try fixture.database.execute(
      """
      INSERT INTO hk2pg.imports (user_id, state, load_digest, export_name, export_byte_count, export_digest, export_date,
        is_salvaged, mapping_version, hk2pg_version, zone, finished_at, report)
      SELECT u, s, 'd', n, 1, 'd', '2024-06-01T10:00:00Z', n = 'b.zip', 1, '1', 'UTC', f::timestamptz, r::jsonb
      FROM (VALUES ('\(QueriesFixture.user)', 'finished', 'a.zip', '2024-06-01T11:00:00Z',
          '{"samples": {"read": 12, "written": 7}}'),
        ('\(QueriesFixture.user)', 'finished', 'b.zip', '2024-06-02T11:00:00Z', NULL),
        ('\(QueriesFixture.user)', 'loading', 'c.zip', NULL, NULL),
        ('somebody', 'finished', 'd.zip', '2024-06-02T11:00:00Z', NULL)) AS i(u, s, n, f, r);
      INSERT INTO hk2pg.problems
      SELECT i.import_id, p.kind, p.severity, p.number, 0 FROM hk2pg.imports i,
        (VALUES ('rejectedNoStart', 'rejected', 2), ('rawAmpersand', 'repaired', 30), ('ofTheFuture', 'kept', 9))
          AS p(kind, severity, number)
      WHERE i.export_name IN ('a.zip', 'd.zip')
      """)
    let imports = try #require(try fixture.read { try $0.imports(limit: 10) })
    #expect(imports.map(\.exportName) == ["b.zip", "a.zip"])
    #expect(imports[0].isSalvaged && imports[0].read == nil && imports[0].problems.isEmpty)
    #expect(imports[1].read == 12 && imports[1].written == 7 && !imports[1].isSalvaged)
    #expect(imports[1].finishedAt == QueriesFixture.time("2024-06-01T11:00:00Z"))
    #expect(imports[1].exportDate == QueriesFixture.time("2024-06-01T10:00:00Z"))
    #expect(
      imports[1].problems == [.init(kind: .rawAmpersand, count: 30), .init(kind: .rejectedNoStart, count: 2)])
    #expect(try fixture.read { try $0.imports(limit: 1) }?.map(\.exportName) == ["b.zip"])
  }

  @Test func whereTheLedgerMayNotBeReadNothingIsSaid() throws {
    let fixture = try QueriesFixture()
    try fixture.database.execute("DROP SCHEMA hk2pg CASCADE")
    #expect(try fixture.read { try $0.sources() } == nil)
    #expect(try fixture.read { try $0.imports(limit: 1) } == nil)
  }
}
