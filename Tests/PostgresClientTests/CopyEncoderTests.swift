import HealthModel
import PostgresClient
import Testing

@Suite struct CopyEncoderTests {
  @Test func headerAndTrailerAreTheDocumentedBytes() {
    var encoder = CopyEncoder()
    encoder.appendHeader()
    encoder.appendTrailer()
    let signature = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
    #expect(encoder.bytes == signature + [0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
  }

  /// As `COPY (SELECT …) TO STDOUT (FORMAT binary)` of PostgreSQL 15 writes these values.
  @Test func everyFieldTypeHasTheServersBytes() {
    var encoder = CopyEncoder()
    encoder.beginRow(fieldCount: 12)
    encoder.append(uuid: RowID(high: 0x0123_4567_89AB_8DEF, low: 0x8123_4567_89AB_CDEF))
    encoder.append(text: "é")
    encoder.append(text: [])
    encoder.append(float8: 72.5)
    encoder.appendNull()
    encoder.append(timestamptz: Instant(seconds: 946_684_801))
    encoder.append(date: CivilDay(year: 1999, month: 12, day: 31))
    encoder.append(int4: -2)
    encoder.append(int8: 258)
    encoder.append(jsonb: Array("{}".utf8).span)
    encoder.append(textArray: [Array("a".utf8), []])
    encoder.append(float4Array: [1.5])
    let expected: [[UInt8]] = [
      [0, 12],
      [0, 0, 0, 16, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0x8D, 0xEF, 0x81, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF],
      [0, 0, 0, 2, 0xC3, 0xA9],
      [0, 0, 0, 0],
      [0, 0, 0, 8, 0x40, 0x52, 0x20, 0, 0, 0, 0, 0],
      [0xFF, 0xFF, 0xFF, 0xFF],
      [0, 0, 0, 8, 0, 0, 0, 0, 0, 0x0F, 0x42, 0x40],
      [0, 0, 0, 4, 0xFF, 0xFF, 0xFF, 0xFF],
      [0, 0, 0, 4, 0xFF, 0xFF, 0xFF, 0xFE],
      [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 1, 2],
      [0, 0, 0, 3, 1, 0x7B, 0x7D],
      [0, 0, 0, 29, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0x61, 0, 0, 0, 0],
      [0, 0, 0, 28, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0xBC, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4, 0x3F, 0xC0, 0, 0],
    ]
    #expect(encoder.bytes == expected.flatMap { $0 })
  }

  @Test func emptyArraysHaveNoDimension() {
    var encoder = CopyEncoder()
    encoder.append(textArray: [])
    #expect(encoder.bytes == [0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25])
  }

  @Test func removeAllForgetsTheBytes() {
    var encoder = CopyEncoder()
    encoder.append(int4: 1)
    encoder.removeAll()
    #expect(encoder.count == 0)
    let encoded: [UInt8] = [1, 2]
    encoder.appendEncoded(encoded.span)
    #expect(encoder.bytes == [1, 2])
  }
}
