import Testing

@testable import Pipelines

@Suite struct ReferenceTextTests {
  private func expand(_ text: String, _ variables: [String: String] = [:]) throws -> String {
    try #require(ReferenceText(text)).expanded { variables[$0] }
  }

  @Test func variablesAreReplaced() throws {
    #expect(try expand("plain") == "plain")
    #expect(try expand("${A}", ["A": "1"]) == "1")
    #expect(try expand("x${A}y${B}", ["A": "1", "B": "${A}"]) == "x1y${A}")
    #expect(try expand("${A:-two}") == "two")
    #expect(try expand("${A:-two}", ["A": "1"]) == "1")
    #expect(try expand("${A:-}") == "")
    #expect(try expand("$A $${A} $") == "$A ${A} $")
  }

  @Test func aMissingOrEmptyOneIsAnErrorThatNamesIt() {
    #expect(throws: ReferenceText.MissingVariable(name: "B")) { try expand("${A}${B}", ["A": "1"]) }
    #expect(throws: ReferenceText.MissingVariable(name: "A")) { try expand("${A}", ["A": ""]) }
  }

  @Test(arguments: ["${", "${}", "${A", "${1A}", "${A B}", "${:-x}", "${Ä}"]) func badReferences(_ text: String) {
    #expect(ReferenceText(text) == nil)
  }

  @Test func ownTextLeavesValuesOut() throws {
    let text = try #require(ReferenceText("postgres://ann:${PW}@h/${D:-health}"))
    #expect(text.ownText == "postgres://ann:@h/health")
    #expect(text.names == ["PW", "D"])
  }
}
