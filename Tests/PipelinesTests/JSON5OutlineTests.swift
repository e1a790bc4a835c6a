import Testing

@testable import Pipelines

@Suite struct JSON5OutlineTests {
  private func outline(_ text: String) -> JSON5Outline { JSON5Outline(Array(text.utf8)) }

  @Test func everyKeyHasItsLine() {
    let found = outline(
      """
      // a comment with { and "
      {
        steps: ["import",
          { run: 'prune', "older_than": "30d" }, ],
        /* two
           lines */ source_priority: { all: ["A\\"", "B"], },
        jobs: +2, }
      """)
    #expect(found.fault == nil && found.doubled == nil)
    #expect(
      found.lines == [
        "": 2, "steps": 3, "steps[0]": 3, "steps[1]": 4, "steps[1].run": 4, "steps[1].older_than": 4,
        "source_priority": 6, "source_priority.all": 6, "source_priority.all[0]": 6, "source_priority.all[1]": 6,
        "jobs": 7,
      ])
  }

  @Test(arguments: [
    ("{\n a: 1\n b: 2\n}", 3, PipelineFileError.Fault.missingComma),
    ("{\n a 1 }", 2, .missingColon("a")), ("{\n\n a: }", 3, .unexpected("}")), ("", 1, .endsEarly),
    ("{ a: [1,\n 2", 2, .unclosed("[", line: 1)), ("{ a: 'x\n' }", 1, .unclosedString),
    ("{ a: \"x", 1, .unclosedString),
    ("{} x", 1, .unexpected("x")), ("/* { }", 1, .unclosed("/*", line: 1)), ("{ a: 1,, b: 2 }", 1, .unexpected(",")),
    ("{\n  a: 1,\n", 3, .unclosed("{", line: 1)),
  ])
  func faults(_ text: String, _ line: Int, _ reason: PipelineFileError.Fault) {
    let fault = outline(text).fault
    #expect(fault?.reason == reason && fault?.line == line)
  }

  @Test func doubledKeysAreFound() {
    let found = outline("{ a: { b: 1,\n b: 2 }, c: 1, c: 2 }")
    #expect(found.doubled?.path == "a.b" && found.doubled?.line == 2)
    #expect(outline("{ a: { b: 1 }, c: { b: 2 } }").doubled == nil)
  }

  @Test func depthIsLimited() {
    #expect(outline(String(repeating: "[", count: 5000)).fault?.reason == .tooDeep)
  }

  /// Whatever is cut off, it ends, and says where.
  @Test func everyPrefixEnds() {
    let text = "{ a: ['x', /* c */ {b: 1.5e3}], // d\n 'e f': null }"
    for count in 0..<text.utf8.count {
      #expect(outline(String(decoding: Array(text.utf8).prefix(count), as: UTF8.self)).fault != nil, "\(count)")
    }
    #expect(outline(text).fault == nil)
  }
}
