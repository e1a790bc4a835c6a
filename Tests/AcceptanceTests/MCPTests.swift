import Foundation
import TestSupport
import Testing

/// `hk2pg mcp` and an existing client, from Python, with the real programs.
@Suite(
  .enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)),
  .enabled(if: PythonScripts.isAvailable, Comment(rawValue: PythonScripts.missing)), .timeLimit(.minutes(20)))
struct MCPTests {
  private static let user = "6f1c2a34-7b0e-4d8a-9c55-3f0a1b2c3d4e"
  private static let hrv = "HKQuantityTypeIdentifierHeartRateVariabilitySDNN"

  private func environment(_ database: TestDatabase) -> [String: String] {
    [
      "DATABASE_URL": database.conninfo, "HEALTHKIT_USER_ID": MCPTests.user, "HEALTH4AI_TZ": Programs.zone,
    ]
  }

  /// Over handshake and newest revision: every tool against `hk2pg query` and SQL, bad arguments, an unknown tool, a
  /// cancelled call, a lost connection, a thousand calls, both ways to end.
  @Test func theOfficialClientUsesEveryTool() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let recent = try RecentImport(programs, user: MCPTests.user)
    let run = try PythonScripts.run("mcp_tools.py", programs, environment(recent.database))
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.checks > 2_500, "\(run.output)")
    print(run.output)
  }

  @Test func aRestartedServerIsFoundAgain() throws {
    let programs = try Programs()
    defer {
      _ = try? programs.run(["db", "stop"])
      programs.remove()
    }
    let imported = try programs.run(
      ["import", try programs.export("300kB"), "--user", MCPTests.user])
    #expect(imported.status == 0, "\(imported.errors)")
    let run = try PythonScripts.run("mcp_restart.py", programs, ["HEALTHKIT_USER_ID": MCPTests.user])
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.checks == 3, "\(run.output)")
  }

  /// Every day of the last 90, before and after raw rows older than 30 days are pruned.
  @Test func pruningChangesNoDay() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let recent = try RecentImport(programs, user: MCPTests.user)
    let (database, target) = (recent.database, recent.target)
    try recent.addLiveVariability(minutesAgo: [0, 1_440])
    let before = try PythonScripts.run("mcp_days.py", programs, environment(database))
    #expect(before.status == 0, "\(before.output)\(before.errors)")
    #expect(before.checks == 13, "\(before.output)")
    func days(_ metric: String) -> Int { before.output.split(separator: "\n").count { $0.hasPrefix(metric + " ") } }
    #expect(days("hrv") > 30 && days("sleep") > 70 && days("steps") > 80 && days("active-energy") > 80)
    #expect(before.output.contains(" 61.5\n"))

    let pruned = try programs.run(["prune", "--older-than", "30d"] + target)
    #expect(pruned.status == 0, "\(pruned.errors)")
    for type in [MCPTests.hrv, "HKQuantityTypeIdentifierStepCount", "HKCategoryTypeIdentifierSleepAnalysis"] {
      let count = "SELECT count(*) FROM healthkit_metrics WHERE metric_type = $1 AND started_at"
      #expect(try database.value("\(count) < now() - interval '32 days'", [type]) == "0")
      #expect(try database.value("\(count) > now() - interval '28 days'", [type]) != "0")
    }
    let after = try PythonScripts.run("mcp_days.py", programs, environment(database))
    #expect(after.status == 0, "\(after.errors)")
    #expect(after.output == before.output)
  }

  /// health4ai's own functions, before and after raw rows are pruned.
  @Test func anExistingClientFindsTheSameFigures() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let recent = try RecentImport(programs, user: MCPTests.user)
    let (database, target) = (recent.database, recent.target)
    let before = try PythonScripts.run("existing_client.py", programs, environment(database))
    #expect(before.status == 0, "\(before.output)\(before.errors)")
    let pruned = try programs.run(["prune", "--older-than", "30d"] + target)
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(
      try database.value(
        "SELECT count(*) FROM healthkit_metrics WHERE metric_type LIKE '%SDNN' AND started_at < now() - interval '32 days'"
      )
        == "0")
    let after = try PythonScripts.run("existing_client.py", programs, environment(database))
    #expect(after.status == 0, "\(after.output)\(after.errors)")
    #expect(before.checks > 100 && after.checks > 100, "\(before.output)\(after.output)")
  }
}
