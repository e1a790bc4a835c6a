import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// Points of routes and curves of electrocardiograms go with their row.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct OrphanedSeriesTests {
  private let fixture: LoadingFixture

  init() throws { fixture = try LoadingFixture() }

  private typealias F = LoadingFixture

  private static let electrocardiogram = "HKDataTypeIdentifierElectrocardiogram"

  /// Routes named by their digests, one a day; `points` without a row are of a file that no route of ours has.
  private func export(_ digests: [String], date: String, more points: [String: Int] = [:]) -> ChunkFolderFixture {
    var export = F.export(0, date: date)
    for (index, digest) in digests.enumerated() {
      export.rows.append(
        F.row(
          F.routes, "2024-05-\(index + 10)T08:00:00Z", minutes: 30, value: 5,
          metadata: #"{"file":"/workout-routes/\#(digest).gpx","file_digest":"\#(digest)"}"#))
    }
    export.routes = Dictionary(uniqueKeysWithValues: digests.map { ($0, 5) }).merging(points) { old, _ in old }
    return export
  }

  private func digests() throws -> [String] {
    try fixture.database.lines("SELECT file_digest, count(*) FROM hk2pg.route_points GROUP BY 1 ORDER BY 1")
  }

  @Test func pointsOfRemovedRoutesGo() throws {
    let all = (11...32).map { "d\($0)" }
    var export = export(all, date: "2024-06-01T12:00:00Z")
    // A second route has the points of the first file.
    export.rows.append(
      F.row(F.routes, "2024-05-11T18:00:00Z", minutes: 30, value: 5, metadata: #"{"file_digest":"d11"}"#))
    try fixture.load(export)
    #expect(try digests().count == 22)
    // The newer export lacks the second route of 11 May, which leaves the points to the first, and has other points for
    // that of 12 May.
    export.exportDate = Instant(iso8601: "2024-06-02T12:00:00Z")
    export.rows.removeLast()
    export.rows[2].metadata = #"{"file":"/workout-routes/d13.gpx","file_digest":"d99"}"#
    export.routes["d13"] = nil
    export.routes["d99"] = 3
    try fixture.load(export)
    var expected = (11...32).filter { $0 != 13 }.map { "d\($0)|5" } + ["d99|3"]
    #expect(try digests() == expected)
    // Then the route of 11 May goes as a whole, by hand; whatever the next import is, its points go.
    try fixture.database.execute("DELETE FROM healthkit_metrics WHERE metadata->>'file_digest' = 'd11'")
    export.exportDate = Instant(iso8601: "2024-06-03T12:00:00Z")
    export.rows.removeFirst()
    export.routes["d11"] = nil
    try fixture.load(export)
    expected.removeFirst()
    #expect(try digests() == expected)
    // It comes back with an export that has it.
    export.exportDate = Instant(iso8601: "2024-06-04T12:00:00Z")
    export.rows.append(
      F.row(F.routes, "2024-05-10T08:00:00Z", minutes: 30, value: 5, metadata: #"{"file_digest":"d11"}"#))
    export.routes["d11"] = 5
    try fixture.load(export)
    #expect(try digests() == ["d11|5"] + expected)
  }

  @Test func pointsThatNoRowNamesAreNotKept() throws {
    try fixture.load(export(["a"], date: "2024-06-01T12:00:00Z", more: ["b": 4]))
    #expect(try digests() == ["a|5"])
    // Of an older export whose route the newer one has overruled.
    var older = export(["c"], date: "2024-05-20T12:00:00Z")
    older.rows[0].start = Instant(iso8601: "2024-05-10T08:00:01Z") ?? older.rows[0].start
    #expect(try fixture.load(older).superseded == 1)
    #expect(try digests() == ["a|5"])
  }

  @Test func curvesOfRemovedRowsGo() throws {
    var export = F.export(0, date: "2024-06-01T12:00:00Z")
    export.rows = (1...3).map { F.row(Self.electrocardiogram, "2024-05-0\($0)T08:00:00Z", value: 60) }
    try fixture.load(export)
    try fixture.database.execute(
      """
      INSERT INTO hk2pg.ecg_recordings (user_id, metric_id, recorded_at, voltages)
      SELECT user_id, id, started_at, '{1,2}'::real[] FROM healthkit_metrics
      UNION ALL SELECT 'somebody else', gen_random_uuid(), now(), '{3}'
      """)
    try fixture.database.execute("DELETE FROM healthkit_metrics WHERE started_at = '2024-05-02T08:00:00Z'")
    export.exportDate = Instant(iso8601: "2024-06-02T12:00:00Z")
    export.rows.remove(at: 1)
    try fixture.load(export)
    #expect(
      try fixture.database.lines(
        "SELECT recorded_at::date, voltages FROM hk2pg.ecg_recordings WHERE user_id = '\(F.user)' ORDER BY 1")
        == ["2024-05-01|{1,2}", "2024-05-03|{1,2}"])
    // Nobody else's.
    #expect(try fixture.count("hk2pg.ecg_recordings", "user_id = 'somebody else'") == 1)
  }

  /// Prune takes neither: routes and electrocardiograms have no summary to stand for them.
  @Test func pruneLeavesThemAlone() throws {
    try fixture.load(export(["a", "b"], date: "2024-06-01T12:00:00Z"))
    #expect(try fixture.prune(today: "2024-12-01").rows == 0)
    #expect(try digests() == ["a|5", "b|5"])
    #expect(try fixture.starts(F.routes).count == 2)
  }
}
