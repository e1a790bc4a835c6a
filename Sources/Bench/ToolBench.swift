import Foundation
import HealthModel
import PostgresClient
import TestSupport

/// How fast the tools of `hk2pg mcp` answer over ten years in a private cluster, as a client meets them: the real program
/// on its standard input and output, the first call after it started and later ones.
struct ToolBench {
  let size: String
  let rounds: Int
  let folder: URL
  private let tenYears = 3_660

  private var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") && $0.key != "DATABASE_URL" }
    environment["HK2PG_DB_DIR"] = folder.appendingPathComponent("cluster").path
    environment["XDG_CACHE_HOME"] = folder.appendingPathComponent("cache").path
    environment["HEALTHKIT_USER_ID"] = "bench"
    return environment
  }

  func run() throws -> ToolResult {
    let today = Instant(seconds: Int64(Date().timeIntervalSince1970)).utcDay
    func day(_ back: Int) -> String { today.advanced(by: -back).description }
    // Made this morning, up to last night: today is summed up from raw rows.
    let export = folder.appendingPathComponent("tools-\(size).zip").path
    Log.line("\(size) over ten years, for the tools")
    try program(
      "synth-export",
      [size, "--seed", "1", "--start", day(tenYears - 1), "--end", day(1), "--no-side-files", export])
    try program("hk2pg", ["import", export, "--quiet", "--progress", "none"])
    try FileManager.default.removeItem(atPath: export)
    defer { _ = try? program("hk2pg", ["db", "stop"]) }
    let address = try program("hk2pg", ["db", "url"]).trimmingCharacters(in: .whitespacesAndNewlines)
    let calls = ToolCall.all(today: day(0), first: day(tenYears - 1), middle: day(tenYears / 2))
    return try measureCalls(calls, ConnectionSettings(conninfo: address), from: day(tenYears - 1))
  }

  /// Every round asks each tool once, beside the floors: a slow minute of the machine hits all alike.
  private func measureCalls(
    _ calls: [ToolCall], _ settings: ConnectionSettings, from first: String
  ) throws -> ToolResult {
    let connection = try PostgresConnection(settings)
    var result = ToolResult(
      size: size, samples: try connection.query("SELECT count(*) FROM healthkit_metrics")[0].int(0),
      answers: calls.map { ToolAnswer(call: $0.description) })
    let client = try ToolClient(path("hk2pg"), environment: environment)
    defer { client.close() }
    for round in 0...rounds {
      for (index, call) in calls.enumerated() {
        let floors = try floors(connection, settings, from: first)
        let newcomer = try ToolClient(path("hk2pg"), environment: environment)
        let early = try newcomer.call(call)
        newcomer.close()
        let later = try client.call(call)
        // The first round fills the server's memory, as days of use do.
        if round == 0 { continue }
        result.connect.seconds.append(floors.connect)
        result.roundTrip.seconds.append(floors.roundTrip)
        result.scan.seconds.append(floors.scan)
        result.answers[index].first.seconds.append(early.seconds)
        result.answers[index].later.seconds.append(later.seconds)
        result.answers[index].byteCount = later.byteCount
      }
    }
    return result
  }

  private func floors(
    _ connection: PostgresConnection, _ settings: ConnectionSettings, from first: String
  ) throws -> (connect: Double, roundTrip: Double, scan: Double) {
    let connect = try measure {
      let newcomer = try PostgresConnection(settings)
      try newcomer.query("SELECT 1")
      newcomer.close()
    }
    let roundTrip = try measure { try connection.query("SELECT 1") }
    let scan = try measure {
      try connection.query(
        """
        SELECT summary_date, sum_value FROM healthkit_daily_summaries
        WHERE user_id = 'bench' AND metric_type = 'HKQuantityTypeIdentifierStepCount' AND summary_date >= $1::date
        ORDER BY summary_date
        """, [first])
    }
    return (connect, roundTrip, scan)
  }

  private func path(_ program: String) -> String { Bundle.main.bundleURL.appendingPathComponent(program).path }

  @discardableResult
  private func program(_ name: String, _ arguments: [String]) throws -> String {
    try BenchProgram.run(name, arguments, environment: environment).output
  }
}
