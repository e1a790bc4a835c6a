import Testing

@testable import HK2PGCommand

@Suite struct HelpPageTests {
  @Test func overview() throws { try expectGolden(HelpPage.text(for: nil), "help.txt") }

  @Test(arguments: CommandName.allCases) func page(_ command: CommandName) throws {
    try expectGolden(HelpPage.text(for: command), "help-\(command.rawValue).txt")
  }

  @Test func linesFitTheWidth() {
    for page in CommandName.allCases.map(HelpPage.text) + [HelpPage.text(for: nil)] {
      for line in page.split(separator: "\n") { #expect(line.count <= 96, "\(line)") }
    }
  }

  @Test func everyExitCodeIsExplained() {
    for code in ExitCode.allCases {
      #expect(HelpPage.text(for: .importExport).contains("\(code.rawValue)".aligned(to: 5) + "  " + code.meaning))
    }
  }
}
