import Loading
import Testing

@testable import HK2PGCommand
@testable import ImportFlow
@testable import Transfer

@Suite struct TransferReportTests {
  private static let steps = "HKQuantityTypeIdentifierStepCount"
  private static let heart = "HKQuantityTypeIdentifierHeartRate"

  /// 100 rows of one type that are equal; of another one 30 of 32, on two days.
  private static var comparison: VerifyOutcome {
    var outcome = VerifyOutcome()
    func group(_ table: String, _ type: String, _ month: String, _ a: Int, _ b: Int) -> VerifyOutcome.Group {
      .init(
        table: table, metricType: type, month: month, left: .init(rows: a, sum: 12.5, digest: "\(a)7"),
        right: .init(rows: b, sum: 12.5, digest: "\(b)7"), isEqual: a == b)
    }
    outcome.groups = [
      group("healthkit_metrics", heart, "2024-04-01", 60, 60), group("healthkit_metrics", heart, "2024-05-01", 40, 40),
      group("healthkit_metrics", steps, "2024-05-01", 32, 30),
      group("healthkit_daily_summaries", steps, "2024-05-01", 4, 4),
    ]
    outcome.days = [
      .init(table: "healthkit_daily_summaries", metricType: steps, day: "2024-05-02", changed: 1),
      .init(table: "healthkit_metrics", metricType: steps, day: "2024-05-02", missing: 3),
      .init(table: "healthkit_metrics", metricType: steps, day: "2024-05-07", extra: 1, changed: 2),
    ]
    outcome.tables = [.init(table: "hk2pg.route_points", leftRows: 9, rightRows: 7, missing: 2, extra: 0)]
    outcome.explained = [.liveRow: 5, .pruned: 1200]
    return outcome
  }

  @Test func different() throws {
    let result = VerifyResult(
      reference: "export.zip", database: "health on localhost:5432 as ann",
      users: [.init(user: "ann", newUser: "ann", outcome: Self.comparison)], seconds: 3.2)
    let report = VerifyReport(result)
    #expect(!report.equal)
    try expectGolden(report.text(), "verify.txt")
    try expectGolden(try ReportJSON.text(report), "verify.json")
  }

  @Test func equal() {
    var outcome = Self.comparison
    outcome.groups.remove(at: 2)
    (outcome.days, outcome.tables, outcome.explained) = ([], [], [:])
    let result = VerifyResult(
      reference: "archive", database: "health on localhost:5432 as ann",
      users: [.init(user: "ann", newUser: "ann", outcome: outcome)], seconds: 0.2)
    #expect(
      VerifyReport(result).text() == """
        Equal, compared in 0.2 s
          Reference: archive
          Database:  health on localhost:5432 as ann
          100 rows and 4 daily summaries of types that are equal in every month, by count and digest

        """)
  }

  private func migration(isDryRun: Bool, _ outcome: ArchiveOutcome, _ comparison: VerifyOutcome?) -> MigrateResult {
    MigrateResult(
      from: "old on localhost:5432 as ann", to: "new on db.example:5432 as ann", isDryRun: isDryRun,
      users: [
        UserMigration(
          user: "ann", newUser: "bob", sourceRows: [Self.steps: 32, Self.heart: 1100], sourceSummaries: 4,
          movedRows: [Self.steps: 32], bytes: isDryRun ? [Self.steps: 5_600, Self.heart: 190_000] : [:],
          outcome: outcome, verification: comparison)
      ], seconds: 75, peakMemoryBytes: 90_000_000)
  }

  @Test func plan() throws {
    let report = MigrateReport(migration(isDryRun: true, ArchiveOutcome(), nil))
    try expectGolden(report.text(), "migrate-dry-run.txt")
  }

  @Test func migrated() throws {
    var outcome = ArchiveOutcome()
    outcome.rows.copied = 32
    (outcome.rows.new, outcome.rows.changed, outcome.rows.same) = (20, 2, 3)
    (outcome.rows.kept, outcome.rows.twins, outcome.rows.withheld, outcome.rows.unplaced) = (1, 2, 3, 1)
    outcome.rows.moved = 4
    #expect(outcome.rows.isBalanced)
    (outcome.summaries.written, outcome.summaries.same, outcome.summaries.kept) = (2, 1, 1)
    outcome.ownTables = ["hk2pg.imports": 1]
    let report = MigrateReport(migration(isDryRun: false, outcome, Self.comparison))
    try expectGolden(report.text(), "migrate.txt")
    try expectGolden(try ReportJSON.text(report), "migrate.json")
  }

  @Test func nothingNew() {
    var outcome = ArchiveOutcome()
    (outcome.rows.copied, outcome.rows.same) = (32, 32)
    let text = MigrateReport(migration(isDryRun: false, outcome, nil)).text()
    #expect(text.contains("Nothing new: the target had everything already."))
  }

  @Test func dumped() {
    let result = DumpResult(
      database: "health on localhost:5432 as ann", user: "ann", folder: "archive", takenAt: "2024-06-01T12:00:00Z",
      rows: ["healthkit_metrics": 1132, "hk2pg.sources": 2], byteCount: 48_000, seconds: 1.5)
    #expect(
      DumpReport(result).text() == """
        Dumped in 1.5 s: 48 kB in archive
          Database: health on localhost:5432 as ann, at 2024-06-01T12:00:00Z
          table               rows
          healthkit_metrics  1,132
          hk2pg.sources          2
          README.txt in it says how to read it; hk2pg load brings it back.

        """)
  }
}
