import HealthModel
import Testing

@testable import HK2PGCommand

@Suite struct ProblemWordsTests {
  @Test(arguments: ProblemKind.allCases) func everyKindHasWords(_ kind: ProblemKind) {
    for count in [1, 2] {
      let text = ProblemWords.text(kind, count: count)
      #expect(text != nil && text?.contains { "{|}".contains($0) } == false)
    }
  }

  @Test func wordsFitTheirNumber() {
    #expect(ProblemWords.text(.dateInFuture, count: 1) == "sample that lies in the future")
    #expect(ProblemWords.text(.dateInFuture, count: 2) == "samples that lie in the future")
    #expect(ProblemWords.text(.missingEnd, count: 1) == "sample without an end, stored as ending at its start")
    #expect(ProblemWords.text(.salvagedTear, count: 0) == "torn places; what they held is missing")
  }
}
