import BoundedQueues
import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import ImportFlow

/// Damaged exports into a real database: what a strict import refuses leaves no row, what it accepts adds up.
///
/// `HK2PG_TEST_FUZZ=100000` imports a hundredth of that number, HK2PG_TEST_SEED repeats a run.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)))
struct FuzzImportTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let rounds = max(20, (environment["HK2PG_TEST_FUZZ"].flatMap { Int($0) } ?? 0) / 100)
  private static let firstSeed =
    environment["HK2PG_TEST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)

  @Test func aFailedStrictImportLeavesNoRow() throws {
    print("FuzzImportTests: HK2PG_TEST_SEED=\(Self.firstSeed)")
    let database = try TestDatabase()
    let files = try TemporaryFolder()
    // The tables are made here, so that a refusal is seen to leave nothing in them.
    #expect(try load(Array(DamagedExport.export.utf8), user: "whole", files, database) != nil)
    var (accepted, refused) = (0, 0)
    for round in 0..<UInt64(Self.rounds) {
      let seed = Self.firstSeed &+ round
      let user = "fuzz-\(round)"
      if let written = try load(DamagedExport.damaged(seed: seed), user: user, files, database) {
        #expect(try rows(user, database) == written, "HK2PG_TEST_SEED=\(seed)")
        accepted += 1
      } else {
        #expect(try rows(user, database) == 0, "HK2PG_TEST_SEED=\(seed)")
        refused += 1
      }
    }
    #expect(accepted > 0 && refused > 0, "\(accepted) accepted, \(refused) refused")
    // Neither tables of unfinished imports, nor summaries of refused ones.
    #expect(
      try database.value("SELECT count(*) FROM pg_class WHERE relname LIKE 'incoming%' AND relkind = 'r'") == "0")
    #expect(
      try database.value(
        """
        SELECT count(DISTINCT user_id) FROM healthkit_daily_summaries s
        WHERE NOT EXISTS (SELECT FROM healthkit_metrics m WHERE m.user_id = s.user_id)
        """) == "0")
  }

  /// The number of rows written; nil when the import was refused.
  private func load(_ bytes: [UInt8], user: String, _ files: TemporaryFolder, _ database: TestDatabase) throws -> Int? {
    let path = try files.write("export.xml", bytes)
    var settings = ImportSettings(exportPath: path, user: user, isUserExplicit: true, jobs: 1)
    settings.timezone = "Europe/London"
    settings.stagingPath = "\(files.path)/staging"
    settings.conninfo = database.conninfo
    do {
      let report = try ImportFlow.importExport(settings, interruption: Interruption(), progress: { _ in })
      #expect(report.samples.isBalanced, "\(report.samples)")
      return report.samples.written
    } catch {
      #expect(!(error is PostgresError), "\(error)")
      return nil
    }
  }

  private func rows(_ user: String, _ database: TestDatabase) throws -> Int {
    Int(try database.value("SELECT count(*) FROM healthkit_metrics WHERE user_id = '\(user)'") ?? "") ?? -1
  }
}
