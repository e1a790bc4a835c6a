import HealthModel
import ImportFlow
import Testing

@testable import HK2PGCommand
@testable import Loading

/// What `hk2pg summarize` and `hk2pg prune` tell.
@Suite struct TierReportTests {
  private let database = "health on localhost:5432 as ann"
  private let steps = "HKQuantityTypeIdentifierStepCount"

  private var summarized: SummarizeReport {
    var outcome = SummarizeOutcome()
    outcome.zone = "Europe/Berlin"
    outcome.formerZone = "America/New_York"
    outcome.sourceRanking = ["Ann’s Watch", "Ann’s iPhone"]
    outcome.unmatchedNames = ["Pedometer"]
    (outcome.rows, outcome.types, outcome.leftOutRows) = (2_400_113, 61, 3)
    (outcome.recomputed, outcome.written, outcome.unchanged, outcome.kept, outcome.removed) = (90_412, 17, 90_393, 2, 4)
    (outcome.prunedDays, outcome.withheldDays) = (120, 1)
    return SummarizeReport(
      TierResult(database: database, user: "ann", outcome: outcome, zoneOrigin: "--timezone", seconds: 7.26))
  }

  private func pruned(_ change: (inout PruneOutcome) -> Void = { _ in }) -> PruneReport {
    var outcome = PruneOutcome()
    outcome.zone = "Europe/Berlin"
    outcome.firstKeptDay = CivilDay(year: 2025, month: 10, day: 31)
    outcome.types = [
      PrunedType(metricType: "HKQuantityTypeIdentifierHeartRate", rows: 1_310_720, days: 2900),
      PrunedType(metricType: steps, rows: 410_000, days: 2901),
    ]
    outcome.skipped = (1...12).map {
      SkippedDay(
        metricType: steps, day: CivilDay(year: 2025, month: 9, day: $0),
        reason: [.differs, .noSummary, .leftOutRows, .changing][$0 % 4], rows: 140)
    }
    outcome.reusableBytes = 740_000_000
    outcome.table = "public.healthkit_metrics"
    outcome.isVacuumed = true
    change(&outcome)
    return PruneReport(
      TierResult(database: database, user: "ann", outcome: outcome, zoneOrigin: "", seconds: 12.4), keptDays: 30)
  }

  @Test func goldens() throws {
    try expectGolden(summarized.text(), "summarize.txt")
    try expectGolden(try ReportJSON.text(summarized), "summarize.json")
    try expectGolden(pruned().text(), "prune.txt")
    try expectGolden(try ReportJSON.text(pruned { $0.skipped.removeLast(10) }), "prune.json")
    try expectGolden(
      pruned { ($0.isDryRun, $0.isVacuumed, $0.isLimitedByExport) = (true, false, true) }.text(), "prune-dry-run.txt")
  }

  @Test func nothingToPrune() {
    let text = pruned { $0 = PruneOutcome() }.text()
    #expect(text.contains("hk2pg has imported nothing for this user"))
    #expect(!text.contains("VACUUM"))
  }

  @Test func whoMayNotVacuumIsTold() {
    #expect(pruned { $0.isVacuumed = false }.text().contains("autovacuum will"))
  }
}
