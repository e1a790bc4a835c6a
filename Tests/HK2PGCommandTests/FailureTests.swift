import BoundedQueues
import Testing

@testable import HK2PGCommand

@Suite struct FailureTests {
  @Test func interruptionIsSafeToRepeat() {
    #expect(Failure(Interrupted(), signal: 2).code == .interrupted)
    #expect(Failure(Interrupted(), signal: 15).code == .terminated)
    #expect(
      Failure(Interrupted(), signal: 2).text(isDebug: false)
        == "hk2pg: interrupted; nothing is half done, it is safe to run again\n")
    #expect(Failure(Interrupted(), signal: 15).text(isDebug: true).contains("SIGTERM"))
  }

  @Test func detailNeedsDebug() {
    let failure = Failure(.failed, "what", next: "Next.", detail: "Key (value)=(61)\nmore")
    #expect(failure.text(isDebug: false) == "hk2pg: error: what\n       Next.\n")
    #expect(
      failure.text(isDebug: true)
        == "hk2pg: error: what\n       Next.\n       debug: Key (value)=(61)\n       debug: more\n")
  }

  @Test func unknownErrorsShowTheirTypeAlone() {
    struct OddError: Error { var value = "61 bpm" }
    let failure = Failure(OddError())
    #expect(failure.code == .failed)
    #expect(failure.text(isDebug: false).contains("OddError"))
    #expect(!failure.text(isDebug: false).contains("61"))
    #expect(failure.text(isDebug: true).contains("61 bpm"))
  }
}
