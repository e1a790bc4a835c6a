import DailySummaries
import Testing

@testable import HK2PGCommand

@Suite struct FailureUsageTests {
  @Test(arguments: [
    (UsageError.missingCommand, "no command given", "See: hk2pg --help"),
    (.unknownCommand("improt", nearest: "import"), "there is no command “improt”", "Did you mean: hk2pg import"),
    (.unknownCommand("quux", nearest: nil), "there is no command “quux”", "Commands: hk2pg --help"),
    (
      .unknownOption("--usr", .importExport, nearest: "--user"), "unknown option --usr",
      "Did you mean --user? All options: hk2pg import --help"
    ),
    (.unknownOption("--x", nil, nearest: nil), "unknown option --x", "Options: hk2pg --help"),
    (
      .foreignOption(.into, .importExport), "hk2pg import has no option --into",
      "It belongs to: stage, dump. Options: hk2pg import --help"
    ),
    (
      .missingValue(.user, nil), "--user needs a value",
      "Write --user ID, or --user=… where the value begins with dashes."
    ),
    (
      .missingValue(.from, .query), "--from needs a value",
      "Write --from DATE, or --from=… where the value begins with dashes."
    ),
    (
      .missingValue(.from, .migrate), "--from needs a value",
      "Write --from URL, or --from=… where the value begins with dashes."
    ),
    (
      .missingValue(.days, .query), "--days needs a value",
      "Write --days N, or --days=… where the value begins with dashes."
    ),
    (.unexpectedValue(.json), "--json takes no value", "Write it alone: --json"),
    (
      .missingPositional(.init(name: "EXPORT", choices: nil), .inspect), "hk2pg inspect needs EXPORT",
      "See: hk2pg inspect --help"
    ),
    (
      .missingPositional(.init(name: "ACTION", choices: ["start", "stop"]), .db), "hk2pg db needs ACTION (start, stop)",
      "See: hk2pg db --help"
    ),
    (
      .extraPositional("b", .load), "“b” is one argument too many for hk2pg load",
      "Quote a path with blanks. See: hk2pg load --help"
    ),
    (
      .extraPositional("postgres://h", .load), "“postgres://h” is one argument too many for hk2pg load",
      "Name a database with --database URL."
    ),
    (
      .invalidValue(origin: "--jobs", value: "x", expected: "a number"), "--jobs cannot be “x”", "Expected: a number."
    ),
    (.invalidValue(origin: "--user", value: nil, expected: "text"), "--user is not understood", "Expected: text."),
    (.missingOption(.into, .stage), "hk2pg stage needs --into DIR", "See: hk2pg stage --help"),
    (.exclusiveOptions(.print, .apply), "--print and --apply exclude each other", "Give one of them."),
    (
      .exclusiveOptions(.report, .rejects), "--report and --rejects name the same file", "Give them different names."
    ),
    (
      .missingFolder(.report, path: "a/b"), "the folder of --report a/b does not exist", "Make it, or name another one."
    ),
    (
      .notWritable(.report, path: "a", reason: "it is a folder"), "cannot write --report a: it is a folder",
      "Name another file."
    ),
    (
      .zone(.unknownZone("berlin", folder: "/z")), "there is no time zone “berlin”", "Did you mean Europe/Berlin?"
    ),
    (
      .sourcePriority(.doubledSource("Ann’s", type: "")),
      "--source-priority: a source stands twice in the list for all types",
      #"Write "A,B" for all types, or "TYPE=A,B;TYPE2=C"; a backslash keeps , ; and = in a name."#
    ),
    (
      .sourcePriority(.unknownType("Steps")),
      "--source-priority: “Steps” is no metric type, they begin with HK",
      #"Write "A,B" for all types, or "TYPE=A,B;TYPE2=C"; a backslash keeps , ; and = in a name."#
    ),
    (
      .userFile(path: "/u", reason: "it cannot be read"), "the user id is kept in /u, but it cannot be read",
      "Name the user with --user ID or HEALTHKIT_USER_ID, or repair the file."
    ),
  ])
  func sentence(_ error: UsageError, _ what: String, _ next: String) {
    #expect(Failure(error) == Failure(.usage, what, next: next))
  }
}
