import BoundedQueues
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20)))
struct BoundedQueueTests {
  @Test func deliversInOrderAndEnds() throws {
    let queue = BoundedQueue<Int>(capacity: 3)
    let received = Collected()
    try runStages(
      [
        {
          for i in 0..<1000 { queue.send(i) }
          queue.finish()
        },
        { while let i = queue.receive() { received.append(i) } },
      ], onFailure: { queue.cancel() })
    #expect(received.values == Array(0..<1000))
  }

  @Test func holdsTheSenderBackAtCapacity() throws {
    let queue = BoundedQueue<Int>(capacity: 2)
    let sent = Collected()
    try runStages(
      [
        {
          for i in 0..<10 {
            queue.send(i)
            sent.append(i)
          }
          queue.finish()
        },
        {
          Thread.sleep(forTimeInterval: 0.2)
          #expect(sent.values.count == 2, "the sender runs at most `capacity` ahead")
          while queue.receive() != nil {}
        },
      ], onFailure: { queue.cancel() })
    #expect(sent.values.count == 10)
  }

  @Test func cancelWakesBothSides() throws {
    struct Broken: Error {}
    let full = BoundedQueue<Int>(capacity: 1)
    let empty = BoundedQueue<Int>(capacity: 1)
    #expect(throws: Broken.self) {
      try runStages(
        [
          { while full.send(1) {} },
          { #expect(empty.receive() == nil) },
          {
            Thread.sleep(forTimeInterval: 0.05)
            throw Broken()
          },
        ],
        onFailure: {
          full.cancel()
          empty.cancel()
        })
    }
  }

  @Test func cancelInATightLoopNeverHangs() throws {
    for _ in 0..<200 {
      let queue = BoundedQueue<Int>(capacity: 1)
      try runStages(
        [
          { while queue.send(1) {} },
          { while queue.receive() != nil {} },
          { queue.cancel() },
        ], onFailure: { queue.cancel() })
    }
  }
}

final class Collected: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: [Int] = []
  func append(_ value: Int) { lock.withLock { stored.append(value) } }
  var values: [Int] { lock.withLock { stored } }
}
