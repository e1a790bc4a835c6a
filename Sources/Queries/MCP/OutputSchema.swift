/// JSON schemas of results, built from names: shorter to read than the schemas themselves.
enum OutputSchema {
  static func object(_ properties: [String: JSONValue], optional: Set<String> = []) -> JSONValue {
    let required = properties.keys.filter { !optional.contains($0) }.sorted().map(JSONValue.string)
    return ["type": "object", "properties": .object(properties), "required": .array(required)]
  }

  static func list(_ item: JSONValue) -> JSONValue { ["type": "array", "items": item] }
  /// Members of any name.
  static func map(_ value: JSONValue) -> JSONValue { ["type": "object", "additionalProperties": value] }

  static let integer: JSONValue = ["type": "integer"]
  static let text: JSONValue = ["type": "string"]
  static let bool: JSONValue = ["type": "boolean"]
  static let figure: JSONValue = ["type": ["number", "null"]]
  static let optionalText: JSONValue = ["type": ["string", "null"]]
  static let optionalInteger: JSONValue = ["type": ["integer", "null"]]
  static let source: JSONValue = ["type": "string", "enum": ["summary", "raw"]]
  static let tier = object(["summary": integer, "raw": integer])

  /// Members that every answer about one metric has.
  static let metric: [String: JSONValue] = [
    "metric": text, "metric_type": text, "unit": optionalText,
    "value_type": ["type": "string", "enum": ["total", "average", "level"]],
  ]
  /// Members that every answer about a range of days has.
  static let range: [String: JSONValue] = ["first_day": text, "last_day": text, "zone": text]

  static func range(_ more: [String: JSONValue]) -> JSONValue { object(range.merging(more) { $1 }) }
  static func metric(_ more: [String: JSONValue]) -> JSONValue {
    object(metric.merging(range) { $1 }.merging(more) { $1 })
  }
}
