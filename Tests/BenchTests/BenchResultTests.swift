import Testing

@testable import Bench

struct BenchResultTests {
  private static func result(_ size: String, samples: Int, stage: Double) -> BenchResult {
    BenchResult(
      size: size, samples: samples, measurements: [Measurement(name: FigureName.stageXML, seconds: [stage])], goals: [])
  }

  @Test func growthComparesTheTimeOfASampleAtTheEnds() throws {
    let results = [
      BenchResultTests.result("4GB", samples: 8_000_000, stage: 12),
      BenchResultTests.result("0.1GB", samples: 200_000, stage: 1),
      BenchResultTests.result("1GB", samples: 2_000_000, stage: 2),
    ]
    let report = BenchReport(command: "bench", machine: Machine(postgres: "15.0"), results: results)
    let goal = try #require(report.growth.first)
    #expect(report.growth.count == 1)
    // 12 s / 8 million against 2 s / 2 million; the small size does not count.
    #expect(goal.measured == 1.5)
    #expect(!goal.isMet && !report.isMet)
    #expect(report.text.contains("MISSED stage .xml, time per sample at 4GB / at 1GB 1.50 × (at most 1.25)"))
    #expect(report.text.hasSuffix("Repeat with: bench"))
  }

  @Test func oneSizeHasNoGrowth() {
    let report = BenchReport(
      command: "bench", machine: Machine(postgres: "15.0"),
      results: [BenchResultTests.result("1GB", samples: 2_000_000, stage: 2)])
    #expect(report.growth.isEmpty && report.isMet)
  }
}
