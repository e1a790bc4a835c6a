import HealthModel
import Testing

@testable import HK2PGCommand

@Suite struct ProblemWordsTests {
  @Test(arguments: ProblemKind.allCases) func everyKindHasWords(_ kind: ProblemKind) {
    #expect(ProblemWords.text(kind) != nil)
  }
}
