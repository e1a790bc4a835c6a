/// The POSIX TZ string at the end of a TZif file: the rules for the years after its last transition.
///
/// ```
/// CET-1CEST,M3.5.0,M10.5.0/3        <+0330>-3:30        IST-1GMT0,M10.5.0,M3.5.0/1 (Dublin: winter is the exception)
/// ```
/// Offsets are west of UTC in the string and east of it here. Times of day may be −167…167 h (RFC 9636 §3.3.2).
struct PosixZone {
  private enum Day {
    /// `Jn`: day of the year 1–365, 29 February is never counted.
    case julian(Int)
    /// `n`: day of the year 0–365.
    case ordinal(Int)
    /// `Mm.w.d`: weekday `d` (Sunday 0) of month `m`, the `w`-th of it, 5 for the last.
    case weekday(month: Int, week: Int, day: Int)

    func dayNumber(in year: Int) -> Int64 {
      let newYear = Int64(CivilDay(year: year, month: 1, day: 1).daysSince1970)
      let isLeap = CivilDay.isValid(year: year, month: 2, day: 29)
      switch self {
      case .julian(let day): return newYear + Int64(day - 1 + (isLeap && day >= 60 ? 1 : 0))
      case .ordinal(let day): return newYear + Int64(day)
      case .weekday(let month, let week, let day):
        let first = Int64(CivilDay(year: year, month: month, day: 1).daysSince1970)
        let next = CivilDay(year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
        // 1970-01-01 was a Thursday, weekday 4.
        let weekdayOfFirst = (first + 4) - (first + 4).flooredQuotient(7) * 7
        var result = first + (Int64(day) - weekdayOfFirst + 7) % 7 + Int64(week - 1) * 7
        while result >= Int64(next.daysSince1970) { result -= 7 }
        return result
      }
    }
  }

  private struct Rule {
    var day: Day
    var time: Int64
  }

  private let standardOffset: Int
  private let daylight: (offset: Int, begin: Rule, end: Rule)?

  init(parsing text: [UInt8]) throws(ZoneError) {
    var cursor = Cursor(text: text)
    try cursor.skipName()
    standardOffset = Int(-(try cursor.time()))
    guard !cursor.isAtEnd else {
      daylight = nil
      return
    }
    try cursor.skipName()
    let offset = cursor.next == UInt8(ascii: ",") ? standardOffset + 3600 : Int(-(try cursor.time()))
    let begin = try PosixZone.rule(&cursor)
    let end = try PosixZone.rule(&cursor)
    guard cursor.isAtEnd else { throw cursor.error }
    daylight = (offset, begin, end)
  }

  private static func rule(_ cursor: inout Cursor) throws(ZoneError) -> Rule {
    try cursor.expect(",")
    let day: Day
    switch cursor.next {
    case UInt8(ascii: "J"):
      try cursor.expect("J")
      day = .julian(try cursor.number(in: 1...365))
    case UInt8(ascii: "M"):
      try cursor.expect("M")
      let month = try cursor.number(in: 1...12)
      try cursor.expect(".")
      let week = try cursor.number(in: 1...5)
      try cursor.expect(".")
      day = .weekday(month: month, week: week, day: try cursor.number(in: 0...6))
    default: day = .ordinal(try cursor.number(in: 0...365))
    }
    guard cursor.next == UInt8(ascii: "/") else { return Rule(day: day, time: 7200) }
    try cursor.expect("/")
    return Rule(day: day, time: try cursor.time())
  }

  /// Changes of offset in these years, ascending; at one instant the last one counts. None without daylight time.
  func transitions(years: ClosedRange<Int>) -> [(time: Int64, offset: Int)] {
    guard let daylight else { return [] }
    var changes: [(time: Int64, offset: Int, isBegin: Bool)] = []
    for year in years {
      let begin = daylight.begin.day.dayNumber(in: year) * 86_400 + daylight.begin.time - Int64(standardOffset)
      let end = daylight.end.day.dayNumber(in: year) * 86_400 + daylight.end.time - Int64(daylight.offset)
      changes.append((begin, daylight.offset, true))
      changes.append((end, standardOffset, false))
    }
    // Daylight time all year is written as an end at the instant of the next begin: the begin counts.
    changes.sort { ($0.time, $0.isBegin ? 1 : 0) < ($1.time, $1.isBegin ? 1 : 0) }
    return changes.map { ($0.time, $0.offset) }
  }

  private struct Cursor {
    let text: [UInt8]
    var offset = 0

    var isAtEnd: Bool { offset == text.count }
    var next: UInt8? { isAtEnd ? nil : text[offset] }
    var error: ZoneError { .malformedFooter(String(decoding: text, as: UTF8.self)) }

    mutating func expect(_ character: Unicode.Scalar) throws(ZoneError) {
      guard next == UInt8(ascii: character) else { throw error }
      offset += 1
    }

    /// `CEST` or `<+0330>`.
    mutating func skipName() throws(ZoneError) {
      let start = offset
      if next == UInt8(ascii: "<") {
        while let character = next, character != UInt8(ascii: ">") { offset += 1 }
        try expect(">")
      } else {
        while let character = next, character | 0x20 >= UInt8(ascii: "a"), character | 0x20 <= UInt8(ascii: "z") {
          offset += 1
        }
      }
      guard offset - start >= 3 else { throw error }
    }

    mutating func number(in range: ClosedRange<Int>) throws(ZoneError) -> Int {
      let start = offset
      var value = 0
      while let digit = next, digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9"), offset - start < 4 {
        value = value * 10 + Int(digit - UInt8(ascii: "0"))
        offset += 1
      }
      guard offset > start, range.contains(value) else { throw error }
      return value
    }

    /// `[+-]h[h[h]][:mm[:ss]]` in seconds.
    mutating func time() throws(ZoneError) -> Int64 {
      var sign: Int64 = 1
      if next == UInt8(ascii: "-") || next == UInt8(ascii: "+") {
        sign = next == UInt8(ascii: "-") ? -1 : 1
        offset += 1
      }
      var seconds = try number(in: 0...167) * 3600
      for unit in [60, 1] where next == UInt8(ascii: ":") {
        try expect(":")
        seconds += try number(in: 0...59) * unit
      }
      return sign * Int64(seconds)
    }
  }
}
