import Testing

@testable import HK2PGCommand

@Suite struct SourcePriorityListTests {
  @Test(
    arguments: [
      ([], [:]),
      (["Watch, Phone"], ["": ["Watch", "Phone"]]),
      (["T1=A,B;T2=C"], ["T1": ["A", "B"], "T2": ["C"]]),
      (["X", "T1=A"], ["": ["X"], "T1": ["A"]]),
      ([#"Ann\, big;T=a\=b\;c\\"#], ["": ["Ann, big"], "T": [#"a=b;c\"#]]),
    ] as [([String], [String: [String]])])
  func understands(_ texts: [String], _ expected: [String: [String]]) throws {
    #expect(try SourcePriorityList(parsing: texts).ranks == expected)
  }

  @Test(arguments: ["", "A,", "T=", "=A", "A,A", "T=A;T=B", "a b=C", "T=A=B"])
  func refuses(_ text: String) {
    #expect(throws: UsageError.self) { try SourcePriorityList(parsing: [text]) }
  }
}
