import Foundation
import ImportFlow

/// Results for programs: the same text for `--json` and `--report`.
enum ReportJSON {
  static func text(_ value: some Encodable) throws -> String { try ImportReport.json(of: value) }

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
