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

  @Test func aSlowFirstCallMissesTheGoal() throws {
    var quick = ToolAnswer(call: "get_sleep")
    quick.first.seconds = [0.19, 0.9, 0.1]
    quick.later.seconds = [0.05]
    quick.byteCount = 2_400
    var tools = ToolResult(size: "2GB", samples: 7, answers: [quick])
    func report() -> BenchReport {
      BenchReport(command: "bench", machine: Machine(postgres: "15.0"), results: [], tools: tools)
    }
    #expect(report().isMet)
    #expect(report().text.contains("  met       190.0    50.0     2.4  get_sleep\n"))
    var slow = ToolAnswer(call: "list_metrics")
    slow.first.seconds = [0.201]
    slow.later.seconds = [0.001]
    tools.answers.append(slow)
    #expect(!report().isMet)
    #expect(report().text.contains("  MISSED    201.0     1.0     0.0  list_metrics\n"))
    // A call that was not measured meets nothing.
    tools.answers = [ToolAnswer(call: "get_sleep")]
    #expect(!report().isMet)
  }

  @Test func callsAreNamedByWhatTheyAsk() {
    let calls = ToolCall.all(today: "2024-01-10", first: "2014-01-05", middle: "2019-01-05")
    #expect(calls.contains { $0.description == "query_metric metric_type=steps days=3660 limit=1000" })
    #expect(Set(calls.map(\.description)).count == calls.count)
  }
}
