import HealthModel

/// The records of one block in few bytes: what does not change from record to record takes none. Smaller input is
/// what makes compression fast; the payload is not in it.
///
/// ```
/// head     0x0F  significant bytes of the value (trailing zero bytes of the double are not written)
///          0x10  source, unit, subtype and flags follow (else: as before)
///          0x20  naming follows
///          0x40  times are in whole seconds
/// start − start before, end − start, input offset − the one before      zigzag LEB128
/// payload length                                                        LEB128
/// [source, unit, subtype, flags]                                        LEB128
/// [naming]                                                              8 bytes
/// value                                                                 0 to 8 bytes, most significant last
/// ```
/// `payloadOffset` is not written: payloads lie in the order of their records.
enum RecordPacking {
  /// Writing a record takes no more: 1 + 3 × 10 + 5 + 4 × 5 + 8 + 8 bytes.
  static let longestRecord = 72
  /// Reading one takes no more, whatever the bytes are: 1 + 8 × 10 + 8 + 8.
  static let longestRead = 97

  private static let hasAttributes: UInt8 = 0x10
  private static let hasNaming: UInt8 = 0x20
  private static let wholeSeconds: UInt8 = 0x40

  static func append(_ records: [SampleRecord], to bytes: inout [UInt8]) {
    if records.isEmpty { return }
    let source = records.span
    bytes.append(addingCapacity: source.count * longestRecord) { output in
      unsafe output.withUnsafeMutableBufferPointer { memory, initializedCount in
        guard let base = memory.baseAddress else { return }
        // In bounds: each record writes at most `longestRecord` bytes, and eight at once only for the value, at the end
        // of a record that has room for them.
        var out = unsafe ByteWriter(UnsafeMutableRawPointer(base))
        var last = SampleRecord(start: Instant(microseconds: 0), end: Instant(microseconds: 0))
        for index in source.indices {
          let record = source[index]
          unsafe pack(record, after: last, &out)
          last = record
        }
        initializedCount = unsafe out.position
      }
    }
  }

  @inline(__always)
  private static func pack(_ record: SampleRecord, after last: SampleRecord, _ out: inout ByteWriter) {
    var start = record.start.microseconds &- last.start.microseconds
    var length = record.end.microseconds &- record.start.microseconds
    let bits = record.value.bitPattern
    let valueByteCount = bits == 0 ? 0 : 8 - bits.trailingZeroBitCount / 8
    var head = UInt8(truncatingIfNeeded: valueByteCount)
    let (seconds, lengthSeconds) = (start / 1_000_000, length / 1_000_000)
    if seconds &* 1_000_000 == start && lengthSeconds &* 1_000_000 == length {
      head |= wholeSeconds
      (start, length) = (seconds, lengthSeconds)
    }
    let isSame =
      record.source.index == last.source.index && record.exportedUnit.index == last.exportedUnit.index
      && record.subtype.index == last.subtype.index && record.flags.rawValue == last.flags.rawValue
    if !isSame { head |= hasAttributes }
    if record.naming != 0 { head |= hasNaming }
    unsafe out.byte(head)
    unsafe out.signed(start)
    unsafe out.signed(length)
    unsafe out.signed(record.inputOffset &- last.inputOffset)
    unsafe out.unsigned(UInt64(record.payloadLength))
    if !isSame {
      unsafe out.unsigned(UInt64(record.source.index))
      unsafe out.unsigned(UInt64(record.exportedUnit.index))
      unsafe out.unsigned(UInt64(record.subtype.index))
      unsafe out.unsigned(UInt64(record.flags.rawValue))
    }
    if record.naming != 0 { unsafe out.word(record.naming, byteCount: 8) }
    if valueByteCount > 0 { unsafe out.word(bits >> UInt64(64 - 8 * valueByteCount), byteCount: valueByteCount) }
  }

  /// Replaces `records` by the `count` records in the first `byteCount` bytes of `bytes`, after which at least
  /// `longestRead` more bytes (of any value) must lie. Returns the sum of the payloads; nil when the bytes are not
  /// those of a block.
  static func unpack(
    _ bytes: Span<UInt8>, byteCount: Int, count: Int, into records: inout [SampleRecord]
  ) -> Int? {
    precondition(bytes.count >= byteCount + longestRead)
    records.removeAll(keepingCapacity: true)
    // The smallest record has five bytes: no memory for counts that cannot be.
    guard byteCount >= 0, count >= 0, count <= byteCount else { return nil }
    // An empty array that gets no capacity would write its count into the storage that all empty arrays share.
    if count == 0 { return byteCount == 0 ? 0 : nil }
    var payloadByteCount = 0
    var isWhole = true
    records.append(addingCapacity: count) { output in
      unsafe bytes.withUnsafeBytes { memory in
        guard let base = memory.baseAddress else { return }
        // In bounds: a record is begun only before `byteCount`, and reads at most `longestRead` bytes.
        var input = unsafe ByteReader(base)
        var record = SampleRecord(start: Instant(microseconds: 0), end: Instant(microseconds: 0))
        for _ in 0..<count {
          guard unsafe input.position < byteCount else { break }
          unsafe unpack(&record, &input)
          guard let offset = UInt32(exactly: payloadByteCount) else { break }
          record.payloadOffset = offset
          payloadByteCount += Int(record.payloadLength)
          output.append(record)
        }
        isWhole = unsafe input.position == byteCount
      }
    }
    return isWhole && records.count == count ? payloadByteCount : nil
  }

  @inline(__always)
  private static func unpack(_ record: inout SampleRecord, _ input: inout ByteReader) {
    let head = unsafe input.byte()
    var start = unsafe input.signed()
    var length = unsafe input.signed()
    if head & wholeSeconds != 0 {
      start = start &* 1_000_000
      length = length &* 1_000_000
    }
    record.start.microseconds = record.start.microseconds &+ start
    record.end.microseconds = record.start.microseconds &+ length
    record.inputOffset = unsafe record.inputOffset &+ input.signed()
    record.payloadLength = unsafe UInt32(truncatingIfNeeded: input.unsigned())
    if head & hasAttributes != 0 {
      record.source.index = unsafe UInt32(truncatingIfNeeded: input.unsigned())
      record.exportedUnit.index = unsafe UInt32(truncatingIfNeeded: input.unsigned())
      record.subtype.index = unsafe UInt32(truncatingIfNeeded: input.unsigned())
      record.flags = unsafe SampleRecord.Flags(rawValue: UInt32(truncatingIfNeeded: input.unsigned()))
    }
    record.naming = head & hasNaming != 0 ? unsafe input.word(byteCount: 8) : 0
    let valueByteCount = Int(min(head & 0x0F, 8))
    let bits = valueByteCount == 0 ? 0 : unsafe input.word(byteCount: valueByteCount) << UInt64(64 - 8 * valueByteCount)
    record.value = Double(bitPattern: bits)
  }
}

/// Writes without bounds checks; whoever makes one has reserved the memory.
@unsafe private struct ByteWriter {
  private let base: UnsafeMutableRawPointer
  var position = 0

  init(_ base: UnsafeMutableRawPointer) { unsafe self.base = unsafe base }

  @inline(__always) mutating func byte(_ value: UInt8) {
    unsafe base.storeBytes(of: value, toByteOffset: position, as: UInt8.self)
    unsafe position += 1
  }

  @inline(__always) mutating func unsigned(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      unsafe byte(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    unsafe byte(UInt8(truncatingIfNeeded: rest))
  }

  @inline(__always) mutating func signed(_ value: Int64) {
    unsafe unsigned(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// The low bytes of `value`, least significant first.
  @inline(__always) mutating func word(_ value: UInt64, byteCount: Int) {
    unsafe base.storeBytes(of: value.littleEndian, toByteOffset: position, as: UInt64.self)
    unsafe position += byteCount
  }
}

/// Reads without bounds checks; whoever makes one has checked the memory.
@unsafe private struct ByteReader {
  private let base: UnsafeRawPointer
  var position = 0

  init(_ base: UnsafeRawPointer) { unsafe self.base = unsafe base }

  @inline(__always) mutating func byte() -> UInt8 {
    defer { unsafe position += 1 }
    return unsafe base.load(fromByteOffset: position, as: UInt8.self)
  }

  /// At most ten bytes, whatever they are.
  @inline(__always) mutating func unsigned() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 70 {
      let byte = unsafe byte()
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    return value
  }

  @inline(__always) mutating func signed() -> Int64 {
    let value = unsafe unsigned()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  @inline(__always) mutating func word(byteCount: Int) -> UInt64 {
    defer { unsafe position += byteCount }
    let word = unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    return byteCount == 8 ? word : word & (1 << UInt64(8 * byteCount) - 1)
  }
}
