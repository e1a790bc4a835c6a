import HealthModel
import TestSupport
import Testing

@testable import Staging

@Suite struct SegmentTests {
  /// A segment of two runs, with metadata, at `path`; what it holds.
  private func write(_ path: String, records count: Int = 6) throws -> [RecordContent] {
    var random = SplitMix(seed: 1)
    var writer = try SegmentWriter(path: path)
    var content: [RecordContent] = []
    for type in [3, 9] {
      var group = SampleGroup()
      for index in 0..<count {
        var record = random.record(within: 1000, offset: Int64(index))
        record.payloadOffset = UInt32(group.payload.count)
        record.payloadLength = UInt32(index % 3 * 4)
        group.payload += (0..<record.payloadLength).map { UInt8($0) }
        group.records.append(record)
      }
      try writer.beginRun(Symbol(index: UInt32(type)))
      try writer.append(group)
      content += group.records.map { RecordContent($0, payload: group.payload) }
    }
    try writer.finish()
    return content
  }

  private func read(_ path: String) throws -> [RecordContent] {
    let segment = try Segment(reading: path)
    var content: [RecordContent] = []
    var batch = SampleGroup()
    for run in segment.directory.runs {
      var merge = try SampleMerge([RunCursor(segment, run)])
      while try merge.nextBatch(limit: 5, payloadLimit: 10, into: &batch) {
        content += batch.records.map { RecordContent($0, payload: batch.payload) }
      }
    }
    return content
  }

  @Test(arguments: [1, 6, 20_000]) func recordsComeBackInOrder(count: Int) throws {
    let place = try TemporaryFolder()
    let content = try write(place.file("s"), records: count)
    #expect(try read(place.file("s")) == content)
    #expect(try place.permissions(of: "s") == 0o600)
    let runs = try Segment(reading: place.file("s")).directory.runs
    #expect(runs.map(\.type.index) == [3, 9])
    #expect(runs.map(\.recordCount) == [count, count])
    for block in runs.flatMap(\.blocks) { #expect(block.recordCount <= 2048) }
  }

  @Test func everyTruncationIsAnError() throws {
    let place = try TemporaryFolder()
    _ = try write(place.file("s"))
    let bytes = try place.bytes(of: "s")
    for length in 0..<bytes.count {
      try place.write(Array(bytes[..<length]), to: "cut")
      #expect(throws: StagingError.self) { try read(place.file("cut")) }
    }
  }

  @Test func aChangeOfAnyByteIsAnError() throws {
    let place = try TemporaryFolder()
    _ = try write(place.file("s"))
    let bytes = try place.bytes(of: "s")
    for index in bytes.indices {
      for change in [UInt8(1), 0x80, 0xFF] {
        var changed = bytes
        changed[index] ^= change
        try place.write(changed, to: "changed")
        #expect(throws: StagingError.self, "byte \(index) changed by \(change)") { try read(place.file("changed")) }
      }
    }
  }

  @Test func aRecordWithMegabytesOfMetadataHasABlockOfItsOwn() throws {
    let place = try TemporaryFolder()
    var writer = try SegmentWriter(path: place.file("s"))
    var group = SampleGroup()
    for length in [10, 5_000_000, 7] {
      var record = SampleRecord(start: Instant(seconds: 1), end: Instant(seconds: 1))
      record.inputOffset = Int64(group.records.count)
      record.payloadOffset = UInt32(group.payload.count)
      record.payloadLength = UInt32(length)
      group.payload += repeatElement(UInt8(truncatingIfNeeded: length), count: length)
      group.records.append(record)
    }
    try writer.beginRun(.empty)
    try writer.append(group)
    try writer.finish()
    let blocks = try Segment(reading: place.file("s")).directory.runs[0].blocks
    #expect(blocks.map(\.payloadByteCount) == [10, 5_000_000, 7])
    #expect(try read(place.file("s")) == group.records.map { RecordContent($0, payload: group.payload) })
  }
}
