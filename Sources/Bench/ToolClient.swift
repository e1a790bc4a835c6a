import Foundation

/// `hk2pg mcp` as a client uses it: one JSON message a line, there and back.
final class ToolClient {
  private let process = Process()
  private let toServer = Pipe()
  private let fromServer = Pipe()
  private var lastID = 0

  /// Starts the program and greets it; the database is not asked for that.
  init(_ program: String, environment: [String: String]) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["mcp"]
    process.environment = environment
    process.standardInput = toServer
    process.standardOutput = fromServer
    try process.run()
    let client = #"{"name":"hk2pg-bench","version":"1"}"#
    _ = try request(
      "initialize", #"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":\#(client)}"#)
  }

  /// Seconds from the question to the last byte of the answer, and how many bytes that had.
  func call(_ call: ToolCall) throws -> (seconds: Double, byteCount: Int) {
    var answer = Data()
    let seconds = try measure {
      answer = try request("tools/call", #"{"name":"\#(call.tool)","arguments":\#(call.arguments)}"#)
    }
    guard answer.range(of: Data(#""isError":false"#.utf8)) != nil else {
      throw BenchError("\(call): \(String(decoding: answer.prefix(500), as: UTF8.self))")
    }
    return (seconds, answer.count)
  }

  /// The end of its input ends the server.
  func close() {
    try? toServer.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  private func request(_ method: String, _ parameters: String) throws -> Data {
    lastID += 1
    let line = #"{"jsonrpc":"2.0","id":\#(lastID),"method":"\#(method)","params":\#(parameters)}"# + "\n"
    try toServer.fileHandleForWriting.write(contentsOf: Data(line.utf8))
    // One question at a time: its answer ends with the line.
    var answer = Data()
    while answer.last != UInt8(ascii: "\n") {
      let more = fromServer.fileHandleForReading.availableData
      if more.isEmpty { throw BenchError("hk2pg mcp ended before it answered \(method)") }
      answer += more
    }
    return answer
  }
}

/// A tool and what it is asked.
struct ToolCall: CustomStringConvertible {
  var tool: String
  /// JSON.
  var arguments = "{}"

  /// `get_sleep days=3660`
  var description: String {
    let words = arguments.filter { !"{}\"".contains($0) }.replacing(":", with: "=").replacing(",", with: " ")
    return words.isEmpty ? tool : "\(tool) \(words)"
  }

  /// Every tool as it is mostly asked, and with the longest periods and the most rows that it allows.
  ///
  /// - Parameters:
  ///   - today: the day of the newest export, which is summed up from raw rows.
  ///   - first: first day of ten years; `middle`: halfway.
  static func all(today: String, first: String, middle: String) -> [ToolCall] {
    func call(_ tool: String, _ arguments: String = "") -> ToolCall {
      ToolCall(tool: tool, arguments: "{\(arguments)}")
    }
    let (steps, pulse) = (#""metric_type":"steps""#, #""metric_type":"heart-rate""#)
    let (year, decade, many) = (#""days":365"#, #""days":3660"#, #""limit":1000"#)
    let periods = [("a_start", first), ("a_end", middle), ("b_start", middle), ("b_end", today)]
      .map { #","period_\#($0.0)":"\#($0.1)""# }.joined()
    return [
      call("list_metrics"), call("get_health_summary"), call("get_health_summary", decade), call("get_sleep"),
      call("get_sleep", decade), call("get_hrv_trend", #""days":90"#), call("get_hrv_trend", decade),
      call("query_metric", pulse), call("query_metric", "\(pulse),\"days\":30,\(many)"),
      call("query_metric", "\(steps),\(decade),\(many)"), call("get_workouts"),
      call("get_workouts", "\(decade),\(many)"),
      call("get_daily_snapshot"), call("get_daily_snapshot", #""date":"\#(middle)""#),
      call("get_long_term_trend", steps), call("get_long_term_trend", "\(pulse),\"months\":120"),
      call("get_metric_stats", "\(steps),\(year)"), call("get_metric_stats", "\(pulse),\(decade)"),
      call("compare_periods", steps + periods), call("search_records", "\(steps),\(year),\"min_value\":10000"),
      call("search_records", "\(steps),\(decade),\(many)"),
    ]
  }
}
