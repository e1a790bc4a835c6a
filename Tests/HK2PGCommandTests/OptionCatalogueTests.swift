import Testing

@testable import HK2PGCommand

@Suite struct OptionCatalogueTests {
  @Test(arguments: OptionName.allCases) func everyOptionIsDocumented(_ option: OptionName) {
    let help = option.definition.help
    #expect(help.count > 15)
    #expect(help.hasSuffix("."))
    #expect(option.definition.placeholder != "")
  }

  @Test(arguments: OptionName.allCases) func everyOptionBelongsToACommand(_ option: OptionName) {
    let owners = CommandName.allCases.filter { ($0.definition.options + OptionName.universal).contains(option) }
    #expect(!owners.isEmpty)
    for owner in owners { #expect(HelpPage.text(for: owner).contains(option.flag)) }
  }

  @Test(arguments: CommandName.allCases) func everyCommandIsDocumented(_ command: CommandName) {
    let definition = command.definition
    #expect(!definition.summary.isEmpty)
    #expect(!definition.examples.isEmpty)
    #expect(Set(definition.options).count == definition.options.count)
    #expect(HelpPage.text(for: nil).contains(definition.summary))
  }
}
