import Foundation
import Testing

/// Checked-in outputs. `HK2PG_WRITE_GOLDEN=1 swift test …` writes them anew; then read the difference.
func expectGolden(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name)")
  if ProcessInfo.processInfo.environment["HK2PG_WRITE_GOLDEN"] != nil {
    try Data(text.utf8).write(to: file)
  }
  let stored = String(decoding: try Data(contentsOf: file), as: UTF8.self)
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  let storedLines = stored.split(separator: "\n", omittingEmptySubsequences: false)
  let first = zip(lines, storedLines).enumerated().first { $1.0 != $1.1 }
  let difference = first.map { "line \($0 + 1): “\($1.0)” instead of “\($1.1)”" } ?? "another number of lines"
  #expect(text == stored, "\(name) differs, \(difference)", sourceLocation: sourceLocation)
}

/// A folder of a test's own, removed at its end.
func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: "hk2pg-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder.path(percentEncoded: false))
}
