import Testing

@testable import HK2PGCommand

@Suite struct RawArgumentsTests {
  @Test func optionsMayStandAnywhere() throws {
    let raw = try RawArguments(parsing: ["--jobs", "3", "import", "--user=ann", "export.zip", "--salvage"])
    #expect(raw.command == .importExport)
    #expect(raw.positionals == ["export.zip"])
    #expect(raw.value(.jobs) == "3")
    #expect(raw.value(.user) == "ann")
    #expect(raw.has(.salvage))
    #expect(!raw.has(.force))
  }

  @Test func valuesMayHoldEqualsSignsAndSingleDashes() throws {
    let raw = try RawArguments(parsing: ["load", "d", "--database=host=/run dbname=a", "--report", "-x.json"])
    #expect(raw.value(.database) == "host=/run dbname=a")
    #expect(raw.value(.report) == "-x.json")
  }

  @Test func lastOneCountsAndAllAreKept() throws {
    let raw = try RawArguments(parsing: ["import", "e", "--source-priority", "A", "--source-priority=B"])
    #expect(raw.value(.sourcePriority) == "B")
    #expect(raw.values[.sourcePriority] == ["A", "B"])
  }

  @Test func twoDashesEndTheOptionsAndOneIsAWord() throws {
    #expect(try RawArguments(parsing: ["import", "--", "--odd.zip"]).positionals == ["--odd.zip"])
    #expect(try RawArguments(parsing: ["import", "-"]).positionals == ["-"])
  }

  @Test(arguments: [
    (["db", "psql", "-c", "select 1", "--help"], ["-c", "select 1", "--help"]),
    (["db", "psql", "--", "-c", "x"], ["-c", "x"]), (["db", "psql"], []),
  ])
  func psqlTakesTheRest(_ words: [String], _ expected: [String]) throws {
    let raw = try RawArguments(parsing: words)
    #expect(raw.passedOn == expected)
    #expect(raw.positionals == ["psql"])
    #expect(!raw.wantsHelp)
  }

  @Test(arguments: [
    ["--help"], ["-h"], ["help"], ["import", "--help"], ["help", "import"], ["import", "--bogus", "-h"],
    ["import", "a", "b", "--help"],
  ])
  func helpWinsOverMistakes(_ words: [String]) throws {
    let raw = try RawArguments(parsing: words)
    #expect(raw.wantsHelp)
    #expect(raw.command == (words.contains("import") ? .importExport : nil))
  }

  @Test(arguments: [
    ([], UsageError.missingCommand),
    (["improt", "x.zip"], .unknownCommand("improt", nearest: "import")),
    (["import"], .missingPositional(.init(name: "EXPORT", choices: nil), .importExport)),
    (["import", "a", "b"], .extraPositional("b", .importExport)),
    (["import", "a", "postgres://u:pw@h/d"], .extraPositional("postgres://u:***@h/d", .importExport)),
    (["import", "a", "--timezon", "UTC"], .unknownOption("--timezon", .importExport, nearest: "--timezone")),
    (
      ["import", "a", "--databse=postgres://u:pw@h/d"],
      .unknownOption("--databse", .importExport, nearest: "--database")
    ),
    (["import", "a", "-q"], .unknownOption("-q", .importExport, nearest: nil)),
    (["import", "a", "--user"], .missingValue(.user, .importExport)),
    (["import", "a", "--user", "--json"], .missingValue(.user, .importExport)),
    (["--from", "--json", "query", "steps"], .missingValue(.from, .query)),
    (["--from"], .missingValue(.from, nil)),
    (["import", "a", "--json=yes"], .unexpectedValue(.json)),
    (["load", "d", "--timezone", "UTC"], .foreignOption(.timezone, .load)),
    (["db"], .missingPositional(.init(name: "ACTION", choices: ["start", "stop", "status", "url", "psql"]), .db)),
    (["db", "go"], .invalidValue(origin: "ACTION", value: "go", expected: "start, stop, status, url, psql")),
  ])
  func mistakes(_ words: [String], _ expected: UsageError) {
    #expect(throws: expected) { try RawArguments(parsing: words) }
  }
}
