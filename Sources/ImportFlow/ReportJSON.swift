import Foundation

extension ImportReport {
  /// The report for programs: `--json`, `--report FILE` and the ledger. Keys in snake_case, sorted; dates ISO 8601, UTC.
  package func json() throws -> String { try ImportReport.json(of: self) }

  /// The same dress for any other result.
  package static func json(of value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}
