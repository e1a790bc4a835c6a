import Testing

@testable import HK2PGCommand

@Suite struct TextTableTests {
  @Test func columnsLineUp() {
    var table = TextTable([("type", .left), ("rows", .right), ("", .left)])
    table.add(["a", "1,000", "x"])
    table.add(["long one", "5", ""])
    #expect(table.lines() == ["  type       rows", "  a         1,000  x", "  long one      5"])
  }

  @Test func withoutTitlesThereIsNoHead() {
    var table = TextTable([("", .right)])
    #expect(table.lines().isEmpty)
    table.add(["7"])
    #expect(table.lines(indent: 0) == ["7"])
  }

  @Test(arguments: [
    ("Ann’s iPhone", "Ann’s iPhone"), ("a\u{1B}[2Jb\n", "a?[2Jb?"), ("\u{202E}evil", "?evil"),
    (String(repeating: "x", count: 61), String(repeating: "x", count: 59) + "…"),
  ])
  func shown(_ text: String, _ expected: String) { #expect(text.shown() == expected) }
}
