import BoundedQueues
import Testing

@Suite struct GuardedTests {
  @Test func noUpdateIsLostBetweenThreads() throws {
    let numbers = Guarded<[Int: Int]>([:])
    let stage: @Sendable () throws -> Void = {
      for number in 0..<2000 { numbers.withLock { $0[number % 7, default: 0] += 1 } }
    }
    try runStages(Array(repeating: stage, count: 4), onFailure: {})
    #expect(numbers.withLock { $0 } == [0: 1144, 1: 1144, 2: 1144, 3: 1144, 4: 1144, 5: 1140, 6: 1140])
  }

  @Test func anErrorLeavesTheLockOpen() {
    let value = Guarded(1)
    #expect(throws: Interrupted.self) {
      try value.withLock { value in
        value = 2
        throw Interrupted()
      }
    }
    #expect(value.withLock { $0 } == 2)
  }
}
