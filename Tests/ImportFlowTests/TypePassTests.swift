import BoundedQueues
import ExportReader
import Foundation
import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import ImportFlow
@testable import Loading

/// Staging beside a database that holds some of the export's days: what is left out is exactly these days' rows.
@Suite struct TypePassTests {
  private static let steps = "HKQuantityTypeIdentifierStepCount"
  private static let heartRate = "HKQuantityTypeIdentifierHeartRate"

  /// Days of few rows and of many: of more than a batch, of exactly one, and of more than a pass holds; with a workout
  /// and a type that nobody knows.
  private static let export: String = {
    var text = "<HealthData locale=\"en_GB\"><ExportDate value=\"2024-06-01 12:00:00 +0000\"/>\n"
    func record(_ type: String, _ day: Int, _ second: Int, _ value: Int, _ source: String) {
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let start = "2024-05-\(two(day)) \(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) +0000"
      text += """
        <Record type="\(type)" sourceName="\(source)" unit="count" startDate="\(start)" endDate="\(start)" \
        value="\(value)"/>

        """
    }
    let counts = [3, 40_000, 1, 1024, 1023, 16_384, 500, 600, 700, 20_000, 2]
    for (index, count) in counts.enumerated() {
      for second in 0..<count { record(heartRate, index + 1, second, second % 90, second % 3 == 0 ? "Watch" : "Strap") }
    }
    for day in 1...11 { for hour in 0..<5 { record(steps, day, hour * 3600, hour, "Phone") } }
    for day in 1...11 { record("SomethingUnheardOf", day, 7, 1, "App") }
    return text + "</HealthData>\n"
  }()

  private final class Folder {
    let path = NSTemporaryDirectory() + "type-pass-\(UUID().uuidString)"
    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data(export.utf8).write(to: URL(fileURLWithPath: path + "/export.xml"))
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private func stage(
    _ folder: Folder, _ name: String, jobs: Int = 1, knownDays: (@Sendable () -> KnownDays?)? = nil
  ) throws -> (folder: ChunkFolder, outcome: StageFlow.Outcome) {
    let path = folder.path + "/export.xml"
    var settings = ImportSettings(exportPath: path, user: "u", isUserExplicit: true, jobs: jobs)
    settings.timezone = "Europe/London"
    let unfinished = try ChunkFolder.create(at: folder.path + "/" + name)
    let outcome = try StageFlow(settings: settings, interruption: Interruption()) { _ in }.run(
      .open(path: path, salvage: false), into: unfinished, segmentDirectory: unfinished.segmentDirectory,
      storedZone: nil, storedPriority: nil, knownDays: knownDays)
    return (try #require(outcome.folder), outcome)
  }

  private struct Row: Hashable {
    var type: String
    var day: CivilDay
    var bytes: [UInt8]
  }

  private func rows(_ folder: ChunkFolder) throws -> [Row] {
    var rows: [Row] = []
    for chunk in folder.chunks(of: .metrics) {
      var decoder = CopyDecoder(fieldCount: ChunkTable.metrics.columns.count)
      var reader = try folder.reader(of: chunk)
      var piece: [UInt8] = []
      while try reader.read(into: &piece) > 0 {
        decoder.append(piece.span)
        while try decoder.nextRow() {
          rows.append(
            Row(
              type: try decoder.required(decoder.string(2), 2),
              day: try decoder.required(decoder.timestamptz(6), 6).utcDay,
              bytes: Array(decoder.bytes[decoder.encodedRow])))
        }
      }
    }
    return rows
  }

  private func known(
    _ groups: StagedGroups, _ symbols: SymbolTable, without: Set<CivilDay> = []
  ) -> KnownDays {
    var table = TableGroups()
    for (key, group) in groups {
      let isOther = without.contains(key.day)
      table.groups[key] = TableGroup(ours: group.count, fingerprint: isOther ? ~group.fingerprint : group.fingerprint)
    }
    return KnownDays(table, names: symbols.snapshot())
  }

  @Test func aDatabaseThatHoldsAllLeavesOnlyWhatIsAlwaysCompared() throws {
    let folder = try Folder()
    let whole = try stage(folder, "whole")
    let symbols = SymbolTable()
    let groups = try TableGroupsReader.read(.groups, of: whole.folder, symbols: symbols)
    let known = known(groups, symbols)
    let part = try stage(folder, "part") { known }
    // Days of more rows than a pass holds are staged, too: 40,000, 16,384 and 20,000 of two sources each.
    let rows = try rows(part.folder)
    #expect(Set(rows.map(\.type)) == ["SomethingUnheardOf", Self.heartRate])
    #expect(rows.count { $0.type == Self.heartRate } == 40_000 + 16_384 + 20_000)
    #expect(part.folder.manifest.samples == whole.folder.manifest.samples)
    #expect(part.folder.manifest.types == whole.folder.manifest.types)
    #expect(part.outcome.summaries == whole.outcome.summaries)
    let staged = try TableGroupsReader.read(.groups, of: part.folder, symbols: symbols)
    let leftOut = try TableGroupsReader.read(.unchangedGroups, of: part.folder, symbols: symbols)
    #expect(staged.count == 11 + 6)
    #expect(staged.merging(leftOut) { a, _ in a } == groups)
  }

  /// One and two workers, and whatever the database holds.
  @Test func exactlyTheDaysThatDifferAreStaged() throws {
    let folder = try Folder()
    let whole = try stage(folder, "whole")
    let all = try rows(whole.folder)
    let symbols = SymbolTable()
    let groups = try TableGroupsReader.read(.groups, of: whole.folder, symbols: symbols)
    var random = SplitMix(printing: "TypePassTests")
    for round in 0..<8 {
      let others = Set((0..<11).filter { _ in Bool.random(using: &random) }.map { Self.day($0) })
      let known = known(groups, symbols, without: others)
      let part = try stage(folder, "part\(round)", jobs: 1 + round % 2) { known }
      let expected = all.filter { row in
        // A day of more rows than a pass holds is staged, whether or not it differs.
        row.type == "SomethingUnheardOf" || others.contains(row.day)
          || row.type == Self.heartRate && [1, 5, 9].map { Self.day($0) }.contains(row.day)
      }
      #expect(try rows(part.folder) == expected, "HK2PG_TEST_SEED=\(random.seed), round \(round)")
      #expect(part.folder.chunks(of: .metrics).reduce(0) { $0 + $1.rowCount } == expected.count)
    }
  }

  private static func day(_ index: Int) -> CivilDay { CivilDay(year: 2024, month: 5, day: 1).advanced(by: index) }

  @Test func whatIsKnownOnlyLaterChangesNothing() throws {
    let folder = try Folder()
    let whole = try stage(folder, "whole")
    let unknown = try stage(folder, "unknown") { nil }
    #expect(unknown.folder.manifest.chunks.map(\.digest) == whole.folder.manifest.chunks.map(\.digest))
    #expect(whole.folder.chunks(of: .unchangedGroups).isEmpty)
  }
}
