package import HealthModel

/// Reads a binary COPY stream that arrives in pieces of any size, row by row.
///
/// ```
/// decoder.append(piece)
/// while try decoder.nextRow() { use(try decoder.uuid(0), decoder.range(of: 1), …) }
/// …
/// try decoder.finish()
/// ```
/// Fields are ranges of `bytes`, valid until the next `append`. Layout: see `CopyEncoder`.
package struct CopyDecoder: Sendable {
  private enum State { case header, rows, ended }

  /// Field longer than any PostgreSQL can hold: garbage, and no reason to wait for a gigabyte.
  private static let longestField = 0x3FFF_FFFF
  private static let longestExtension = 1 << 20

  package let fieldCount: Int
  /// Bytes not yet consumed, and those of the current row.
  package private(set) var bytes: [UInt8] = []
  private var position = 0
  private var rowStart = 0
  private var state = State.header
  /// Start and length of each field of the current row; length -1 is NULL.
  private var fields: [(start: Int, length: Int)]
  /// Complete rows so far; the current one is included.
  package private(set) var rowCount = 0

  package init(fieldCount: Int) {
    self.fieldCount = fieldCount
    fields = Array(repeating: (0, -1), count: fieldCount)
  }

  package mutating func append(_ piece: Span<UInt8>) {
    if position > 0 {
      bytes.removeSubrange(0..<position)
      position = 0
    }
    unsafe piece.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
  }

  /// Moves to the next row; false: more bytes are needed, or the trailer has been read (`hasEnded`).
  package mutating func nextRow() throws(CopyError) -> Bool {
    if state == .header {
      guard try readHeader() else { return false }
    }
    guard state == .rows else {
      if position < bytes.count { throw .bytesAfterTrailer(byteCount: bytes.count - position) }
      return false
    }
    return try readRow()
  }

  /// The trailer has been read.
  package var hasEnded: Bool { state == .ended }

  /// The stream has no more bytes: an error unless it ended with its trailer.
  package func finish() throws(CopyError) {
    guard state == .ended else { throw .truncated(row: rowCount) }
    if position < bytes.count { throw .bytesAfterTrailer(byteCount: bytes.count - position) }
  }

  private mutating func readHeader() throws(CopyError) -> Bool {
    for (index, byte) in CopyEncoder.signature.enumerated() {
      guard index < bytes.count else { return false }
      if bytes[index] != byte { throw .badSignature }
    }
    guard bytes.count >= CopyEncoder.headerByteCount else { return false }
    let flags = UInt32(truncatingIfNeeded: integer(at: 11, byteCount: 4))
    // The lower half is for hints a reader may ignore.
    if flags >> 16 != 0 { throw .unsupportedFlags(flags) }
    let extensionLength = Int(integer(at: 15, byteCount: 4))
    guard (0...CopyDecoder.longestExtension).contains(extensionLength) else {
      throw .badHeaderExtension(byteCount: extensionLength)
    }
    guard bytes.count >= CopyEncoder.headerByteCount + extensionLength else { return false }
    position = CopyEncoder.headerByteCount + extensionLength
    state = .rows
    return true
  }

  private mutating func readRow() throws(CopyError) -> Bool {
    var cursor = position
    guard bytes.count - cursor >= 2 else { return false }
    let count = Int(integer(at: cursor, byteCount: 2))
    cursor += 2
    if count == -1 {
      position = cursor
      state = .ended
      if position < bytes.count { throw .bytesAfterTrailer(byteCount: bytes.count - position) }
      return false
    }
    if count != fieldCount { throw .wrongFieldCount(row: rowCount, expected: fieldCount, found: count) }
    for field in 0..<count {
      guard bytes.count - cursor >= 4 else { return false }
      let length = Int(integer(at: cursor, byteCount: 4))
      guard (-1...CopyDecoder.longestField).contains(length) else {
        throw .badFieldLength(row: rowCount, field: field, byteCount: length)
      }
      cursor += 4
      fields[field] = (cursor, length)
      if length > 0 {
        guard bytes.count - cursor >= length else { return false }
        cursor += length
      }
    }
    rowStart = position
    position = cursor
    rowCount += 1
    return true
  }

  /// Big-endian, sign-extended.
  private func integer(at offset: Int, byteCount: Int) -> Int64 {
    let span = bytes.span
    var value = Int64(Int8(bitPattern: span[offset]))
    for index in 1..<byteCount { value = value << 8 | Int64(span[offset + index]) }
    return value
  }
}

// MARK: Fields of the current row

extension CopyDecoder {
  /// Where the row's own encoding is in `bytes`, field count included: what `CopyEncoder.appendEncoded` takes.
  package var encodedRow: Range<Int> { rowStart..<position }

  package func isNull(_ field: Int) -> Bool { fields[field].length < 0 }

  /// Where the field's bytes are in `bytes`; nil when it is NULL.
  package func range(of field: Int) -> Range<Int>? {
    let (start, length) = fields[field]
    return length < 0 ? nil : start..<start + length
  }

  /// A copy of the field's bytes; nil when it is NULL.
  package func text(_ field: Int) -> [UInt8]? { range(of: field).map { Array(bytes[$0]) } }

  package func string(_ field: Int) -> String? { range(of: field).map { String(decoding: bytes[$0], as: UTF8.self) } }

  /// Where the JSON text of a `jsonb` field is; nil when it is NULL.
  package func jsonbRange(of field: Int) throws(CopyError) -> Range<Int>? {
    guard let range = range(of: field) else { return nil }
    guard !range.isEmpty, bytes[range.lowerBound] == 1 else { throw .unrepresentable(row: row, field: field) }
    return range.dropFirst()
  }

  package func uuid(_ field: Int) throws(CopyError) -> RowID? {
    guard let start = try start(of: field, byteCount: 16) else { return nil }
    return RowID(
      high: UInt64(bitPattern: integer(at: start, byteCount: 8)),
      low: UInt64(bitPattern: integer(at: start + 8, byteCount: 8)))
  }

  package func float8(_ field: Int) throws(CopyError) -> Double? {
    guard let bits = try int8(field) else { return nil }
    return Double(bitPattern: UInt64(bitPattern: bits))
  }

  package func int8(_ field: Int) throws(CopyError) -> Int64? {
    guard let start = try start(of: field, byteCount: 8) else { return nil }
    return integer(at: start, byteCount: 8)
  }

  package func int4(_ field: Int) throws(CopyError) -> Int32? {
    guard let start = try start(of: field, byteCount: 4) else { return nil }
    return Int32(truncatingIfNeeded: integer(at: start, byteCount: 4))
  }

  /// `infinity` and `-infinity` are no instants.
  package func timestamptz(_ field: Int) throws(CopyError) -> Instant? {
    guard let microseconds = try int8(field) else { return nil }
    let limit = Int64.max - Instant.postgresEpoch.microseconds
    guard microseconds != .min, microseconds < limit else { throw .unrepresentable(row: row, field: field) }
    return Instant(postgresMicroseconds: microseconds)
  }

  /// `infinity` and `-infinity` are no days.
  package func date(_ field: Int) throws(CopyError) -> CivilDay? {
    guard let days = try int4(field) else { return nil }
    guard days != .min, days < Int32.max - 10_957 else { throw .unrepresentable(row: row, field: field) }
    return CivilDay(postgresDays: days)
  }

  /// The same readers for columns that are NOT NULL.
  package func required<Value>(_ value: Value?, _ field: Int) throws(CopyError) -> Value {
    guard let value else { throw .unexpectedNull(row: row, field: field) }
    return value
  }

  private var row: Int { rowCount - 1 }

  private func start(of field: Int, byteCount: Int) throws(CopyError) -> Int? {
    let (start, length) = fields[field]
    if length < 0 { return nil }
    if length != byteCount {
      throw .wrongFieldSize(row: row, field: field, expected: byteCount, found: length)
    }
    return start
  }
}
