import HealthModel
import TestSupport

extension SplitMix {
  /// A record as mapping makes them, within `seconds` after 2020 or, rarely, anything its fields can hold.
  mutating func record(within seconds: Int, offset: Int64) -> SampleRecord {
    let start = 1_577_836_800 + Int64(below(seconds))
    var record = SampleRecord(start: Instant(seconds: start), end: Instant(seconds: start + Int64(below(100))))
    record.value = below(2) == 0 ? Double(below(200)) : Double(below(100_000)) / 1000
    record.flags = SampleRecord.Flags(rawValue: below(10) == 0 ? UInt32(truncatingIfNeeded: next()) : 7)
    record.source = Symbol(index: UInt32(below(3)))
    record.exportedUnit = Symbol(index: UInt32(below(4)))
    record.inputOffset = offset
    if below(20) == 0 {
      record.start = Instant(microseconds: Int64(bitPattern: next()) / 4)
      record.end = Instant(microseconds: record.start.microseconds + Int64(below(.max)) / 4)
      record.value = Double(bitPattern: next())
      record.naming = next()
      record.subtype = Symbol(index: UInt32(truncatingIfNeeded: next()))
    }
    return record
  }
}

/// Everything of a record but its place in the payload, comparable bit by bit.
struct RecordContent: Equatable {
  var words: [UInt64]
  var payload: [UInt8]

  init(_ record: SampleRecord, payload: [UInt8]) {
    words = [
      UInt64(bitPattern: record.start.microseconds), UInt64(bitPattern: record.end.microseconds),
      UInt64(bitPattern: record.inputOffset), record.value.bitPattern, record.naming, UInt64(record.source.index),
      UInt64(record.exportedUnit.index), UInt64(record.subtype.index), UInt64(record.flags.rawValue),
    ]
    self.payload = Array(payload[record.payloadRange])
  }

  /// By start, end and place in the input.
  static func precedes(_ a: RecordContent, _ b: RecordContent) -> Bool {
    let (x, y) = (a.words.prefix(3).map(Int64.init(bitPattern:)), b.words.prefix(3).map(Int64.init(bitPattern:)))
    return x.lexicographicallyPrecedes(y)
  }
}
