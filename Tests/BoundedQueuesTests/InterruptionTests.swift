import BoundedQueues
import Testing

@Suite struct InterruptionTests {
  @Test func theFirstSignalDecides() {
    let interruption = Interruption()
    #expect(interruption.signal == nil)
    #expect(throws: Never.self) { try interruption.check() }
    interruption.request(signal: 2)
    interruption.request(signal: 15)
    #expect(interruption.signal == 2)
    #expect(throws: Interrupted.self) { try interruption.check() }
  }
}
