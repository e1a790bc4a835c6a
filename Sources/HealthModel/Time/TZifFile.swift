/// Why a file of the zone database cannot be used.
package enum ZoneError: Error, Equatable, Sendable {
  /// Does not begin with `TZif`.
  case notTZif
  /// Ends before the data its header announces.
  case truncated(byteOffset: Int)
  /// A header or index that no valid file has.
  case malformed(byteOffset: Int)
  /// Counts leap seconds (the `right/` files); timestamps of exports and Postgres do not.
  case leapSeconds
  /// The POSIX TZ string at the end.
  case malformedFooter(String)
}

/// What a TZif file (RFC 9636) says about offsets; names of zones and the standard/wall indicators are not needed.
///
/// ```
/// header   "TZif" version(1) unused(15) isut isstd leap time type char counts (6 × 4)
/// block    time × 4 bytes, time × index, type × (offset 4, isdst 1, name 1), char, leap × 8, isstd, isut
/// header, block again with 8-byte times              version 2 and later
/// "\n" POSIX TZ string "\n"                          version 2 and later
/// ```
struct TZifFile {
  /// Before the first transition.
  var initialOffset: Int
  /// Seconds since 1970 and the offset from then on, ascending.
  var transitions: [(time: Int64, offset: Int)] = []
  /// The POSIX TZ string; empty when there is none.
  var footer: [UInt8] = []

  init(initialOffset: Int) { self.initialOffset = initialOffset }

  init(parsing bytes: [UInt8]) throws(ZoneError) {
    initialOffset = 0
    var cursor = Cursor(bytes: bytes)
    var header = try Header(parsing: &cursor)
    guard header.version != 0 else {
      try parseBlock(header, timeSize: 4, &cursor)
      return
    }
    try cursor.skip(header.blockSize(timeSize: 4))
    header = try Header(parsing: &cursor)
    try parseBlock(header, timeSize: 8, &cursor)
    try cursor.expectNewline()
    let end = bytes[cursor.offset...].firstIndex(of: 0x0A)
    guard let end else { throw .truncated(byteOffset: bytes.count) }
    footer = Array(bytes[cursor.offset..<end])
  }

  private struct Header {
    var version: UInt8
    var isUT, isStandard, leap, time, type, character: Int

    init(parsing cursor: inout Cursor) throws(ZoneError) {
      let start = cursor.offset
      guard cursor.bytes.count - start >= 4, cursor.bytes[start..<start + 4].elementsEqual("TZif".utf8) else {
        throw .notTZif
      }
      try cursor.skip(4)
      version = UInt8(truncatingIfNeeded: try cursor.integer(size: 1))
      try cursor.skip(15)
      isUT = try cursor.count()
      isStandard = try cursor.count()
      leap = try cursor.count()
      time = try cursor.count()
      type = try cursor.count()
      character = try cursor.count()
      guard type > 0 else { throw .malformed(byteOffset: start) }
    }

    func blockSize(timeSize: Int) -> Int {
      time * (timeSize + 1) + type * 6 + character + leap * (timeSize + 4) + isStandard + isUT
    }
  }

  private mutating func parseBlock(_ header: Header, timeSize: Int, _ cursor: inout Cursor) throws(ZoneError) {
    guard header.leap == 0 else { throw .leapSeconds }
    let start = cursor.offset
    try cursor.skip(header.blockSize(timeSize: timeSize))
    let end = cursor.offset
    cursor.offset = start
    var times: [Int64] = []
    for _ in 0..<header.time { times.append(try cursor.integer(size: timeSize)) }
    let indexStart = cursor.offset
    try cursor.skip(header.time)
    var offsets: [Int] = []
    for _ in 0..<header.type {
      offsets.append(Int(try cursor.integer(size: 4)))
      try cursor.skip(2)
    }
    for (i, time) in times.enumerated() {
      let index = Int(cursor.bytes[indexStart + i])
      guard index < offsets.count, i == 0 || time > times[i - 1] else { throw .malformed(byteOffset: indexStart + i) }
      transitions.append((time, offsets[index]))
    }
    guard offsets.allSatisfy({ abs($0) < 7 * 86_400 }) else { throw .malformed(byteOffset: indexStart) }
    initialOffset = offsets[0]
    cursor.offset = end
  }

  private struct Cursor {
    let bytes: [UInt8]
    var offset = 0

    mutating func skip(_ count: Int) throws(ZoneError) {
      guard bytes.count - offset >= count else { throw .truncated(byteOffset: bytes.count) }
      offset += count
    }

    /// Signed, most significant byte first.
    mutating func integer(size: Int) throws(ZoneError) -> Int64 {
      let start = offset
      try skip(size)
      var value: Int64 = bytes[start] >= 0x80 ? -1 : 0
      for byte in bytes[start..<offset] { value = value << 8 | Int64(byte) }
      return value
    }

    mutating func count() throws(ZoneError) -> Int {
      let value = try integer(size: 4)
      guard value >= 0 else { throw .malformed(byteOffset: offset - 4) }
      return Int(value)
    }

    mutating func expectNewline() throws(ZoneError) {
      guard offset < bytes.count else { throw .truncated(byteOffset: offset) }
      guard bytes[offset] == 0x0A else { throw .malformed(byteOffset: offset) }
      offset += 1
    }
  }
}
