import Testing

@testable import HK2PGCommand

@Suite struct ExitCodeTests {
  @Test func numbersAreAContract() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 130, 143])
    #expect(ExitCode.done.rawValue == 0 && ExitCode.failed.rawValue == 1 && ExitCode.usage.rawValue == 2)
    #expect(ExitCode.doneWithRejects.rawValue == 3 && ExitCode.refused.rawValue == 4)
    #expect(ExitCode.busy.rawValue == 5)
    #expect(ExitCode.signal(2) == .interrupted && ExitCode.signal(15) == .terminated)
  }
}
