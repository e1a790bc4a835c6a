import Testing

@testable import ImportFlow

@Suite struct MergePlanTests {
  @Test func smallTypesShareATask() {
    #expect(MergePlan(recordCounts: [1, 2, 3], samplesPerTask: 10).tasks == [0..<3])
  }

  @Test func largeTypesStandAlone() {
    let plan = MergePlan(recordCounts: [5, 50, 5, 4, 60, 1], samplesPerTask: 10)
    #expect(plan.tasks == [0..<1, 1..<2, 2..<4, 4..<5, 5..<6])
    #expect(plan.schedule == [3, 1, 2, 0, 4])
  }

  @Test func everyTypeIsInExactlyOneTask() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<100 {
      let typeCount = Int.random(in: 0...40, using: &generator)
      let counts = (0..<typeCount).map { _ in Int.random(in: 1...30, using: &generator) }
      let plan = MergePlan(recordCounts: counts, samplesPerTask: 25)
      #expect(plan.tasks.flatMap { Array($0) } == Array(counts.indices), "counts: \(counts)")
      #expect(plan.schedule.sorted() == Array(plan.tasks.indices), "counts: \(counts)")
    }
  }
}
