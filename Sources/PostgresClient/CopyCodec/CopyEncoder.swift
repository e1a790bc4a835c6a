package import HealthModel

/// Writes PostgreSQL's binary COPY format (documentation of COPY, "Binary Format") into a byte array.
///
/// ```
/// PGCOPY\n 0xFF \r\n \0 | flags int32 | extension length int32      header, 19 bytes
/// field count int16 | ( length int32 | bytes ) …                    one row; length -1 is NULL
/// -1 int16                                                          trailer
/// ```
/// All numbers are big-endian. The caller writes exactly the announced fields, in column order; nothing checks the
/// types against a table before the server does. `bytes` is emptied by the caller whenever it has grown enough.
package struct CopyEncoder: Sendable {
  package static let signature: [UInt8] = [
    0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00,
  ]
  package static let headerByteCount = 19

  @usableFromInline package private(set) var bytes: [UInt8] = []

  package init() {}

  package var count: Int { bytes.count }

  package mutating func reserveCapacity(_ byteCount: Int) { bytes.reserveCapacity(byteCount) }

  /// Forgets what was written, keeps the memory.
  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  // MARK: Stream and rows

  package mutating func appendHeader() {
    bytes.append(contentsOf: CopyEncoder.signature)
    bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, 0])
  }

  package mutating func beginRow(fieldCount: Int) {
    unsafe write(2) { out in
      unsafe out.storeBytes(of: Int16(fieldCount).bigEndian, as: Int16.self)
    }
  }

  package mutating func appendTrailer() {
    unsafe write(2) { out in
      unsafe out.storeBytes(of: -1, as: Int16.self)
    }
  }

  /// Bytes that already are in COPY form, for instance fields that are the same in every row.
  package mutating func appendEncoded(_ encoded: Span<UInt8>) {
    unsafe write(encoded.count) { out in unsafe CopyEncoder.copy(encoded, to: out) }
  }

  // MARK: Fields

  package mutating func appendNull() {
    unsafe write(4) { out in
      unsafe out.storeBytes(of: -1, as: Int32.self)
    }
  }

  package mutating func append(uuid: RowID) {
    let (high, low) = (uuid.high.bigEndian, uuid.low.bigEndian)
    unsafe write(20) { out in
      unsafe out.storeBytes(of: Int32(16).bigEndian, as: Int32.self)
      unsafe out.storeBytes(of: high, toByteOffset: 4, as: UInt64.self)
      unsafe out.storeBytes(of: low, toByteOffset: 12, as: UInt64.self)
    }
  }

  package mutating func append(text: Span<UInt8>) {
    let length = Int32(text.count)
    unsafe write(4 + text.count) { out in
      unsafe out.storeBytes(of: length.bigEndian, as: Int32.self)
      unsafe CopyEncoder.copy(text, to: out + 4)
    }
  }

  package mutating func append(text: [UInt8]) { append(text: text.span) }

  package mutating func append(text: String) { append(text: Array(text.utf8).span) }

  /// `jsonb`: a version byte, then the JSON text.
  package mutating func append(jsonb: Span<UInt8>) {
    let length = Int32(jsonb.count + 1)
    unsafe write(5 + jsonb.count) { out in
      unsafe out.storeBytes(of: length.bigEndian, as: Int32.self)
      unsafe out.storeBytes(of: 1, toByteOffset: 4, as: UInt8.self)
      unsafe CopyEncoder.copy(jsonb, to: out + 5)
    }
  }

  package mutating func append(float8: Double) { append(int8: Int64(bitPattern: float8.bitPattern)) }

  package mutating func append(float4: Float) { append(int4: Int32(bitPattern: float4.bitPattern)) }

  package mutating func append(int4: Int32) {
    unsafe write(8) { out in
      unsafe out.storeBytes(of: Int32(4).bigEndian, as: Int32.self)
      unsafe out.storeBytes(of: int4.bigEndian, toByteOffset: 4, as: Int32.self)
    }
  }

  package mutating func append(int8: Int64) {
    unsafe write(12) { out in
      unsafe out.storeBytes(of: Int32(8).bigEndian, as: Int32.self)
      unsafe out.storeBytes(of: int8.bigEndian, toByteOffset: 4, as: Int64.self)
    }
  }

  package mutating func append(date: CivilDay) { append(int4: date.postgresDays) }

  package mutating func append(timestamptz: Instant) { append(int8: timestamptz.postgresMicroseconds) }

  /// A one-dimensional `text[]` without NULLs.
  package mutating func append(textArray: [[UInt8]]) {
    let size = textArray.reduce(0) { $0 + 4 + $1.count }
    appendArrayHeader(elementOID: 25, count: textArray.count, elementByteCount: size)
    for element in textArray { append(text: element.span) }
  }

  /// A one-dimensional `float4[]` without NULLs.
  package mutating func append(float4Array: [Float]) {
    appendArrayHeader(elementOID: 700, count: float4Array.count, elementByteCount: 8 * float4Array.count)
    for element in float4Array { append(float4: element) }
  }

  /// `dimensions | has NULLs | element type | (count | lower bound)`; an empty array has no dimension.
  private mutating func appendArrayHeader(elementOID: Int32, count: Int, elementByteCount: Int) {
    let length = (count == 0 ? 12 : 20) + elementByteCount
    var words: [Int32] = [Int32(length), count == 0 ? 0 : 1, 0, elementOID]
    if count > 0 { words += [Int32(count), 1] }
    for word in words {
      unsafe write(4) { out in
        unsafe out.storeBytes(of: word.bigEndian, as: Int32.self)
      }
    }
  }

  // MARK: Memory

  /// Grows by `byteCount` bytes, all of which `fill` writes: one check a field, or a row, instead of one a byte.
  @unsafe @inlinable @inline(__always)
  package mutating func write(_ byteCount: Int, _ fill: (UnsafeMutableRawPointer) -> Void) {
    bytes.append(addingCapacity: byteCount) { output in
      unsafe output.withUnsafeMutableBufferPointer { memory, initializedCount in
        if let base = memory.baseAddress { unsafe fill(UnsafeMutableRawPointer(base)) }
        initializedCount = byteCount
      }
    }
  }

  @inline(__always)
  private static func copy(_ source: Span<UInt8>, to target: UnsafeMutableRawPointer) {
    unsafe source.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { unsafe target.copyMemory(from: base, byteCount: bytes.count) }
    }
  }
}
