import Foundation
import ImportFlow

/// The report for programs: the same text for `--json` and `--report`. Keys in snake_case, sorted; dates ISO 8601, UTC.
enum ReportJSON {
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }

  /// Whole or not at all: a temporary file beside it is renamed into place.
  static func write(_ text: String, to path: String) throws(ReportFileError) {
    do { try Data(text.utf8).write(to: URL(filePath: path), options: .atomic) } catch {
      throw ReportFileError(path: path, reason: (error as? CocoaError)?.underlyingReason)
    }
  }
}

/// The run is done, but its report could not be written.
struct ReportFileError: Error, Equatable {
  var path: String
  var reason: String?
}

extension CocoaError {
  fileprivate var underlyingReason: String? {
    switch code {
    case .fileWriteOutOfSpace: "no space left"
    case .fileWriteNoPermission: "permission denied"
    case .fileWriteVolumeReadOnly: "read-only file system"
    default: nil
    }
  }
}
