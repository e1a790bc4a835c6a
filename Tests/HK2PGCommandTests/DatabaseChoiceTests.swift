import Testing

@testable import HK2PGCommand

@Suite struct DatabaseChoiceTests {
  private func choice(_ words: [String], _ variables: [String: String]) throws -> DatabaseChoice {
    try DatabaseChoice(
      RawArguments(parsing: ["load", "d"] + words),
      Surroundings(variables: variables, coreCount: 2, homeFolder: "/home/ann"))
  }

  @Test func flagBeatsURLBeatsLibpqBeatsCluster() throws {
    let all = ["DATABASE_URL": "postgres://url/d", "PGHOST": "h"]
    #expect(try choice(["--database", "postgres://flag/d"], all).conninfo == "postgres://flag/d")
    #expect(try choice([], all).conninfo == "postgres://url/d")
    #expect(try choice([], ["PGHOST": "h"]).conninfo == "")
    #expect(try choice([], ["PGSERVICE": "s"]).origin == .libpq)
    #expect(try choice([], ["PGDATABASE": "d"]).origin == .libpq)
    #expect(try choice([], ["PGPORT": "5433", "PGUSER": "ann"]).conninfo == nil)
    #expect(try choice([], [:]).origin == .cluster)
  }

  /// libpq would take what follows the first @ for the host, and messages name hosts.
  @Test func aPasswordWithAnAtSignIsRefusedUnread() {
    #expect(
      throws: UsageError.invalidValue(
        origin: "--database", value: nil, expected: "a URL in which a password's @ is written %40")
    ) { try choice(["--database", "postgres://bob:s3cr@etpw@127.0.0.1:1/x"], [:]) }
    #expect(throws: Never.self) { try choice(["--database", "postgres://bob:s3cr%40etpw@127.0.0.1/x?a=b@c"], [:]) }
  }

  @Test func emptyVariablesAreNotSet() throws {
    #expect(try choice([], ["DATABASE_URL": "", "PGHOST": ""]).conninfo == nil)
  }

  @Test(arguments: [
    "postgres://h/d", "postgresql://u:p@h:5432/d?sslmode=require", "dbname=d", " host = h dbname=d ", "service=x",
  ])
  func acceptsWhatLibpqReads(_ text: String) throws {
    #expect(try choice(["--database=" + text], [:]).conninfo == text.trimmingWhitespace())
  }

  @Test(arguments: ["", "health", "mysql://u:pw@h/d", "postgresql+psycopg2://u:pw@h/d", "u:pw@h/d?x=y"])
  func refusesOthersWithoutRepeatingThem(_ text: String) throws {
    for (words, variables, origin) in [
      (["--database=" + text], [:], "--database"), ([], ["DATABASE_URL": text], "DATABASE_URL"),
    ] where !(text.isEmpty && words.isEmpty) {
      let error = #expect(throws: UsageError.self) { try choice(words, variables) }
      let sentence = Failure(usage: try #require(error)).text(isDebug: true)
      #expect(sentence.contains(origin))
      #expect(!sentence.contains("pw"))
    }
  }
}
