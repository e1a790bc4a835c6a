import HealthModel
import TestSupport
import Testing

@Suite struct DateParserTests {
  /// Instants computed with `date -u -d …`.
  @Test(
    arguments: [
      ("2024-05-01 10:00:00 +0200", 1_714_550_400, 7200), ("2024-05-01 10:00:00 -0800", 1_714_586_400, -28_800),
      ("2024-02-29 23:59:59 +0000", 1_709_251_199, 0), ("2000-02-29 12:00:00 +0545", 951_804_900, 20_700),
      ("1970-01-01 00:00:00 +0000", 0, 0), ("1969-12-31 23:59:59 +0000", -1, 0),
      ("1900-01-01 00:00:00 +0000", -2_208_988_800, 0), ("2030-01-06 12:00:00 -0330", 1_893_943_800, -12_600),
      ("0001-01-01 00:00:00 +0000", -62_135_596_800, 0), ("9999-12-31 23:59:59 +0000", 253_402_300_799, 0),
      ("2016-12-31 23:59:60 +0000", 1_483_228_800, 0),
      // iOS 8
      ("20150616071916-0700", 1_434_464_356, -25_200), ("20150616071916+0000", 1_434_439_156, 0),
      // AM and PM, after every kind of space and none, in either case
      ("2024-09-21 7:57:00\u{202F}am +1000", 1_726_869_420, 36_000),
      ("2024-09-21 7:57:00\u{A0}PM +1000", 1_726_912_620, 36_000),
      ("2024-09-21 07:57:00 pm +1000", 1_726_912_620, 36_000), ("2024-09-21 7:57:00AM +1000", 1_726_869_420, 36_000),
      ("2024-09-21 12:00:00 AM +0000", 1_726_876_800, 0), ("2024-09-21 12:00:00 PM +0000", 1_726_920_000, 0),
      ("2024-09-21 7:57:00 +1000", 1_726_869_420, 36_000),
      // ISO 8601
      ("2024-05-01T10:00:00+02:00", 1_714_550_400, 7200), ("2024-05-01T08:00:00Z", 1_714_550_400, 0),
      ("2024-05-01t08:00:00z", 1_714_550_400, 0), ("2024-05-01T08:00:00.999Z", 1_714_550_400, 0),
      ("2024-05-01T08:00:00,5+00", 1_714_550_400, 0), ("2024-05-01 10:00:00+0200", 1_714_550_400, 7200),
      ("294246-12-31 23:59:59 +0000", 9_223_371_244_799, 0),
    ] as [(String, Int64, Int)])
  func reads(text: String, seconds: Int64, offset: Int) throws {
    let date = try #require(DateParser.parse(text))
    #expect(date.instant == Instant(seconds: seconds))
    #expect(date.offsetSeconds == offset)
  }

  @Test(arguments: [
    "", " ", "2024", "2024-05-01", "2024-05-01 10:00:00", "2024-05-01T10:00:00", "2023-02-29 10:00:00 +0000",
    "1900-02-29 10:00:00 +0000", "2024-04-31 10:00:00 +0000", "2024-13-01 10:00:00 +0000", "2024-00-01 10:00:00 +0000",
    "2024-01-00 10:00:00 +0000", "2024-01-01 24:00:00 +0000", "2024-01-01 10:60:00 +0000", "2024-01-01 10:00:61 +0000",
    "2024-01-01 10:00:00 +2400", "2024-01-01 10:00:00 +0060", "2024-01-01 10:00:00 *0000", "2024-01-01 10:00:00 +00:0",
    "2024/01/01 10:00:00 +0000", "2024-01-01_10:00:00 +0000", "2024-01-01 10-00-00 +0000", "2024-1-01 10:00:00 +0000",
    "x024-01-01 10:00:00 +0000", "2024-01-01 1x:00:00 +0000", "2024-01-01 10:00:00 +0x00", "2024-01-01 10:00:00 +000x",
    "2024-01-01 13:00:00 PM +0000", "2024-01-01 0:00:00 AM +0000", "2024-01-01 10:00:00 +0000 ",
    " 2024-01-01 10:00:00 +0000", "2024-01-01 10:00:00. +0000", "20240101100000", "20241301100000+0000",
    "294247-01-01 00:00:00 +0000", "294246-12-31 23:59:59 -0100", "1234567-01-01 00:00:00 +0000",
    "-2024-01-01 00:00:00 +0000",
    "2024-01-01  10:00:00 +0000", "\u{FF12}024-01-01 10:00:00 +0000",
  ])
  func refuses(text: String) { #expect(DateParser.parse(text) == nil) }

  @Test func reachesInsideLongerText() throws {
    let bytes = Array("xx2024-05-01 10:00:00 +0200yy".utf8)
    #expect(DateParser.parse(2..<27, of: bytes.span)?.instant == Instant(seconds: 1_714_550_400))
  }

  /// Every byte of the usual form replaced by every other one: read only where the result is a date.
  @Test func oneWrongByteIsNoticed() {
    let text = Array("2024-05-11 11:11:11 +0211".utf8)
    for position in text.indices {
      for byte in UInt8.min...UInt8.max where byte != text[position] {
        var changed = text
        changed[position] = byte
        let isDigit = (0x30...0x39).contains(byte)
        let wasDigit = (0x30...0x39).contains(text[position])
        let date = DateParser.parse(0..<25, of: changed.span)
        // Another digit may be a date; the signs and the T of ISO 8601 stand for each other.
        let mayRead =
          isDigit && wasDigit || position == 20 && byte == UInt8(ascii: "-")
          || position == 10 && byte | 0x20 == UInt8(ascii: "t")
        #expect(mayRead || date == nil, "\(byte) at \(position)")
      }
    }
  }

  /// A memo of the date before changes nothing: not for dates of the same day and offset, not for others, and not for
  /// bytes that are no date.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func memoChangesNothing(seed: UInt64) {
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    var memo = DateParser.Memo()
    var text = Array("2024-05-11 11:11:11 +0211".utf8)
    for _ in 0..<30_000 {
      let position = Int.random(in: 0..<25, using: &random)
      let old = text[position]
      text[position] =
        Bool.random(using: &random)
        ? UInt8.random(in: 0x30...0x39, using: &random)
        : UInt8(ascii: "Zz:- +.Tap\0\u{7F}".unicodeScalars.randomElement(using: &random) ?? "0")
      let expected = DateParser.parse(0..<25, of: text.span)?.instant
      let read = DateParser.parse(0..<25, of: text.span, memo: &memo)
      #expect(read == expected, "\(String(decoding: text, as: UTF8.self))")
      if read == nil { text[position] = old }
    }
    let odd = Array("20150616071916-0700".utf8)
    #expect(DateParser.parse(0..<odd.count, of: odd.span, memo: &memo) == Instant(seconds: 1_434_464_356))
    let zeros = [UInt8](repeating: 0, count: 25)
    var fresh = DateParser.Memo()
    #expect(DateParser.parse(0..<25, of: zeros.span, memo: &fresh) == nil)
  }

  /// Any instant printed with any offset is the same instant.
  @Test func offsetsDoNotMatter() throws {
    let seed: UInt64 = 7
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    for _ in 0..<2000 {
      let seconds = Int64.random(in: -60_000_000_000...250_000_000_000, using: &random)
      let offset = Int.random(in: -56...56, using: &random) * 900
      let text = printed(Instant(seconds: seconds), offset: offset)
      let date = try #require(DateParser.parse(text), "\(text)")
      #expect(date == PrintedDate(instant: Instant(seconds: seconds), offsetSeconds: offset))
    }
  }

  @Test(
    arguments: [
      ("2024-02-29", 19_782), ("1970-01-01", 0), ("2024-02-30", nil), ("2024-02-29 ", nil), ("2024-2-29", nil),
      ("", nil), ("20240229", nil),
    ] as [(String, Int32?)])
  func readsDays(text: String, days: Int32?) {
    let bytes = Array(text.utf8)
    #expect(DateParser.day(0..<bytes.count, of: bytes.span)?.daysSince1970 == days)
  }
}

/// An instant as an export prints it.
private func printed(_ instant: Instant, offset: Int) -> String {
  let local = Instant(seconds: instant.seconds + Int64(offset))
  let minutes = abs(offset) / 60
  func two(_ n: Int) -> String { (n < 10 ? "0" : "") + String(n) }
  let text = local.iso8601.dropLast().split(separator: "T").joined(separator: " ")
  return "\(text) \(offset < 0 ? "-" : "+")\(two(minutes / 60))\(two(minutes % 60))"
}
