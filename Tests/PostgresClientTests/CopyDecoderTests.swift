import HealthModel
import PostgresClient
import Testing

@Suite struct CopyDecoderTests {
  private func sample() -> [UInt8] {
    var encoder = CopyEncoder()
    encoder.appendHeader()
    for row in 0..<3 {
      encoder.beginRow(fieldCount: 8)
      encoder.append(uuid: RowID(high: 1, low: UInt64(row)))
      encoder.append(text: "row \(row)")
      encoder.append(float8: -0.25)
      encoder.append(timestamptz: Instant(microseconds: -1))
      encoder.append(date: CivilDay(daysSince1970: -1))
      encoder.append(int4: .min)
      encoder.append(int8: .max)
      encoder.append(jsonb: Array("{\"a\":1}".utf8).span)
    }
    encoder.appendTrailer()
    return encoder.bytes
  }

  /// Rows read from `stream` given in pieces of `size` bytes.
  private func decode(_ stream: [UInt8], pieceSize size: Int, fields: Int = 8) throws -> Int {
    var decoder = CopyDecoder(fieldCount: fields)
    var start = 0
    while start < stream.count {
      let end = min(start + size, stream.count)
      decoder.append(stream.span.extracting(start..<end))
      while try decoder.nextRow() {}
      start = end
    }
    try decoder.finish()
    return decoder.rowCount
  }

  @Test func fieldsComeBackTyped() throws {
    var decoder = CopyDecoder(fieldCount: 8)
    decoder.append(sample().span)
    for row in 0..<3 {
      #expect(try decoder.nextRow())
      #expect(try decoder.uuid(0) == RowID(high: 1, low: UInt64(row)))
      #expect(decoder.string(1) == "row \(row)")
      #expect(decoder.text(1) == Array("row \(row)".utf8))
      #expect(try decoder.float8(2) == -0.25)
      #expect(try decoder.timestamptz(3) == Instant(microseconds: -1))
      #expect(try decoder.date(4) == CivilDay(daysSince1970: -1))
      #expect(try decoder.int4(5) == .min)
      #expect(try decoder.int8(6) == .max)
      let json = try #require(try decoder.jsonbRange(of: 7))
      #expect(decoder.bytes[json].elementsEqual("{\"a\":1}".utf8))
    }
    #expect(try !decoder.nextRow())
    #expect(decoder.hasEnded)
    try decoder.finish()
  }

  @Test func anyPieceSizeGivesTheSameRows() throws {
    let stream = sample()
    for size in 1...stream.count { #expect(try decode(stream, pieceSize: size) == 3) }
  }

  @Test func everyTruncationIsAnError() {
    let stream = sample()
    for length in 0..<stream.count {
      let cut = Array(stream[..<length])
      let error = #expect(throws: CopyError.self) { _ = try decode(cut, pieceSize: 7) }
      guard case .truncated = error else {
        Issue.record("\(length): \(String(describing: error))")
        return
      }
    }
  }

  @Test func garbageIsNamed() {
    let stream = sample()
    func error(_ change: (inout [UInt8]) -> Void, fields: Int = 8) -> CopyError? {
      var changed = stream
      change(&changed)
      return #expect(throws: CopyError.self) { _ = try decode(changed, pieceSize: 64, fields: fields) }
    }
    #expect(error { $0[7] = 0x7F } == .badSignature)
    #expect(error { $0[12] = 1 } == .unsupportedFlags(0x0001_0000))
    #expect(error { $0[15] = 0x7F } == .badHeaderExtension(byteCount: 0x7F00_0000))
    #expect(error { $0[15] = 0xFF } == .badHeaderExtension(byteCount: -0x0100_0000))
    #expect(error { $0[20] = 9 } == .wrongFieldCount(row: 0, expected: 8, found: 9))
    #expect(error({ _ in }, fields: 3) == .wrongFieldCount(row: 0, expected: 3, found: 8))
    #expect(error { $0[21] = 0x40 } == .badFieldLength(row: 0, field: 0, byteCount: 0x4000_0010))
    #expect(error { $0[21] = 0x80 } == .badFieldLength(row: 0, field: 0, byteCount: -0x7FFF_FFF0))
    #expect(error { $0.append(0) } == .bytesAfterTrailer(byteCount: 1))
  }

  @Test func readersRefuseWrongSizesNullsAndInfinity() throws {
    var encoder = CopyEncoder()
    encoder.appendHeader()
    encoder.beginRow(fieldCount: 5)
    encoder.append(int4: 7)
    encoder.appendNull()
    encoder.append(int8: .max)
    encoder.append(int4: .min)
    encoder.append(text: "{}")
    var decoder = CopyDecoder(fieldCount: 5)
    decoder.append(encoder.bytes.span)
    #expect(try decoder.nextRow())
    #expect(throws: CopyError.wrongFieldSize(row: 0, field: 0, expected: 8, found: 4)) { try decoder.float8(0) }
    #expect(throws: CopyError.wrongFieldSize(row: 0, field: 0, expected: 16, found: 4)) { try decoder.uuid(0) }
    #expect(decoder.isNull(1))
    #expect(try decoder.uuid(1) == nil)
    #expect(decoder.string(1) == nil)
    #expect(throws: CopyError.unexpectedNull(row: 0, field: 1)) { try decoder.required(try decoder.int4(1), 1) }
    #expect(throws: CopyError.unrepresentable(row: 0, field: 2)) { try decoder.timestamptz(2) }
    #expect(throws: CopyError.unrepresentable(row: 0, field: 3)) { try decoder.date(3) }
    #expect(throws: CopyError.unrepresentable(row: 0, field: 4)) { try decoder.jsonbRange(of: 4) }
  }

  /// Bytes changed at random never trap and never give more rows than their field lengths allow.
  @Test func changedBytesNeverTrap() {
    let seed = UInt64.random(in: 1 ... .max)
    print("CopyDecoderTests.changedBytesNeverTrap seed \(seed)")
    var state = seed
    func next(_ bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(bound))
    }
    let stream = sample()
    for _ in 0..<20_000 {
      var changed = stream
      for _ in 0...next(4) { changed[next(changed.count)] = UInt8(next(256)) }
      var decoder = CopyDecoder(fieldCount: 8)
      decoder.append(changed.span)
      while (try? decoder.nextRow()) == true {
        for field in 0..<8 {
          _ = try? decoder.uuid(field)
          _ = try? decoder.timestamptz(field)
          _ = try? decoder.date(field)
          _ = try? decoder.jsonbRange(of: field)
          _ = decoder.text(field)
        }
      }
      #expect(decoder.rowCount <= changed.count / 34)
    }
  }
}
