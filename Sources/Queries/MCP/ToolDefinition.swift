/// One tool: what a client is told of it, and what it does.
package struct ToolDefinition: Sendable {
  package var name: String
  var title: String
  var description: String
  var parameters: [ToolParameter]
  /// JSON schema of the structured result.
  var output: JSONValue
  var body: @Sendable (ReadSession, ToolArguments) throws -> JSONValue

  func json(_ revision: MCPRevision) -> JSONValue {
    var members: [String: JSONValue] = [
      "name": .string(name), "description": .string(description), "inputSchema": inputSchema,
    ]
    if revision.hasAnnotations {
      members["annotations"] = [
        "title": .string(title), "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
        "openWorldHint": false,
      ]
    }
    if revision.hasStructuredResults {
      members["title"] = .string(title)
      members["outputSchema"] = output
    }
    return .object(members)
  }

  private var inputSchema: JSONValue {
    var schema: [String: JSONValue] = [
      "type": "object", "additionalProperties": false,
      "properties": .object(Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, $0.schema) })),
    ]
    let required = parameters.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { schema["required"] = .array(required) }
    return .object(schema)
  }
}

/// One argument of a tool: the schema and the check come from the same place.
struct ToolParameter: Sendable {
  enum Kind: Sendable {
    case count(ClosedRange<Int>, default: Int)
    case number
    case metric
    case date
  }

  var name: String
  var kind: Kind
  var isRequired: Bool
  var description: String

  static func days(_ count: Int) -> ToolParameter {
    ToolParameter(
      name: "days", kind: .count(1...ToolBounds.days, default: count), isRequired: false,
      description: "The last so many local days, today included.")
  }

  static func limit(_ count: Int, _ what: String) -> ToolParameter {
    ToolParameter(
      name: "limit", kind: .count(1...ToolBounds.rows, default: count), isRequired: false,
      description: "At most so many \(what).")
  }

  static let metric = ToolParameter(
    name: "metric_type", kind: .metric, isRequired: true,
    description: """
      A short name such as steps, hrv, resting-heart-rate, sleep, weight, or a HealthKit identifier such as \
      HKQuantityTypeIdentifierStepCount. list_metrics has all.
      """)

  static func date(_ name: String, _ description: String, isRequired: Bool = true) -> ToolParameter {
    ToolParameter(name: name, kind: .date, isRequired: isRequired, description: description)
  }

  static func number(_ name: String, _ description: String) -> ToolParameter {
    ToolParameter(name: name, kind: .number, isRequired: false, description: description)
  }

  var schema: JSONValue {
    switch kind {
    case .count(let range, let value):
      [
        "type": "integer", "minimum": .int(range.lowerBound), "maximum": .int(range.upperBound),
        "default": .int(value), "description": .string(description),
      ]
    // null for "not given", as clients with optional arguments send it.
    case .number: ["type": ["number", "null"], "description": .string(description)]
    case .metric: ["type": "string", "minLength": 1, "maxLength": 512, "description": .string(description)]
    case .date: ["type": "string", "description": .string(description)]
    }
  }
}

/// What one call may ask for.
package enum ToolBounds {
  package static let days = 3_660
  package static let months = 120
  package static let rows = 1_000
}
