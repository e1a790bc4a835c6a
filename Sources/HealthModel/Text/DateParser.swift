/// A date as an export prints it: an instant, and the offset it was printed in.
package struct PrintedDate: Equatable, BitwiseCopyable, Sendable {
  package var instant: Instant
  package var offsetSeconds: Int

  package init(instant: Instant, offsetSeconds: Int) {
    self.instant = instant
    self.offsetSeconds = offsetSeconds
  }
}

/// Reads the dates of exports, from bytes, without allocation (export-format §5.1).
///
/// ```
/// 2024-05-01 10:00:00 +0200        every export since iOS 9
/// 20150616071916-0700              iOS 8
/// 2024-09-21 7:57:00<U+202F>am +1000   third-party exporters; also U+0020 and U+00A0, either case
/// 2024-05-01T10:00:00.25+02:00, …Z     ISO 8601
/// ```
/// The calendar is checked; a leap second counts as the next minute. Fractions are dropped: exports have whole seconds,
/// and the microseconds of a row tell samples of one second apart (DESIGN §3.7).
package enum DateParser {
  /// The date in `bytes[range]`, nil when it is none, has no offset, or lies beyond what an `Instant` holds.
  package static func parse(_ range: Range<Int>, of bytes: Span<UInt8>) -> PrintedDate? {
    if range.count == 25, let date = parseUsual(range.lowerBound, of: bytes) { return date }
    return parseUnusual(range, of: bytes)
  }

  /// The day and offset last read in the usual form: an export has one offset, and neighbours mostly have one day.
  package struct Memo: BitwiseCopyable {
    /// Bytes 0–7 (`YYYY-MM-`), 8–10 (`DD `) and 19–24 (` ±HHMM`) of that date.
    fileprivate var month: UInt64 = 0
    fileprivate var day: UInt64 = 0
    fileprivate var offset: UInt64 = 0
    /// Midnight of that day on that offset's clock, in seconds since 1970; nil: nothing was read yet.
    fileprivate var midnight: Int64?
    package init() {}
  }

  /// Like `parse(_:of:)`, faster when day and offset are those of the date before.
  package static func parse(_ range: Range<Int>, of bytes: Span<UInt8>, memo: inout Memo) -> Instant? {
    guard range.count == 25 else { return parseUnusual(range, of: bytes)?.instant }
    let start = range.lowerBound
    let (month, middle, end) = (bytes.word(at: start), bytes.word(at: start + 8), bytes.word(at: start + 17))
    let (day, offset) = (middle & 0xFF_FFFF, end >> 16)
    let time = timeOfDay(middle >> 24, end & 0xFFFF)
    if let time, let midnight = memo.midnight, month == memo.month, day == memo.day, offset == memo.offset,
      bytes[start + 16] == UInt8(ascii: ":")
    {
      return Instant(seconds: midnight + time)
    }
    guard let date = parseUsual(start, of: bytes), let time else { return parseUnusual(range, of: bytes)?.instant }
    memo.month = month
    memo.day = day
    memo.offset = offset
    memo.midnight = date.instant.seconds - time
    return date.instant
  }

  /// Seconds since midnight of the five bytes `HH:MM` and the two bytes `SS`, nil when they are no time. The checks are
  /// those of `parseUsual`.
  private static func timeOfDay(_ hoursAndMinutes: UInt64, _ seconds: UInt64) -> Int64? {
    let a = hoursAndMinutes ^ 0x30_303A_3030
    let b = seconds ^ 0x3030
    let carries = (a &+ 0x76_767F_7676) | a | (b &+ 0x7676) | b
    guard carries & 0x80_8080_8080 == 0 else { return nil }
    func pair(_ word: UInt64, _ index: UInt64) -> Int64 {
      Int64(word >> (8 * index) & 0xF) * 10 + Int64(word >> (8 * index + 8) & 0xF)
    }
    let (hour, minute, second) = (pair(a, 0), pair(a, 3), pair(b, 0))
    guard hour <= 23, minute <= 59, second <= 60 else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  package static func parse(_ text: String) -> PrintedDate? {
    let bytes = Array(text.utf8)
    return parse(0..<bytes.count, of: bytes.span)
  }

  /// `YYYY-MM-DD`, for instance an ActivitySummary's dateComponents.
  package static func day(_ range: Range<Int>, of bytes: Span<UInt8>) -> CivilDay? {
    var cursor = TextCursor(range)
    guard let (year, month, day) = calendarDate(&cursor, bytes), cursor.isAtEnd else { return nil }
    return CivilDay(year: year, month: month, day: day)
  }

  /// The 25 bytes of the usual form, eight at a time: XOR with the form's separators leaves 0 for each of them and 0–9
  /// for each digit; adding 0x7F or 0x76 carries anything else into the byte's top bit.
  private static func parseUsual(_ start: Int, of bytes: Span<UInt8>) -> PrintedDate? {
    // "YYYY-MM-", "DD HH:MM", ":SS +HHM", little-endian.
    let a = bytes.word(at: start) ^ 0x2D30_302D_3030_3030
    let b = bytes.word(at: start + 8) ^ 0x3030_3A30_3020_3030
    let word = bytes.word(at: start + 16)
    let sign = UInt8(truncatingIfNeeded: word >> 32)
    let c = (word & 0xFFFF_FF00_FFFF_FFFF | 0x2B << 32) ^ 0x3030_302B_2030_303A
    let last = bytes[start + 24] ^ 0x30
    let carries =
      (a &+ 0x7F76_767F_7676_7676) | a | (b &+ 0x7676_7F76_767F_7676) | b | (c &+ 0x7676_767F_7F76_767F) | c
    guard carries & 0x8080_8080_8080_8080 == 0, last <= 9, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
      return nil
    }
    func digit(_ word: UInt64, _ index: UInt64) -> Int { Int(truncatingIfNeeded: word >> (8 * index) & 0xF) }
    func pair(_ word: UInt64, _ index: UInt64) -> Int { digit(word, index) * 10 + digit(word, index + 1) }
    let (year, month, day) = (pair(a, 0) * 100 + pair(a, 2), pair(a, 5), pair(b, 0))
    guard isDate(year, month, day) else { return nil }
    let offsetMinutes = digit(c, 7) * 10 + Int(last)
    guard
      let offset = offset(hours: pair(c, 5), minutes: offsetMinutes, isNegative: sign == UInt8(ascii: "-"))
    else { return nil }
    return date(
      CivilDay(year: year, month: month, day: day), hour: pair(b, 3), minute: pair(b, 6), second: pair(c, 1),
      offset: offset)
  }

  private static func parseUnusual(_ range: Range<Int>, of bytes: Span<UInt8>) -> PrintedDate? {
    var cursor = TextCursor(range)
    let day: CivilDay
    var hour = 0
    var minute = 0
    var second = 0
    if cursor.digitRun(bytes) == 14 {
      guard let year = cursor.number(bytes, digits: 4...4), let month = cursor.number(bytes, digits: 2...2),
        let dayOfMonth = cursor.number(bytes, digits: 2...2), isDate(year, month, dayOfMonth),
        let h = cursor.number(bytes, digits: 2...2), let m = cursor.number(bytes, digits: 2...2),
        let s = cursor.number(bytes, digits: 2...2)
      else { return nil }
      day = CivilDay(year: year, month: month, day: dayOfMonth)
      (hour, minute, second) = (h, m, s)
    } else {
      guard let (year, month, dayOfMonth) = calendarDate(&cursor, bytes),
        cursor.skip(UInt8(ascii: "T"), or: UInt8(ascii: "t"), bytes) || cursor.skipSpace(bytes),
        let clock = ClockParser.clock(&cursor, bytes)
      else { return nil }
      day = CivilDay(year: year, month: month, day: dayOfMonth)
      (hour, minute, second) = (clock.hour, clock.minute, Int(clock.microseconds / 1_000_000))
    }
    _ = cursor.skipSpace(bytes)
    guard let offset = utcOffset(&cursor, bytes), cursor.isAtEnd else { return nil }
    return date(day, hour: hour, minute: minute, second: second, offset: offset)
  }

  private static func calendarDate(_ cursor: inout TextCursor, _ bytes: Span<UInt8>) -> (Int, Int, Int)? {
    guard let year = cursor.number(bytes, digits: 4...6), cursor.skip(UInt8(ascii: "-"), bytes),
      let month = cursor.number(bytes, digits: 2...2), cursor.skip(UInt8(ascii: "-"), bytes),
      let day = cursor.number(bytes, digits: 2...2), isDate(year, month, day)
    else { return nil }
    return (year, month, day)
  }

  /// `Z`, `+0200`, `+02:00` or `+02`.
  private static func utcOffset(_ cursor: inout TextCursor, _ bytes: Span<UInt8>) -> Int? {
    if cursor.skip(UInt8(ascii: "Z"), or: UInt8(ascii: "z"), bytes) { return 0 }
    let isNegative = cursor.skip(UInt8(ascii: "-"), bytes)
    guard isNegative || cursor.skip(UInt8(ascii: "+"), bytes), let hours = cursor.number(bytes, digits: 2...2) else {
      return nil
    }
    _ = cursor.skip(UInt8(ascii: ":"), bytes)
    let minutes = cursor.isAtEnd ? 0 : cursor.number(bytes, digits: 2...2)
    guard let minutes else { return nil }
    return offset(hours: hours, minutes: minutes, isNegative: isNegative)
  }

  private static func offset(hours: Int, minutes: Int, isNegative: Bool) -> Int? {
    guard hours <= 23, minutes <= 59 else { return nil }
    return (isNegative ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  private static func isDate(_ year: Int, _ month: Int, _ day: Int) -> Bool {
    guard (1...12).contains(month), day >= 1, year <= 294_246 else { return false }
    return day <= 28 || CivilDay.isValid(year: year, month: month, day: day)
  }

  private static func date(_ day: CivilDay, hour: Int, minute: Int, second: Int, offset: Int) -> PrintedDate? {
    guard hour <= 23, minute <= 59, second <= 60 else { return nil }
    let seconds = Int64(day.daysSince1970) * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
    guard seconds < lastSecond else { return nil }
    return PrintedDate(instant: Instant(seconds: seconds), offsetSeconds: offset)
  }

  /// 294247-01-01 00:00:00 UTC: an `Instant` counts from 1970 and ends there, 30 years before `timestamptz`, which begins
  /// before year 0.
  private static let lastSecond: Int64 = 9_223_371_244_800
}
