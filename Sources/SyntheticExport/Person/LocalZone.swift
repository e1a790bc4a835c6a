import HealthModel

/// A zone by rule instead of the system's zoneinfo, so that the output depends on nothing but the arguments.
/// The daylight-saving rules are those of 1996 (Europe), 2007 (America) and 2008 (Australia) to this day.
struct LocalZone: Sendable {
  enum DaylightRule { case none, european, american, australian }

  /// How the phone prints clocks (beats, route names, electrocardiograms).
  enum Region { case english, continental }

  let name: String
  /// Seconds east of UTC without daylight saving.
  let standardOffset: Int
  let rule: DaylightRule
  let region: Region

  static let all: [LocalZone] = [
    LocalZone(name: "Europe/Berlin", standardOffset: 3600, rule: .european, region: .continental),
    LocalZone(name: "Europe/Paris", standardOffset: 3600, rule: .european, region: .continental),
    LocalZone(name: "Europe/Lisbon", standardOffset: 0, rule: .european, region: .continental),
    LocalZone(name: "Europe/London", standardOffset: 0, rule: .european, region: .english),
    LocalZone(name: "America/New_York", standardOffset: -18_000, rule: .american, region: .english),
    LocalZone(name: "America/Los_Angeles", standardOffset: -28_800, rule: .american, region: .english),
    LocalZone(name: "Asia/Kolkata", standardOffset: 19_800, rule: .none, region: .english),
    LocalZone(name: "Asia/Kathmandu", standardOffset: 20_700, rule: .none, region: .english),
    LocalZone(name: "Asia/Tokyo", standardOffset: 32_400, rule: .none, region: .english),
    LocalZone(name: "Australia/Sydney", standardOffset: 36_000, rule: .australian, region: .english),
    LocalZone(name: "UTC", standardOffset: 0, rule: .none, region: .english),
  ]

  /// Seconds east of UTC at an instant (seconds since 1970).
  func offset(at instant: Int) -> Int {
    isDaylightSaving(at: instant) ? standardOffset + 3600 : standardOffset
  }

  /// The first instant of a local day; no rule here changes the clock at midnight.
  func midnight(_ day: CivilDay) -> Int {
    let local = Int(day.daysSince1970) * 86_400
    return local - offset(at: local - standardOffset)
  }

  private func isDaylightSaving(at instant: Int) -> Bool {
    let standardTime = instant + standardOffset
    let year = CivilDay(daysSince1970: Int32(standardTime.flooredQuotient(86_400))).civil.year
    switch rule {
    case .none: return false
    case .european:
      return (sunday(.last, year, 3, 31) + 3600..<sunday(.last, year, 10, 31) + 3600).contains(instant)
    case .american:
      let start = sunday(.onOrAfter, year, 3, 8) + 7200
      return (start..<sunday(.onOrAfter, year, 11, 1) + 3600).contains(standardTime)
    case .australian:
      let end = sunday(.onOrAfter, year, 4, 1) + 7200
      return !(end..<sunday(.onOrAfter, year, 10, 1) + 7200).contains(standardTime)
    }
  }

  private enum Search { case onOrAfter, last }

  /// Midnight, in the clock that is asked about, of the Sunday on or after (or the last one up to) a date.
  private func sunday(_ search: Search, _ year: Int, _ month: Int, _ day: Int) -> Int {
    let date = Int(CivilDay(year: year, month: month, day: day).daysSince1970)
    let weekday = (date + 4) % 7  // 1970-01-01 was a Thursday; Sunday is 0
    let found = search == .last ? date - weekday : date + (7 - weekday) % 7
    return found * 86_400
  }
}
