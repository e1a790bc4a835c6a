/// A wall clock's time.
package struct ClockTime: Equatable, BitwiseCopyable {
  package var hour: Int
  package var minute: Int
  /// Seconds with their fraction.
  package var microseconds: Int64
  /// False: text beside the digits was not understood (an AM/PM of another language), so the hour may be off by 12.
  package var hasKnownHour: Bool

  /// Microseconds since the last quarter of an hour: what offsets from UTC do not change.
  package var microsecondsInQuarter: Int64 { Int64(minute % 15) * 60_000_000 + microseconds }
  /// Microseconds on a dial of twelve hours.
  package var microsecondsOnDial: Int64 { Int64(hour % 12 * 3600 + minute * 60) * 1_000_000 + microseconds }
}

/// Reads InstantaneousBeatsPerMinute@time, a wall clock in the phone's language (export-format §5.3).
///
/// ```
/// 00:20:37,80    20:14:07.68    7:47:41.86 PM    3:10:02,11 AM
/// ```
package enum ClockParser {
  /// The clock in `bytes[range]`; words before or after the digits are passed over.
  package static func parse(_ range: Range<Int>, of bytes: Span<UInt8>) -> ClockTime? {
    var cursor = TextCursor(range)
    while !cursor.isAtEnd, !cursor.isAtDigit(bytes) { cursor.position += 1 }
    let hasWordBefore = cursor.position > range.lowerBound
    guard var time = clock(&cursor, bytes) else { return nil }
    if hasWordBefore || !cursor.isAtEnd { time.hasKnownHour = false }
    return time
  }

  /// `h:mm:ss`, a fraction after `.`, `,` or `٫`, and AM or PM after at most one space.
  package static func clock(_ cursor: inout TextCursor, _ bytes: Span<UInt8>) -> ClockTime? {
    guard let hour = cursor.number(bytes, digits: 1...2), cursor.skip(UInt8(ascii: ":"), bytes),
      let minute = cursor.number(bytes, digits: 2...2), cursor.skip(UInt8(ascii: ":"), bytes),
      let second = cursor.number(bytes, digits: 2...2), hour <= 23, minute <= 59, second <= 60
    else { return nil }
    var microseconds = Int64(second) * 1_000_000
    if skipDecimalMark(&cursor, bytes) {
      guard let fraction = fraction(&cursor, bytes) else { return nil }
      microseconds += fraction
    }
    var time = ClockTime(hour: hour, minute: minute, microseconds: microseconds, hasKnownHour: true)
    guard let isAfternoon = dayHalf(&cursor, bytes) else { return time }
    guard (1...12).contains(hour) else { return nil }
    time.hour = hour % 12 + (isAfternoon ? 12 : 0)
    return time
  }

  private static func skipDecimalMark(_ cursor: inout TextCursor, _ bytes: Span<UInt8>) -> Bool {
    if cursor.skip(UInt8(ascii: "."), or: UInt8(ascii: ","), bytes) { return true }
    guard cursor.peek(bytes) == 0xD9, cursor.peek(bytes, 1) == 0xAB else { return false }
    cursor.position += 2
    return true
  }

  /// Digits after the decimal mark as microseconds; more than six are dropped.
  private static func fraction(_ cursor: inout TextCursor, _ bytes: Span<UInt8>) -> Int64? {
    var result: Int64 = 0
    var unit: Int64 = 100_000
    var count = 0
    while let digit = cursor.digit(bytes) {
      result += Int64(digit) * unit
      unit /= 10
      count += 1
    }
    return count > 0 ? result : nil
  }

  /// True after PM, false after AM, nil (and nothing read) where neither stands.
  private static func dayHalf(_ cursor: inout TextCursor, _ bytes: Span<UInt8>) -> Bool? {
    var probe = cursor
    _ = probe.skipSpace(bytes)
    let isAfternoon = probe.skip(UInt8(ascii: "P"), or: UInt8(ascii: "p"), bytes)
    guard isAfternoon || probe.skip(UInt8(ascii: "A"), or: UInt8(ascii: "a"), bytes),
      probe.skip(UInt8(ascii: "M"), or: UInt8(ascii: "m"), bytes)
    else { return nil }
    cursor = probe
    return isAfternoon
  }
}
