/// A date of the proleptic Gregorian calendar without a zone, as days since 1970-01-01.
package struct CivilDay: Hashable, Comparable, BitwiseCopyable, Sendable {
  package var daysSince1970: Int32

  package init(daysSince1970: Int32) { self.daysSince1970 = daysSince1970 }

  /// Howard Hinnant's `days_from_civil`; `month` 1–12, `day` 1–31, not checked here.
  package init(year: Int, month: Int, day: Int) {
    let y = month <= 2 ? year - 1 : year
    let era = y.flooredQuotient(400)
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    self.daysSince1970 = Int32(clamping: era * 146_097 + dayOfEra - 719_468)
  }

  package var civil: (year: Int, month: Int, day: Int) {
    let z = Int(daysSince1970) + 719_468
    let era = z.flooredQuotient(146_097)
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let m = (5 * dayOfYear + 2) / 153
    let month = m < 10 ? m + 3 : m - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * m + 2) / 5 + 1)
  }

  package static func < (a: CivilDay, b: CivilDay) -> Bool { a.daysSince1970 < b.daysSince1970 }
  package func advanced(by days: Int) -> CivilDay { CivilDay(daysSince1970: daysSince1970 + Int32(days)) }

  /// Midnight of this date in UTC.
  package var utcMidnight: Instant { Instant(seconds: Int64(daysSince1970) * 86_400) }

  /// Postgres' `date` counts from 2000-01-01.
  package var postgresDays: Int32 { daysSince1970 - 10_957 }
  package init(postgresDays: Int32) { self.daysSince1970 = postgresDays + 10_957 }

  package static func isValid(year: Int, month: Int, day: Int) -> Bool {
    guard (1...12).contains(month), day >= 1 else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return day <= (month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31)
  }
}

extension CivilDay: CustomStringConvertible {
  /// ISO 8601, for instance `2024-02-29`.
  package var description: String {
    let (year, month, day) = civil
    func padded(_ n: Int, _ width: Int) -> String {
      let digits = String(n)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }
}

extension CivilDay {
  /// `2024-02-29`, nothing else.
  package init?(iso8601 text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.count) == [4, 2, 2], text.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
      CivilDay.isValid(year: year, month: month, day: day)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }
}
