import Foundation
import Testing

@testable import ImportFlow

@Suite struct WorkFolderTests {
  /// Three folders: one in use, one that died early, one with complete chunks.
  private func base() throws -> String {
    let base = FileManager.default.temporaryDirectory.appendingPathComponent("hk2pg-\(UUID().uuidString)").path
    for name in ["busy", "dead", "complete"] {
      try FileManager.default.createDirectory(atPath: "\(base)/\(name)", withIntermediateDirectories: true)
      try Data().write(to: URL(fileURLWithPath: "\(base)/\(name).lock"))
    }
    try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(base)/complete/manifest.json"))
    try Data().write(to: URL(fileURLWithPath: "\(base)/other"))
    return base
  }

  @Test func onlyFoldersNobodyWorksInAreRemoved() throws {
    let base = try base()
    defer { try? FileManager.default.removeItem(atPath: base) }
    let lock = try #require(try FileLock("\(base)/busy.lock"))
    #expect(WorkFolder.removeAbandoned(in: base, completeAfterSeconds: 3600) == ["\(base)/dead"])
    #expect(WorkFolder.removeAbandoned(in: base, completeAfterSeconds: 0) == ["\(base)/complete"])
    let left = try FileManager.default.contentsOfDirectory(atPath: base).sorted()
    #expect(left == ["busy", "busy.lock", "other"])
    _ = lock
  }
}
