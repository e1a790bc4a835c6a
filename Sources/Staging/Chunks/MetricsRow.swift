import HealthModel
import PostgresClient

/// Rows of `healthkit_metrics` in COPY form, straight from resolved samples of one type and user.
///
/// Most bytes of a row are the same in all rows, or one of a few: these are encoded once and copied.
struct MetricsRow {
  /// Two bytes of field count, then `id`; value, start and end with their lengths; without end and metadata.
  private static let fixedByteCount = 2 + 20 + 12 + 12

  private struct Pair: BitwiseCopyable {
    var unit: UInt32
    var source: UInt32
    var start: Int
    var end: Int
  }

  let metricType: [UInt8]
  let userID: [UInt8]
  /// `user_id` and `metric_type`, from 0; then `unit` and `source_device` of each of `pairs`.
  private var encoded: [UInt8]
  private let sharedByteCount: Int
  private var pairs: [Pair] = []

  init(metricType: [UInt8], userID: [UInt8]) {
    self.metricType = metricType
    self.userID = userID
    var encoder = CopyEncoder()
    encoder.append(text: userID)
    encoder.append(text: metricType)
    encoded = encoder.bytes
    sharedByteCount = encoded.count
  }

  /// Columns in the order of `ChunkTable.metrics.columns`.
  mutating func encode(
    _ row: ResolvedSample, payload: Span<UInt8>, symbols: [[UInt8]], into encoder: inout CopyEncoder
  ) {
    let flags = row.record.flags.rawValue
    let hasValue = flags & SampleRecord.Flags.hasValue.rawValue != 0
    let hasEnd = flags & SampleRecord.Flags.hasEnd.rawValue != 0
    let pair = pair(unit: row.unit.index, source: row.record.source.index, symbols: symbols)
    let start = Int(row.record.payloadOffset)
    let metadata = payload.extracting(start..<start + Int(row.record.payloadLength))
    let size =
      MetricsRow.fixedByteCount + sharedByteCount + (pair.end - pair.start) + (hasEnd ? 12 : 4)
      + (metadata.isEmpty ? 4 : 5 + metadata.count) - (hasValue ? 0 : 8)
    unsafe encoder.write(size) { memory in
      // In bounds: the fields below are those that `size` adds up; the last line checks it.
      var out = unsafe FieldWriter(memory)
      unsafe out.write(Int16(9))
      unsafe out.write(Int32(16))
      unsafe out.write(row.id.high)
      unsafe out.write(row.id.low)
      unsafe encoded.withUnsafeBytes { encoded in
        unsafe out.write(encoded, 0, sharedByteCount)
        unsafe out.writeEight(row.record.value.bitPattern, isNull: !hasValue)
        unsafe out.write(encoded, pair.start, pair.end)
      }
      let (startedAt, endedAt) = (row.startedAt.microseconds, row.endedAt.microseconds)
      unsafe out.writeEight(UInt64(bitPattern: startedAt - MetricsRow.epoch), isNull: false)
      unsafe out.writeEight(UInt64(bitPattern: endedAt - MetricsRow.epoch), isNull: !hasEnd)
      if metadata.isEmpty {
        unsafe out.write(Int32(-1))
      } else {
        unsafe out.write(Int32(metadata.count + 1))
        unsafe out.write(UInt8(1))
        unsafe metadata.withUnsafeBytes { unsafe out.write($0, 0, $0.count) }
      }
      precondition(unsafe out.position == size)
    }
  }

  private static let epoch = Instant.postgresEpoch.microseconds

  @inline(__always)
  private mutating func pair(unit: UInt32, source: UInt32, symbols: [[UInt8]]) -> Pair {
    for pair in pairs where pair.source == source && pair.unit == unit { return pair }
    return addPair(unit: unit, source: source, symbols: symbols)
  }

  private mutating func addPair(unit: UInt32, source: UInt32, symbols: [[UInt8]]) -> Pair {
    // Types have a few sources; one with many (each app version its own name) starts over.
    if pairs.count == 16 {
      pairs.removeAll()
      encoded.removeSubrange(sharedByteCount...)
    }
    var encoder = CopyEncoder()
    encoder.append(text: symbols[Int(unit)])
    encoder.append(text: symbols[Int(source)])
    let pair = Pair(unit: unit, source: source, start: encoded.count, end: encoded.count + encoder.count)
    encoded += encoder.bytes
    pairs.append(pair)
    return pair
  }
}

/// Writes big-endian fields without bounds checks; whoever makes one has reserved the memory.
@unsafe private struct FieldWriter {
  private let base: UnsafeMutableRawPointer
  var position = 0

  init(_ base: UnsafeMutableRawPointer) { unsafe self.base = unsafe base }

  @inline(__always) mutating func write<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
    unsafe base.storeBytes(of: number.bigEndian, toByteOffset: position, as: Number.self)
    unsafe position += MemoryLayout<Number>.size
  }

  /// A field of eight bytes, or NULL.
  @inline(__always) mutating func writeEight(_ bits: UInt64, isNull: Bool) {
    unsafe write(Int32(isNull ? -1 : 8))
    if !isNull { unsafe write(bits) }
  }

  @inline(__always) mutating func write(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) {
    let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    if let source = part.baseAddress { unsafe (base + position).copyMemory(from: source, byteCount: part.count) }
    unsafe position += part.count
  }
}
