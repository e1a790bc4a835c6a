import Foundation
import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@Suite struct ChunkFolderTests {
  private let start = Instant(seconds: 1_700_000_000)

  private func fixture() -> ChunkFolderFixture {
    var fixture = ChunkFolderFixture(user: "user-1")
    fixture.rows = [
      .init(start: start, end: Instant(seconds: 1_700_000_060), value: 12, metadata: "{\"a\":\"b\"}"),
      .init(source: "iPhone", start: start, value: 3),
      .init(type: "HKCategoryTypeIdentifierSleepAnalysis", start: start, value: nil, unit: "category"),
    ]
    fixture.summaries = [
      DailySummary(
        metricType: "HKQuantityTypeIdentifierStepCount", day: start.utcDay, average: 7.5, minimum: 3, maximum: 12,
        sum: 15, sampleCount: 2, unit: "count")
    ]
    fixture.me = ["HKCharacteristicTypeIdentifierBloodType": "HKBloodTypeAPositive"]
    return fixture
  }

  /// All rows of a table, each as its fields' bytes.
  private func rows(_ folder: ChunkFolder, _ table: ChunkTable) throws -> [[[UInt8]?]] {
    var rows: [[[UInt8]?]] = []
    for chunk in folder.chunks(of: table) {
      var reader = try folder.reader(of: chunk)
      var decoder = CopyDecoder(fieldCount: chunk.columns.count)
      var piece: [UInt8] = []
      while try reader.read(into: &piece) > 0 {
        decoder.append(piece.span)
        while try decoder.nextRow() { rows.append((0..<chunk.columns.count).map { decoder.text($0) }) }
      }
      try decoder.finish()
    }
    return rows
  }

  @Test func aWrittenFolderOpensWithTheSameManifestAndRows() throws {
    let place = try TemporaryFolder()
    let fixture = fixture()
    let written = try fixture.write(at: place.file("a/b"))
    let folder = try ChunkFolder.open(at: place.file("a/b"))
    #expect(folder == written)
    try folder.verify()
    let metrics = try rows(folder, .metrics)
    #expect(metrics.count == 3)
    #expect(metrics[0][2] == Array("HKCategoryTypeIdentifierSleepAnalysis".utf8))
    #expect(metrics[0][3] == nil)
    #expect(metrics[1][0] == fixture.id(of: fixture.rows[1]).bytes)
    #expect(metrics[1][7] == nil)
    #expect(metrics[2][0] == fixture.id(of: fixture.rows[0]).bytes)
    #expect(metrics[2][8] == [1] + Array("{\"a\":\"b\"}".utf8))
    #expect(try rows(folder, .groups).count == 3)
    #expect(try rows(folder, .dailySummaries).count == 1)
    #expect(try rows(folder, .sources).count == 2)
    #expect(try rows(folder, .profiles).count == 1)
  }

  @Test func twoStagingsOfTheSameRowsAreTheSameBytes() throws {
    let place = try TemporaryFolder()
    let first = try fixture().write(at: place.file("a"))
    let second = try fixture().write(at: place.file("b"))
    #expect(first.manifest == second.manifest)
    #expect(try place.bytes(of: "a/manifest.json") == place.bytes(of: "b/manifest.json"))
  }

  @Test func filesAreForTheOwnerAlone() throws {
    let place = try TemporaryFolder()
    let folder = try fixture().write(at: place.file("a"))
    #expect(try place.permissions(of: "a") == 0o700)
    for name in folder.manifest.chunks.map(\.file) + ["manifest.json"] {
      #expect(try place.permissions(of: "a/\(name)") == 0o600)
    }
  }

  @Test func leftoversOfAnInterruptedRunAreRemovedAndOthersRefused() throws {
    let place = try TemporaryFolder()
    let folder = try ChunkFolder.create(at: place.file("a"))
    try FileManager.default.createDirectory(atPath: folder.segmentDirectory, withIntermediateDirectories: true)
    try place.write([1], to: "a/segments.partial/x")
    try place.write([1], to: "a/healthkit_metrics-0001-0001.pgcopy.zst")
    try place.write([1], to: "a/manifest.json.partial")
    #expect(throws: StagingError.notAChunkFolder(path: place.file("a"))) { try ChunkFolder.open(at: place.file("a")) }
    _ = try ChunkFolder.create(at: place.file("a"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.file("a")).isEmpty)
    try place.write([1], to: "a/notes.txt")
    #expect(throws: StagingError.foreignFile(path: place.file("a/notes.txt"))) {
      try ChunkFolder.create(at: place.file("a"))
    }
    _ = try fixture().write(at: place.file("b"))
    #expect(throws: StagingError.alreadyComplete(path: place.file("b"))) { try ChunkFolder.create(at: place.file("b")) }
  }

  @Test func whatIsMissingOrChangedIsNamed() throws {
    let place = try TemporaryFolder()
    let path = place.file("a")
    let file = try #require(try fixture().write(at: path).manifest.chunks.first?.file)
    let bytes = try place.bytes(of: "a/\(file)")
    try place.write(bytes.dropLast(), to: "a/\(file)")
    #expect(throws: StagingError.wrongSize(path: "\(path)/\(file)", expected: bytes.count, found: bytes.count - 1)) {
      try ChunkFolder.open(at: path)
    }
    try FileManager.default.removeItem(atPath: "\(path)/\(file)")
    #expect(throws: StagingError.missingChunk(path: "\(path)/\(file)")) { try ChunkFolder.open(at: path) }
    #expect(throws: StagingError.notAChunkFolder(path: "/nowhere")) { try ChunkFolder.open(at: "/nowhere") }
  }

  @Test func theManifestIsChecked() throws {
    let place = try TemporaryFolder()
    let path = place.file("a")
    _ = try fixture().write(at: path)
    let text = String(decoding: try place.bytes(of: "a/manifest.json"), as: UTF8.self)
    func open(_ change: (String) -> String) throws {
      try place.write(Array(change(text).utf8), to: "a/manifest.json")
      _ = try ChunkFolder.open(at: path)
    }
    try open { $0 }
    #expect(throws: StagingError.unsupportedFormat(path: "\(path)/manifest.json", found: 2)) {
      try open { $0.replacingOccurrences(of: "\"format\" : 1", with: "\"format\" : 2") }
    }
    let changes = [
      ("\"hk2pg.groups\"", "\"pg_authid\""), ("\"utc_day\"", "\"day\""),
      ("\"hk2pg.groups-0001-0001.pgcopy.zst\"", "\"../0001.pgcopy.zst\""),
      ("\"hk2pg.groups-0001-0001.pgcopy.zst\"", "\"hk2pg.sources-0001-0001.pgcopy.zst\""), ("\"zone\"", "\"zones\""),
      ("\"rowCount\" : 1", "\"rowCount\" : -1"), ("}", ""),
    ]
    for (old, new) in changes {
      let error = #expect(throws: StagingError.self) {
        try open { $0.replacingOccurrences(of: old, with: new) }
      }
      guard case .unreadableManifest = error else {
        Issue.record("\(old): \(String(describing: error))")
        continue
      }
    }
  }

  /// Before `summarized_days` was kept, archives were written without it. No other column may be missing.
  @Test func anArchiveOfAnEarlierVersionOpens() throws {
    let place = try TemporaryFolder()
    let all = ChunkTable.userSettings.columns
    for (name, columns, opens) in [
      ("now", all, true), ("earlier", all.filter { $0 != "summarized_days" }, true),
      ("damaged", all.filter { $0 != "zone" }, false),
    ] {
      let unfinished = try ChunkFolder.create(at: place.file(name))
      try place.write([], to: "\(name)/settings.pgcopy.zst")
      var manifest = Manifest(
        hk2pgVersion: "0.0.0", export: .init(name: "", byteCount: 0, digest: ""), user: "u", zone: "")
      manifest.archive = .init(takenAt: "", isKeyedBySource: false, hasOwnSchema: true, isPartial: false)
      manifest.chunks = [
        .init(
          table: .userSettings, columns: columns, file: "settings.pgcopy.zst", rowCount: 0, byteCount: 0,
          compressedByteCount: 0, digest: "")
      ]
      _ = try unfinished.complete(with: manifest)
      let folder = try? ChunkFolder.open(at: place.file(name))
      #expect((folder != nil) == opens, "\(name)")
    }
  }

  @Test func removingLeavesNothing() throws {
    let place = try TemporaryFolder()
    try fixture().write(at: place.file("a")).remove()
    #expect(!FileManager.default.fileExists(atPath: place.file("a")))
  }
}
