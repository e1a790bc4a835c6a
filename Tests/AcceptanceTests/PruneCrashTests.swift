import Foundation
import PostgresClient
import TestSupport
import Testing

/// Prune, killed at any moment and run again, ends as one that nobody disturbed (DESIGN §7.5), and at no moment is a day
/// half pruned.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct PruneCrashTests {
  private static let rounds = ProcessInfo.processInfo.environment["HK2PG_SOAK"] == nil ? 4 : 50

  private let programs: Programs
  private let export: String

  init() throws {
    programs = try Programs()
    export = try programs.export("2MB", seed: 5)
  }

  /// A database with the export, and what is in it after an undisturbed prune, with the seconds that took.
  private func imported() throws -> TestDatabase {
    let database = try TestDatabase()
    let run = try programs.run(["import", export, "--database", database.conninfo, "--user", "anna"])
    #expect(run.status == 0, "\(run.errors)")
    return database
  }

  private func prune(
    _ database: TestDatabase, at point: String? = nil, killAfter: Double? = nil
  ) throws -> CommandRun {
    try programs.run(
      ["prune", "--older-than", "30d", "--database", database.conninfo, "--user", "anna"],
      adding: point.map { ["HK2PG_FAULT": $0] } ?? [:], killAfter: killAfter)
  }

  private func contents(_ database: TestDatabase) throws -> [String] {
    try Contents.all(of: database.connection)
      + database.lines(
        "SELECT user_id, metric_type, day, starts_at, ends_at, row_count FROM hk2pg.pruned_days ORDER BY 2, 3")
  }

  /// Rows of ours that start on a day which is marked: those that reach into a day whose rows are still there, and no
  /// others. So many rows are gone as the marks say.
  private func expectWholeDays(_ database: TestDatabase, rows: Int, _ comment: String) throws {
    let left = try #require(try database.value("SELECT count(*) FROM healthkit_metrics").flatMap(Int.init))
    let marked = try database.value("SELECT coalesce(sum(row_count), 0) FROM hk2pg.pruned_days").flatMap(Int.init)
    #expect(rows - left == marked, "\(comment)")
    let half = try database.value(
      """
      SELECT count(*) FROM healthkit_metrics m JOIN hk2pg.pruned_days p ON p.user_id = m.user_id
        AND p.metric_type = m.metric_type AND m.started_at >= p.starts_at AND m.started_at < p.ends_at
      WHERE m.ended_at <= p.ends_at AND m.metric_type <> 'HKCategoryTypeIdentifierSleepAnalysis'
      """)
    #expect(half == "0", "\(comment)")
  }

  @Test(arguments: ["before-prune", "in-prune", "after-prune-1", "after-prune-7", "after-prune-20"])
  func isKilledAt(point: String) throws {
    defer { programs.remove() }
    let clean = try imported()
    let rows = try #require(try clean.value("SELECT count(*) FROM healthkit_metrics").flatMap(Int.init))
    #expect(try prune(clean).status == 0)
    let database = try imported()
    let killed = try prune(database, at: point)
    #expect(killed.status == 137, "\(killed.errors)")
    let marked = try database.value("SELECT count(DISTINCT metric_type) FROM hk2pg.pruned_days")
    #expect(marked == (point.hasPrefix("after-prune-") ? String(point.dropFirst(12)) : "0"))
    try expectWholeDays(database, rows: rows, point)
    let again = try prune(database)
    #expect(again.status == 0, "\(again.errors)")
    #expect(try contents(database) == contents(clean))
  }

  @Test func isKilledAtAnyMoment() throws {
    defer { programs.remove() }
    let clean = try imported()
    let rows = try #require(try clean.value("SELECT count(*) FROM healthkit_metrics").flatMap(Int.init))
    let start = Date()
    #expect(try prune(clean).status == 0)
    let seconds = Date().timeIntervalSince(start)
    var random = SplitMix(printing: "isKilledAtAnyMoment")
    for _ in 0..<PruneCrashTests.rounds {
      let moment = Double.random(in: 0..<seconds, using: &random)
      let database = try imported()
      _ = try prune(database, killAfter: moment)
      try expectWholeDays(database, rows: rows, "killed after \(moment) s")
      let again = try prune(database)
      #expect(again.status == 0, "\(again.errors)")
      #expect(try contents(database) == contents(clean), "killed after \(moment) s")
    }
  }
}
