import HealthModel

/// Why the arguments of a call are no good, in words for the assistant that made it.
package struct ToolArgumentError: Error, Equatable {
  package var message: String
}

/// The arguments of one call, checked against the tool's parameters.
struct ToolArguments: Sendable {
  private let values: [String: JSONValue]
  private let parameters: [ToolParameter]

  init(_ given: [String: JSONValue], _ parameters: [ToolParameter]) throws(ToolArgumentError) {
    // null says as much as nothing.
    values = given.filter { $0.value != .null }
    self.parameters = parameters
    for name in values.keys.sorted() where !parameters.contains(where: { $0.name == name }) {
      let known = parameters.map(\.name).joined(separator: ", ")
      throw ToolArgumentError(
        message:
          "There is no argument \(name.prefix(60)). \(known.isEmpty ? "This tool has none." : "Known: \(known).")")
    }
    for parameter in parameters { try check(parameter) }
  }

  private func check(_ parameter: ToolParameter) throws(ToolArgumentError) {
    guard let value = values[parameter.name] else {
      if parameter.isRequired { throw ToolArgumentError(message: "The argument \(parameter.name) is missing.") }
      return
    }
    func complain(_ expected: String) -> ToolArgumentError {
      ToolArgumentError(message: "The argument \(parameter.name) must be \(expected).")
    }
    switch parameter.kind {
    case .count(let range, _):
      guard let number = value.int, range.contains(number) else {
        throw complain("a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
    case .number:
      guard value.double?.isFinite == true else { throw complain("a number") }
    case .metric:
      guard let text = value.string, (1...512).contains(text.utf8.count), !text.utf8.contains(0) else {
        throw complain("the name of a metric, such as steps")
      }
    case .date:
      guard let text = value.string else { throw complain("a date such as 2024-01-31") }
      if text.isEmpty && !parameter.isRequired { return }
      if CivilDay(iso8601: text) == nil { throw complain("a date such as 2024-01-31") }
    }
  }

  func count(_ name: String) -> Int {
    if let number = values[name]?.int { return number }
    guard case .count(_, let value) = parameters.first(where: { $0.name == name })?.kind else { return 0 }
    return value
  }

  func number(_ name: String) -> Double? { values[name]?.double }

  /// nil: not given, or empty.
  func date(_ name: String) -> CivilDay? { values[name]?.string.flatMap { CivilDay(iso8601: $0) } }

  func metric(_ session: ReadSession) throws -> Metric {
    try session.metric(named: values["metric_type"]?.string ?? "")
  }
}
