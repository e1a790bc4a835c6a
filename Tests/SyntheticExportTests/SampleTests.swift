import Foundation
import TestSupport
import Testing

/// samples/export.zip is what its line in the README says: the output of synth-export as it is now.
@Suite struct SampleTests {
  private static let synth = ProcessInfo.processInfo.environment["HK2PG_SYNTH"]
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  static let arguments = ["7MB", "--seed", "2026", "--start", "2025-10-15", "--level", "9"]

  @Test func readmeNamesTheCommand() throws {
    let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    #expect(readme.contains("synth-export \(Self.arguments.joined(separator: " ")) samples/export.zip"))
  }

  @Test func isSmallEnoughToKeep() throws {
    let attributes = try FileManager.default.attributesOfItem(
      atPath: Self.root.appendingPathComponent("samples/export.zip").path)
    #expect((attributes[.size] as? Int ?? 0) < 1_000_000)
  }

  /// Contents are compared, not the zip: another zlib may compress differently.
  @Test(.enabled(if: synth != nil, "HK2PG_SYNTH is not set; Tests/run.sh sets it"))
  func holdsWhatTheGeneratorWrites() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sample-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let fresh = folder.appendingPathComponent("fresh.zip").path
    let written = try CommandRun(try #require(Self.synth), Self.arguments + [fresh])
    #expect(written.status == 0, "\(written.errors)")
    let script = """
      import sys, zipfile
      a, b = (zipfile.ZipFile(p) for p in sys.argv[1:])
      assert a.namelist() == b.namelist()
      assert all(a.read(n) == b.read(n) for n in a.namelist())
      print("same")
      """
    let run = try CommandRun(
      "/usr/bin/python3", ["-c", script, fresh, Self.root.appendingPathComponent("samples/export.zip").path])
    #expect(run.output == "same\n", "\(run.errors)")
  }
}
