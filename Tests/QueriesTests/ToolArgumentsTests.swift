import HealthModel
import Testing

@testable import Queries

@Suite struct ToolArgumentsTests {
  private let parameters: [ToolParameter] = [
    .metric, .days(7), .number("min_value", "x"), .date("date", "x", isRequired: false),
  ]

  @Test func defaultsAndValuesArrive() throws {
    let bare = try ToolArguments(["metric_type": "steps", "min_value": .null], parameters)
    #expect(bare.count("days") == 7 && bare.number("min_value") == nil && bare.date("date") == nil)
    let full = try ToolArguments(
      ["metric_type": "steps", "days": .number(30), "min_value": 5, "date": "2024-02-29"], parameters)
    #expect(full.count("days") == 30 && full.number("min_value") == 5)
    #expect(full.date("date") == CivilDay(year: 2024, month: 2, day: 29))
    #expect(try ToolArguments(["metric_type": "steps", "date": ""], parameters).date("date") == nil)
  }

  @Test(
    arguments: [
      ([:], "metric_type is missing"), (["metric_type": 7], "must be the name of a metric"),
      (["metric_type": ""], "must be the name of a metric"), (["metric_type": "x\0"], "must be the name of a metric"),
      (["metric_type": "steps", "days": 0], "whole number from 1 to 3660"),
      (["metric_type": "steps", "days": 3661], "whole number from 1 to 3660"),
      (["metric_type": "steps", "days": .number(1.5)], "whole number from 1 to 3660"),
      (["metric_type": "steps", "days": "7"], "whole number from 1 to 3660"),
      (["metric_type": "steps", "days": true], "whole number from 1 to 3660"),
      (["metric_type": "steps", "min_value": "x"], "must be a number"),
      (["metric_type": "steps", "date": "2024-02-30"], "must be a date"),
      (["metric_type": "steps", "sql": "DROP"], "no argument sql"),
    ] as [([String: JSONValue], String)])
  func mistakesAreNamed(_ given: [String: JSONValue], _ words: String) {
    let error = #expect(throws: ToolArgumentError.self) { try ToolArguments(given, parameters) }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }
}
