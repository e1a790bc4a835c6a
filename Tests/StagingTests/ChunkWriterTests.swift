import Foundation
import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@Suite struct ChunkWriterTests {
  private let symbols: [[UInt8]] = [[], Array("Watch".utf8), Array("count".utf8)]
  private let heart = Array("HeartRate".utf8)
  private let steps = Array("Steps".utf8)
  private let user = Array("u".utf8)

  /// One row for each second.
  private func batch(_ seconds: [Int64], metadata: String = "") -> ResolvedBatch {
    var batch = ResolvedBatch()
    for second in seconds {
      var record = SampleRecord(start: Instant(seconds: second), end: Instant(seconds: second + 1))
      record.value = 1
      record.flags = [.hasValue, .hasEnd]
      record.source = Symbol(index: 1)
      record.payloadOffset = UInt32(batch.payload.count)
      batch.payload += Array(metadata.utf8)
      record.payloadLength = UInt32(metadata.utf8.count)
      batch.rows.append(
        ResolvedSample(
          record: record, id: RowID(high: 1, low: UInt64(batch.rows.count)), startedAt: record.start,
          endedAt: record.end, unit: Symbol(index: 2)))
    }
    return batch
  }

  private func limits(rows: Int = .max, bytes: Int = .max) -> ChunkWriter.Limits {
    var limits = ChunkWriter.Limits()
    limits.rows = rows
    limits.bytes = bytes
    return limits
  }

  private func writer(
    _ place: TemporaryFolder, table: ChunkTable = .metrics, _ limits: ChunkWriter.Limits
  ) throws -> ChunkWriter {
    let folder = try ChunkFolder.create(at: place.path)
    return try ChunkWriter(folder: folder, table: table, prefix: "p", limits: limits)
  }

  private func decompressed(_ place: TemporaryFolder, _ file: String) throws -> [UInt8] {
    var decompressor = try ZstdDecompressor(path: file)
    let bytes = try place.bytes(of: file)
    var output: [UInt8] = []
    var position = 0
    while position < bytes.count || !decompressor.isAtFrameEnd {
      position += try decompressor.decompress(bytes.span, from: position, into: &output, limit: 1 << 20)
    }
    return output
  }

  @Test func aRowIsEncodedInColumnOrder() throws {
    let place = try TemporaryFolder()
    var writer = try writer(place, limits())
    var batch = batch([946_684_800], metadata: "{}")
    var other = batch.rows[0]
    other.record.flags = []
    other.record.payloadLength = 0
    batch.rows.append(other)
    try writer.append(batch, metricType: heart, userID: user, symbols: symbols)
    let chunks = try writer.finish()
    var expected = CopyEncoder()
    expected.appendHeader()
    for isFull in [true, false] {
      expected.beginRow(fieldCount: 9)
      expected.append(uuid: RowID(high: 1, low: 0))
      expected.append(text: "u")
      expected.append(text: "HeartRate")
      if isFull { expected.append(float8: 1) } else { expected.appendNull() }
      expected.append(text: "count")
      expected.append(text: "Watch")
      expected.append(timestamptz: .postgresEpoch)
      if isFull { expected.append(timestamptz: Instant(seconds: 946_684_801)) } else { expected.appendNull() }
      if isFull { expected.append(jsonb: Array("{}".utf8).span) } else { expected.appendNull() }
    }
    expected.appendTrailer()
    #expect(chunks.map(\.rowCount) == [2])
    #expect(chunks.map(\.byteCount) == [expected.count])
    #expect(try decompressed(place, chunks[0].file) == expected.bytes)
  }

  /// What the README tells people to do; checked where the tool is installed.
  @Test func theZstdToolReadsAChunk() throws {
    let place = try TemporaryFolder()
    var writer = try writer(place, limits())
    try writer.append(batch(Array(0..<1000)), metricType: heart, userID: user, symbols: symbols)
    let chunks = try writer.finish()
    guard let tool = ["/usr/bin/zstd", "/usr/local/bin/zstd"].first(where: FileManager.default.isExecutableFile) else {
      return
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = ["-dcq", place.file(chunks[0].file)]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = Array(pipe.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try output == decompressed(place, chunks[0].file))
  }

  @Test func aChunkEndsAfterTheRowLimitButNotInsideASecond() throws {
    let place = try TemporaryFolder()
    var writer = try writer(place, limits(rows: 3))
    try writer.append(batch([1, 2, 3, 3, 3, 4, 5]), metricType: heart, userID: user, symbols: symbols)
    // The same second of another type is another group.
    try writer.append(batch([5, 6]), metricType: steps, userID: user, symbols: symbols)
    let chunks = try writer.finish()
    #expect(chunks.map(\.rowCount) == [5, 3, 1])
    #expect(chunks.map(\.file) == (1...3).map { "p-000\($0).pgcopy.zst" })
    #expect(chunks.map(\.firstType) == ["HeartRate", "HeartRate", "Steps"])
    #expect(chunks.map(\.lastType) == ["HeartRate", "Steps", "Steps"])
    #expect(chunks.map(\.firstStart) == (["1", "4", "6"] as [String]).map { "1970-01-01T00:00:0\($0)Z" })
    #expect(chunks.map(\.lastStart) == (["3", "5", "6"] as [String]).map { "1970-01-01T00:00:0\($0)Z" })
  }

  @Test func aChangeOfTypeEndsAFullChunk() throws {
    let place = try TemporaryFolder()
    var writer = try writer(place, limits(rows: 2))
    try writer.append(batch([1, 5]), metricType: heart, userID: user, symbols: symbols)
    try writer.append(batch([5]), metricType: steps, userID: user, symbols: symbols)
    let chunks = try writer.finish()
    #expect(chunks.map(\.rowCount) == [2, 1])
    #expect(chunks.map(\.lastType) == ["HeartRate", "Steps"])
    #expect(chunks.map(\.lastStart) == ["1970-01-01T00:00:05Z", "1970-01-01T00:00:05Z"])
  }

  @Test func aChunkEndsAfterTheByteLimit() throws {
    let place = try TemporaryFolder()
    var writer = try writer(place, table: .ecgRecordings, limits(bytes: 100_000))
    for _ in 0..<5 {
      try writer.appendRow { row in
        for _ in 0..<6 { row.appendNull() }
        row.append(float4Array: Array(repeating: 0.5, count: 7500))
      }
    }
    let chunks = try writer.finish()
    #expect(chunks.map(\.rowCount) == [2, 2, 1])
    #expect(chunks.allSatisfy { $0.table == "hk2pg.ecg_recordings" && $0.firstType == nil })
  }

  @Test func theSameRowsGiveTheSameFilesHoweverTheyArrive() throws {
    var random = SplitMix(printing: "ChunkWriterTests.theSameRowsGiveTheSameFilesHoweverTheyArrive")
    var second: Int64 = 0
    let seconds = (0..<9000).map { _ in
      second += Int64(random.below(2))
      return second
    }
    var results: [[Manifest.Chunk]] = []
    for pieces in [1, 7, 500] {
      let place = try TemporaryFolder()
      var writer = try writer(place, limits(rows: 1000))
      var all = batch(seconds, metadata: "{\"a\":1}")
      let rows = all.rows
      let size = rows.count / pieces
      for start in stride(from: 0, to: rows.count, by: size) {
        all.rows = Array(rows[start..<min(start + size, rows.count)])
        try writer.append(all, metricType: heart, userID: user, symbols: symbols)
      }
      results.append(try writer.finish())
    }
    #expect(results[0].count > 5)
    #expect(results[1] == results[0])
    #expect(results[2] == results[0])
  }

  @Test func manySourcesAndUnitsKeepTheirNames() throws {
    let place = try TemporaryFolder()
    let symbols = [[]] + (1...50).map { Array("source \($0)".utf8) }
    var batch = batch(Array(0..<500))
    for index in batch.rows.indices {
      batch.rows[index].record.source = Symbol(index: UInt32(index * 7 % 51))
      batch.rows[index].unit = Symbol(index: UInt32(index * 3 % 51))
    }
    var writer = try writer(place, limits())
    try writer.append(batch, metricType: heart, userID: user, symbols: symbols)
    let chunks = try writer.finish()
    var decoder = CopyDecoder(fieldCount: 9)
    let stream = try decompressed(place, chunks[0].file)
    decoder.append(stream.span)
    for index in batch.rows.indices {
      #expect(try decoder.nextRow())
      #expect(decoder.text(4) == symbols[index * 3 % 51])
      #expect(decoder.text(5) == symbols[index * 7 % 51])
    }
  }

  @Test func noRowsGiveNoFile() throws {
    let place = try TemporaryFolder()
    #expect(try writer(place, limits()).finish() == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
  }

  @Test func prefixesSortAsTheirOrdinals() {
    #expect(ChunkTable.metrics.filePrefix(ordinal: 12) == "healthkit_metrics-0012")
  }

  /// A small file system that fills up: its own case, with the file's path. Mounting needs root.
  @Test func aFullDiskIsNamed() throws {
    let place = try TemporaryFolder()
    let path = place.file("small")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    guard run("/bin/mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", path) else { return }
    defer { _ = run("/bin/umount", path) }
    let folder = try ChunkFolder.create(at: path + "/chunks")
    var writer = try ChunkWriter(folder: folder, table: .profiles, prefix: "p")
    var random = SplitMix(seed: 1)
    let error = #expect(throws: StagingError.self) {
      for _ in 0..<100 {
        let noise = (0..<20_000).map { _ in UInt8(random.below(256)) }
        try writer.appendRow { row in
          for _ in 0..<3 { row.append(text: noise) }
        }
      }
    }
    #expect(error == .diskFull(path: path + "/chunks/p-0001.pgcopy.zst.partial"))
    // Nothing half-written looks finished.
    #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/chunks") == ["p-0001.pgcopy.zst.partial"])
  }

  private func run(_ tool: String, _ arguments: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
