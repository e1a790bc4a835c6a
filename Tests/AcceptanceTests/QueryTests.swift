import Foundation
import HealthModel
import PostgresClient
import TestSupport
import Testing

/// `hk2pg query` with the real programs.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct QueryTests {
  private static let user = "6f1c2a34-7b0e-4d8a-9c55-3f0a1b2c3d4e"
  private static let hrv = "HKQuantityTypeIdentifierHeartRateVariabilitySDNN"

  /// Start, value and tier of every point.
  private func points(_ programs: Programs, _ words: [String]) throws -> [String] {
    let run = try programs.run(["query"] + words + ["--json"])
    #expect(run.status == 0, "\(run.errors)")
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let points = json?["points"] as? [[String: Any]] ?? []
    return points.map { point in
      let parts = (point["parts"] as? [String: [String: Any]] ?? [:]).sorted { $0.key < $1.key }
        .map { " \($0.key)=\($0.value["value"] ?? "")" }.joined()
      return "\(point["start"] ?? "") \(point["value"] ?? "-") \(point["samples"] ?? "")\(parts)"
    }
  }

  private func today() -> CivilDay { Instant(seconds: Int64(Date().timeIntervalSince1970)).utcDay }

  @Test func pruningChangesNoDay() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let recent = try RecentImport(programs, user: QueryTests.user)
    let (database, target) = (recent.database, recent.target)
    try recent.addLiveVariability(minutesAgo: [120, 1_560])
    let questions = [
      ["hrv", "--days", "90"], ["steps", "--days", "90"], ["sleep", "--days", "90"], ["workouts", "--days", "90"],
      ["active-energy", "--days", "90"], ["hrv", "--days", "120", "--by", "month"], ["stand-hours", "--days", "90"],
    ]
    let before = try questions.map { try points(programs, $0 + target) }
    #expect(before[0].count > 10 && before[1].count > 80 && before[2].count > 70 && before[3].count > 5)
    #expect(before[0].last?.contains(" 61.5 1") == true, "\(before[0].suffix(3))")
    let pruned = try programs.run(["prune", "--older-than", "30d"] + target)
    #expect(pruned.status == 0, "\(pruned.errors)")
    let left =
      "SELECT count(*) FROM healthkit_metrics WHERE metric_type = $1 AND started_at < now() - interval '32 days'"
    #expect(try database.value(left, [QueryTests.hrv]) == "0")
    for (question, answer) in zip(questions, before) {
      #expect(try points(programs, question + target) == answer, "\(question)")
    }
    // Recomputing all from raw rows gives the days that are there: no day was taken from a part of its rows.
    let summarized = try programs.run(["summarize"] + target)
    #expect(summarized.status == 0, "\(summarized.errors)")
    for (question, answer) in zip(questions, before) {
      #expect(try points(programs, question + target) == answer, "\(question), summarized")
    }
  }

  /// What the summaries say, and the same figures summed up from raw rows when there are no summaries.
  @Test func bothTiersGiveTheSameFigures() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let recent = try RecentImport(programs, user: QueryTests.user, days: 60)
    let (database, target) = (recent.database, recent.target)
    let types = try database.lines(
      """
      SELECT metric_type FROM healthkit_daily_summaries WHERE metric_type ~ 'TypeIdentifier' GROUP BY 1 ORDER BY 1
      """)
    #expect(types.count > 40)
    var stored: [String: [String]] = [:]
    for type in types { stored[type] = try points(programs, [type, "--days", "70"] + target) }
    try database.execute("DELETE FROM healthkit_daily_summaries")
    for type in types {
      let raw = try points(programs, [type, "--days", "70"] + target)
      #expect(raw == stored[type], "\(type)")
    }
    let steps = try programs.run(["query", "steps", "--days", "70", "--csv"] + target)
    #expect(steps.output.contains(",raw\r\n") && !steps.output.contains(",summary\r\n"))
  }

  @Test func answersAndMistakesAreSaid() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let target = ["--database", database.conninfo, "--user", QueryTests.user]
    let early = try programs.run(["query", "steps"] + target)
    #expect(early.status == 4)
    #expect(early.errors.contains("neither healthkit_metrics nor healthkit_daily_summaries"), "\(early.errors)")
    #expect(try programs.run(["import", try programs.export("1MB")] + target).status == 0)

    let nothing = try programs.run(["query", "steps", "--from", "2001-01-01", "--to", "2001-02-01"] + target)
    #expect(nothing.status == 0)
    #expect(nothing.output.contains("Nothing on these days. There is something from"), "\(nothing.output)")
    let never = try programs.run(["query", "insulin-delivery"] + target)
    #expect(never.status == 0 && never.output.contains("nothing of it for this user"), "\(never.output)")
    let typo = try programs.run(["query", "stesp"] + target)
    #expect(typo.status == 2 && typo.errors.contains("Did you mean steps?"), "\(typo.errors)")
    let list = try programs.run(["query"] + target)
    #expect(list.status == 0 && list.output.contains("HKQuantityTypeIdentifierStepCount"), "\(list.output)")
    let stranger = try programs.run(["query", "--database", database.conninfo, "--user", "somebody else"])
    #expect(stranger.output == "The database has no rows of this user.\n")
    for words in [["steps", "--days", "0"], ["steps", "--by", "year"], ["steps", "--json", "--csv"], ["a", "b"]] {
      #expect(try programs.run(["query"] + words + target).status == 2, "\(words)")
    }
    // Looking makes no cluster, and no user.
    let bare = try programs.run(["query", "steps", "--user", "anna"])
    #expect(bare.status == 2 && bare.errors.contains("there is no database yet"), "\(bare.errors)")
    #expect(try programs.run(["query", "steps"]).status == 2)
    #expect(!FileManager.default.fileExists(atPath: programs.path("cluster")))
  }
}
