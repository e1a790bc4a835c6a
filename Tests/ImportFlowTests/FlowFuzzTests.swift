import BoundedQueues
import Foundation
import Staging
import TestSupport
import Testing

@testable import ImportFlow

/// Damaged exports through the whole staging flow: whatever is wrong, no crash and no hang; what is accepted adds up
/// and can be read back, what is refused leaves nothing behind.
///
/// `HK2PG_TEST_FUZZ=100000` for a longer run, HK2PG_TEST_SEED to repeat one.
@Suite struct FlowFuzzTests {
  private static let rounds = ProcessInfo.processInfo.environment["HK2PG_TEST_FUZZ"].flatMap { Int($0) } ?? 150
  private static let firstSeed =
    ProcessInfo.processInfo.environment["HK2PG_TEST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)

  @Test func noDamageGetsThroughUnnoticed() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    print("FlowFuzzTests: HK2PG_TEST_SEED=\(Self.firstSeed)")
    var accepted = 0
    for round in 0..<UInt64(Self.rounds) {
      let seed = Self.firstSeed &+ round
      try Data(DamagedExport.damaged(seed: seed)).write(to: folder.appendingPathComponent("export.xml"))
      for isSalvage in [false, true] {
        accepted += try stage(folder, isSalvage: isSalvage, seed: seed) ? 1 : 0
      }
    }
    // Most damage hits a value or is repaired: a run that refuses everything tests nothing.
    #expect(accepted > Self.rounds / 4)
  }

  /// Cut at every byte in a long run, else at some.
  @Test func everyCutIsRefused() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let bytes = Array(DamagedExport.export.utf8)
    let step = Self.rounds > 1000 ? 1 : 97
    for count in stride(from: Int(Self.firstSeed % UInt64(step)), to: bytes.count, by: step) {
      try Data(bytes[..<count]).write(to: folder.appendingPathComponent("export.xml"))
      #expect(try !stage(folder, isSalvage: false, seed: UInt64(count)), "\(count) bytes")
      _ = try stage(folder, isSalvage: true, seed: UInt64(count))
    }
  }

  private static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  private func stage(_ folder: URL, isSalvage: Bool, seed: UInt64) throws -> Bool {
    var settings = ImportSettings(
      exportPath: folder.appendingPathComponent("export.xml").path, user: "fuzz", isUserExplicit: true, jobs: 1)
    settings.isSalvage = isSalvage
    settings.timezone = "Europe/London"
    let chunks = folder.appendingPathComponent("chunks").path
    do {
      let report = try ImportFlow.stage(settings, into: chunks, interruption: Interruption()) { _ in }
      #expect(report.samples.isBalanced, "HK2PG_TEST_SEED=\(seed): \(report.samples)")
      let staged = try ChunkFolder.open(at: chunks)
      try staged.verify()
      let rows = staged.chunks(of: .metrics).reduce(0) { $0 + $1.rowCount }
      #expect(rows == report.samples.written, "HK2PG_TEST_SEED=\(seed)")
      try staged.remove()
      return true
    } catch {
      #expect(!FileManager.default.fileExists(atPath: chunks), "HK2PG_TEST_SEED=\(seed): \(error)")
      return false
    }
  }
}
