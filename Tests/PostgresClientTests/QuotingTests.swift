import PostgresClient
import TestSupport
import Testing

@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)))
struct QuotingTests {
  static let texts = [
    "", "a", "it's", "''", #"back\slash"#, #"\'"#, #"quo"te"#, "ü\u{301}", "'\u{301}", "$1; --", "\n",
  ]

  @Test func literalsAreReadBackUnchanged() throws {
    let database = try TestDatabase()
    for strings in ["on", "off"] {
      try database.execute("SET standard_conforming_strings = \(strings); SET escape_string_warning = off")
      for text in QuotingTests.texts {
        #expect(try database.value("SELECT \(SQLText.literal(text))") == text)
      }
    }
  }

  @Test func identifiersAreReadBackUnchanged() throws {
    let database = try TestDatabase()
    for text in QuotingTests.texts where !text.isEmpty {
      #expect(try database.query("SELECT 1 AS \(SQLText.identifier(text))").columnNames == [text])
    }
    #expect(SQLText.identifier("hk2pg", "a\"b") == #""hk2pg"."a""b""#)
  }
}
