import HealthModel
import Testing

@testable import Queries

@Suite struct TierPlanTests {
  private func day(_ number: Int) -> CivilDay { QueriesFixture.day(6, number) }

  @Test func candidatesAreOpenDaysAndGaps() {
    let plan = TierPlan(
      newestExportDay: day(8), summarized: [day(1): 5, day(2): 5, day(5): 5, day(8): 5, day(9): 5],
      isPruned: { [pruned = day(4)] in $0 == pruned })
    #expect(plan.candidates(day(1)...day(10)) == [day(3)...day(3), day(6)...day(10)])
    #expect(plan.candidates(day(1)...day(2)).isEmpty)
  }

  @Test func withoutAnExportAllDaysAreOpen() {
    let plan = TierPlan(newestExportDay: nil, summarized: [day(1): 5], isPruned: { _ in false })
    #expect(plan.candidates(day(1)...day(3)) == [day(1)...day(3)])
    #expect(plan.prefersRaw(day(1), sampleCount: 5) && !plan.prefersRaw(day(1), sampleCount: 4))
    #expect(plan.prefersRaw(day(2), sampleCount: 0))
  }
}
