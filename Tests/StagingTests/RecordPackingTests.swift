import HealthModel
import TestSupport
import Testing

@testable import Staging

@Suite struct RecordPackingTests {
  private func unpack(_ bytes: [UInt8], count: Int) -> (records: [SampleRecord], payloadByteCount: Int?) {
    var records: [SampleRecord] = []
    let padded = bytes + Array(repeating: 0xFF, count: RecordPacking.longestRead)
    let payload = RecordPacking.unpack(padded.span, byteCount: bytes.count, count: count, into: &records)
    return (records, payload)
  }

  private func words(_ record: SampleRecord) -> [UInt64] {
    var record = record
    (record.payloadOffset, record.payloadLength) = (0, 0)
    return RecordContent(record, payload: []).words
  }

  @Test func aHeartRateTakesFewBytes() {
    var record = SampleRecord(start: Instant(seconds: 10), end: Instant(seconds: 12))
    record.value = 72
    record.flags = [.hasValue]
    record.inputOffset = 300
    var second = record
    second.start = Instant(seconds: 15)
    second.end = Instant(seconds: 15)
    second.inputOffset = 700
    second.payloadLength = 2
    var bytes: [UInt8] = []
    RecordPacking.append([record, second], to: &bytes)
    // 72 is 0x4052000000000000: two significant bytes, the lower first.
    let first: [UInt8] = [0x52, 20, 4, 0xD8, 0x04, 0, 0, 0, 0, 1, 0x52, 0x40]
    #expect(bytes == first + [0x42, 10, 0, 0xA0, 0x06, 2, 0x52, 0x40])
    let unpacked = unpack(bytes, count: 2)
    #expect(unpacked.payloadByteCount == 2)
    #expect(unpacked.records.map(\.payloadOffset) == [0, 0])
  }

  @Test func allFieldsOfAnyRecordComeBack() {
    var random = SplitMix(printing: "RecordPackingTests.allFieldsOfAnyRecordComeBack")
    for count in [0, 1, 2, 1000] {
      var records = (0..<count).map { _ in
        random.record(within: 1000, offset: Int64(bitPattern: random.next()))
      }
      for index in records.indices { records[index].payloadLength = UInt32(random.below(1 << 20)) }
      var bytes: [UInt8] = []
      RecordPacking.append(records, to: &bytes)
      #expect(bytes.count <= count * RecordPacking.longestRecord)
      let unpacked = unpack(bytes, count: count)
      #expect(unpacked.payloadByteCount == records.reduce(0) { $0 + Int($1.payloadLength) })
      #expect(unpacked.records.map(\.payloadLength) == records.map(\.payloadLength))
      #expect(unpacked.records.map(words) == records.map(words))
    }
  }

  @Test func everyTruncationAndWrongCountIsNoticed() {
    var random = SplitMix(printing: "RecordPackingTests.everyTruncationAndWrongCountIsNoticed")
    let records = (0..<20).map { random.record(within: 1000, offset: Int64($0)) }
    var bytes: [UInt8] = []
    RecordPacking.append(records, to: &bytes)
    for length in 0..<bytes.count { #expect(unpack(Array(bytes[..<length]), count: 20).payloadByteCount == nil) }
    #expect(unpack(bytes, count: 19).payloadByteCount == nil)
    #expect(unpack(bytes, count: 21).payloadByteCount == nil)
    #expect(unpack(bytes, count: .max).payloadByteCount == nil)
  }

  @Test func anyBytesAreReadWithoutHarm() {
    var random = SplitMix(printing: "RecordPackingTests.anyBytesAreReadWithoutHarm")
    for _ in 0..<5000 {
      let isDense = random.below(2) == 0
      let bytes = (0..<random.below(300)).map { _ in UInt8(isDense ? 0x80 | random.below(128) : random.below(256)) }
      let unpacked = unpack(bytes, count: random.below(80))
      #expect(unpacked.records.count < 80)
    }
  }
}
