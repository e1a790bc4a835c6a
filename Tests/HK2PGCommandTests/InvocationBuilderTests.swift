import DailySummaries
import Foundation
import HealthModel
import ImportFlow
import Queries
import Testing

@testable import HK2PGCommand

@Suite struct InvocationBuilderTests {
  private func build(_ words: [String], _ variables: [String: String] = [:]) throws -> Invocation {
    var variables = variables
    if variables["HEALTHKIT_USER_ID"] == nil { variables["HEALTHKIT_USER_ID"] = "ann" }
    var builder = InvocationBuilder(
      try RawArguments(parsing: words), Surroundings(variables: variables, coreCount: 7, homeFolder: "/nowhere"))
    return try builder.build()
  }

  private func importSettings(_ words: [String]) throws -> ImportSettings {
    guard case .importExport(let settings, _) = try build(["import", "export.zip"] + words).command else {
      throw UsageError.missingCommand
    }
    return settings
  }

  @Test func defaults() throws {
    let settings = try importSettings([])
    #expect(settings.exportPath == "export.zip")
    #expect(settings.conninfo == nil)
    #expect(settings.user == "ann" && settings.isUserExplicit)
    #expect(settings.timezone == nil && settings.rawWindowDays == nil && settings.maxRejects == nil)
    #expect(settings.jobs == 7)
    #expect(!settings.isSalvage && !settings.isForced && !settings.isNoWait && !settings.keepsChunks)
    #expect(settings.sourcePriority == nil && settings.missingRows == .automatic)
    #expect(settings.rejectsPath == nil && settings.stagingPath == nil)
    #expect(try build(["import", "e"]).output == OutputSettings())
  }

  @Test func everyOptionArrives() throws {
    try withFolder { folder throws in
      let words = [
        "--database", "postgres://h/d", "--user", "bob", "--timezone", "America/Argentina/Buenos_Aires", "--jobs=2",
        "--raw-window", "45d", "--salvage", "--source-priority", "A", "--missing-rows", "remove", "--rejects",
        folder + "/r.jsonl", "--max-rejects", "0", "--force", "--no-wait", "--staging", folder, "--keep-chunks",
        "--progress=plain", "--quiet", "--json", "--debug", "--report", folder + "/r.json",
      ]
      let settings = try importSettings(words)
      #expect(settings.conninfo == "postgres://h/d" && settings.user == "bob" && settings.jobs == 2)
      #expect(settings.timezone == "America/Argentina/Buenos_Aires" && settings.rawWindowDays == 45)
      #expect(settings.isSalvage && settings.isForced && settings.isNoWait && settings.keepsChunks)
      #expect(settings.sourcePriority == ["": ["A"]] && settings.missingRows == .remove)
      #expect(settings.rejectsPath == folder + "/r.jsonl" && settings.maxRejects == 0)
      #expect(settings.stagingPath == folder)
      let output = try build(["import", "e"] + words).output
      #expect(output.progress == .plain && output.isQuiet && output.isJSON && output.isDebug)
      #expect(output.reportPath == folder + "/r.json")
    }
  }

  @Test(arguments: [
    (["--jobs", "0"], "--jobs"), (["--jobs", "two"], "--jobs"), (["--jobs", "+2"], "--jobs"),
    (["--max-rejects=-1"], "--max-rejects"), (["--raw-window", "30"], "--raw-window"),
    (["--raw-window", "0d"], "--raw-window"), (["--raw-window", "-3d"], "--raw-window"),
    (["--missing-rows", "automatic"], "--missing-rows"), (["--progress", "loud"], "--progress"),
    (["--staging="], "--staging"),
  ])
  func refusesValues(_ words: [String], _ origin: String) {
    let error = #expect(throws: UsageError.self) { try importSettings(words) }
    guard case .invalidValue(origin, _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: ["../../etc/passwd", "", "europe/berlin", "CET-1CEST"]) func zonesAreCheckedFirst(_ name: String) {
    let error = #expect(throws: UsageError.self) { try importSettings(["--timezone=" + name]) }
    guard case .zone = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func sourcePrioritiesAddUp() throws {
    let words = ["--source-priority", "A,B", "--source-priority", "HKX=C"]
    #expect(try importSettings(words).sourcePriority == ["": ["A", "B"], "HKX": ["C"]])
    #expect(try importSettings(["--source-priority", ""]).sourcePriority == [:])
    #expect(throws: UsageError.sourcePriority(.doubledType("HKX"))) {
      try importSettings(words + ["--source-priority=HKX=D"])
    }
    #expect(throws: UsageError.sourcePriority(.unknownType("Steps"))) {
      try importSettings(["--source-priority=Steps=D"])
    }
  }

  @Test func filesToWriteAreCheckedFirst() throws {
    try withFolder { folder throws in
      #expect(throws: UsageError.missingFolder(.report, path: folder + "/no/r.json")) {
        try build(["import", "e", "--report", folder + "/no/r.json"])
      }
      #expect(throws: UsageError.notWritable(.rejects, path: folder, reason: "it is a folder")) {
        try build(["import", "e", "--rejects", folder])
      }
      try Data().write(to: URL(filePath: folder + "/e.xml"))
      #expect(throws: UsageError.notWritable(.report, path: folder + "/e.xml", reason: "it is the export")) {
        try build(["import", folder + "/e.xml", "--report", folder + "/e.xml"])
      }
      #expect(throws: UsageError.exclusiveOptions(.report, .rejects)) {
        try build(["import", "e", "--report", folder + "/x", "--rejects", folder + "/x"])
      }
    }
  }

  @Test func aNewUserIdIsTold() throws {
    try withFolder { home throws in
      let around = Surroundings(variables: [:], coreCount: 2, homeFolder: home)
      var first = InvocationBuilder(try RawArguments(parsing: ["import", "e"]), around)
      _ = try first.build()
      #expect(first.notes.count == 1 && first.notes[0].contains(home + "/.config/hk2pg/user-id"))
      var second = InvocationBuilder(try RawArguments(parsing: ["import", "e"]), around)
      _ = try second.build()
      #expect(second.notes.isEmpty)
    }
  }

  @Test(arguments: [["inspect", "e"], ["load", "d"], ["status"], ["import", "e", "--jobs", "x"]])
  func noUserIdIsMadeWithoutNeed(_ words: [String]) throws {
    try withFolder { home throws in
      var builder = InvocationBuilder(
        try RawArguments(parsing: words), Surroundings(variables: [:], coreCount: 2, homeFolder: home))
      _ = try? builder.build()
      #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty)
    }
  }

  @Test func stageNeedsAFolder() throws {
    #expect(throws: UsageError.missingOption(.into, .stage)) { try build(["stage", "e"]) }
    guard case .stage(let settings, into: "out") = try build(["stage", "e", "--into", "out"]).command else {
      Issue.record("not a stage")
      return
    }
    #expect(settings.exportPath == "e" && settings.user == "ann")
  }

  @Test func schemaPrintsUnlessTold() throws {
    guard case .schemaPrint = try build(["schema"]).command else { return #expect(Bool(false)) }
    guard case .schemaApply(let database) = try build(["schema", "--apply", "--database", "dbname=d"]).command else {
      return #expect(Bool(false))
    }
    #expect(database.conninfo == "dbname=d")
    #expect(throws: UsageError.exclusiveOptions(.print, .apply)) { try build(["schema", "--print", "--apply"]) }
  }

  @Test func statusNarrowsByFlagOnly() throws {
    guard case .status(_, user: nil, isCleaning: false) = try build(["status"]).command else {
      return #expect(Bool(false))
    }
    guard case .status(_, user: "bob", isCleaning: true) = try build(["status", "--user=bob", "--clean"]).command else {
      return #expect(Bool(false))
    }
  }

  @Test func databaseActions() throws {
    guard case .database(.psql(["-c", "x"])) = try build(["db", "psql", "-c", "x"]).command,
      case .database(.start) = try build(["db", "start"]).command,
      case .database(.stop) = try build(["db", "stop"]).command,
      case .database(.url) = try build(["db", "url"]).command,
      case .database(.status) = try build(["db", "status"]).command
    else { return #expect(Bool(false)) }
  }

  // MARK: Commands on stored rows

  @Test func summarizeOptionsArrive() throws {
    guard case .summarize(let settings, let options, _) = try build(["summarize", "--no-wait"]).command else {
      throw UsageError.missingCommand
    }
    #expect(settings.user == "ann" && settings.isUserExplicit && settings.isNoWait && settings.conninfo == nil)
    #expect(options == SummarizeOptions())
    guard
      case .summarize(_, let given, _) = try build(
        ["summarize", "--timezone", "Asia/Tokyo", "--source-priority", "A,B", "--source-priority", "HKX=C"]
      ).command
    else { throw UsageError.missingCommand }
    #expect(given == SummarizeOptions(timezone: "Asia/Tokyo", sourcePriority: ["": ["A", "B"], "HKX": ["C"]]))
    guard case .summarize(_, let days, _) = try build(["summarize", "--days", "2024-02-28..2024-02-29"]).command else {
      throw UsageError.missingCommand
    }
    let first = CivilDay(year: 2024, month: 2, day: 28)
    #expect(days.days == first...first.advanced(by: 1))
  }

  @Test(arguments: [
    "2024-01-01", "2024-01-01..", "2024-02-30..2024-03-01", "2024-03-01..2024-02-01", "24-01-01..24-01-02",
    "2024-01-01..2024-01-02..2024-01-03", "2024-1-01..2024-01-02", "+024-01-01..2024-01-02",
  ])
  func wrongDays(_ text: String) {
    #expect(throws: UsageError.self) { try build(["summarize", "--days", text]) }
  }

  @Test func zoneAndRanksHoldForAllDays() {
    for other in [["--timezone", "UTC"], ["--source-priority", "A"]] {
      #expect(throws: UsageError.self) { try build(["summarize", "--days", "2024-01-01..2024-01-02"] + other) }
    }
  }

  @Test func pruneNeedsAnAge() throws {
    guard case .prune(let settings, let days, let isDryRun, _) = try build(["prune", "--older-than", "45d"]).command
    else { throw UsageError.missingCommand }
    #expect(settings.user == "ann" && days == 45 && !isDryRun)
    for words in [
      [], ["--older-than", "30"], ["--older-than", "0d"], ["--older-than", "all"], ["--older-than", "-1d"],
    ] {
      #expect(throws: UsageError.self) { try build(["prune"] + words) }
    }
  }

  // MARK: Questions

  private func query(_ words: [String]) throws -> QuerySettings {
    guard case .query(let settings, _) = try build(["query"] + words).command else {
      throw UsageError.missingCommand
    }
    return settings
  }

  @Test func questionsArrive() throws {
    let user = QueryUser(id: "ann", isExplicit: true)
    #expect(try query([]) == QuerySettings(metric: nil, user: user))
    let (first, last) = (CivilDay(year: 2024, month: 1, day: 1), CivilDay(year: 2024, month: 2, day: 29))
    #expect(
      try query(["steps", "--from", "2024-01-01", "--to", "2024-02-29", "--by", "week", "--csv"])
        == QuerySettings(
          metric: "steps", days: .range(from: first, to: last), period: .week, isCSV: true, user: user))
    #expect(try query(["hrv", "--days", "90"]).days == .last(90))
    #expect(try query(["hrv", "--from", "2024-01-01"]).days == .range(from: first, to: nil))
  }

  @Test(arguments: [
    ["--days", "0"], ["--days", "36501"], ["--days", "2024-01-01..2024-01-02"],
    ["--days", "5", "--from", "2024-01-01"],
    ["--to", "2024-01-01"], ["--from", "2024-02-30"], ["--from", "2024-01-02", "--to", "2024-01-01"],
    ["--by", "year"], ["--json", "--csv"], ["hrv", "steps"],
  ])
  func badQuestions(_ words: [String]) {
    #expect(throws: UsageError.self) { try query(["steps"].filter { _ in words.first != "hrv" } + words) }
  }
}
