import Foundation
import HealthModel
import TestSupport
import Testing

@Suite struct ZoneRulesTests {
  static func zone(_ name: String) throws -> ZoneRules {
    let data = try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)"))
    return try ZoneRules(name: name, tzif: [UInt8](data))
  }

  static func utc(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0)
    -> Instant
  {
    let midnight = CivilDay(year: year, month: month, day: day).utcMidnight
    return Instant(seconds: midnight.seconds + Int64(hour * 3600 + minute * 60 + second))
  }

  static func hours(_ rules: ZoneRules, _ year: Int, _ month: Int, _ day: Int) -> Double {
    let day = CivilDay(year: year, month: month, day: day)
    let length = rules.firstInstant(of: day.advanced(by: 1)).microseconds - rules.firstInstant(of: day).microseconds
    return Double(length) / 3_600_000_000
  }

  @Test func utcDays() {
    #expect(ZoneRules.utc.localDay(of: Self.utc(1969, 12, 31, 23, 59, 59)) == CivilDay(year: 1969, month: 12, day: 31))
    #expect(ZoneRules.utc.localDay(of: Self.utc(2024, 2, 29)) == CivilDay(year: 2024, month: 2, day: 29))
    #expect(ZoneRules.utc.firstInstant(of: CivilDay(year: 2024, month: 3, day: 1)) == Self.utc(2024, 3, 1))
    #expect(ZoneRules.utc.offsetSeconds(at: Self.utc(2024, 3, 1)) == 0)
  }

  @Test func daylightSavingDays() throws {
    let berlin = try Self.zone("Europe/Berlin")
    #expect(Self.hours(berlin, 2024, 3, 31) == 23)
    #expect(Self.hours(berlin, 2024, 10, 27) == 25)
    #expect(Self.hours(berlin, 2024, 7, 1) == 24)
    #expect(berlin.firstInstant(of: CivilDay(year: 2024, month: 7, day: 1)) == Self.utc(2024, 6, 30, 22))
    #expect(berlin.offsetSeconds(at: Self.utc(2024, 3, 31, 0, 59, 59)) == 3600)
    #expect(berlin.offsetSeconds(at: Self.utc(2024, 3, 31, 1)) == 7200)
    // Beyond the transitions in the file: the POSIX rules, also many centuries on.
    #expect(Self.hours(berlin, 2055, 3, 28) == 23)
    #expect(Self.hours(berlin, 2055, 10, 31) == 25)
    #expect(Self.hours(berlin, 2455, 3, 28) == 23)
    #expect(Self.hours(berlin, 21_655, 10, 31) == 25)
  }

  @Test func offsetsOfQuarterHours() throws {
    let kathmandu = try Self.zone("Asia/Kathmandu")
    #expect(kathmandu.offsetSeconds(at: Self.utc(2024, 1, 1)) == 20_700)
    #expect(kathmandu.localDay(of: Self.utc(2024, 1, 1, 18, 14, 59)) == CivilDay(year: 2024, month: 1, day: 1))
    #expect(kathmandu.localDay(of: Self.utc(2024, 1, 1, 18, 15)) == CivilDay(year: 2024, month: 1, day: 2))
    #expect(kathmandu.firstInstant(of: CivilDay(year: 2024, month: 1, day: 2)) == Self.utc(2024, 1, 1, 18, 15))
  }

  /// Clocks went from 24:00 to 01:00: the day begins at 01:00.
  @Test func daysWithoutMidnight() throws {
    let saoPaulo = try Self.zone("America/Sao_Paulo")
    #expect(saoPaulo.firstInstant(of: CivilDay(year: 2018, month: 11, day: 4)) == Self.utc(2018, 11, 4, 3))
    #expect(saoPaulo.localDay(of: Self.utc(2018, 11, 4, 2, 59, 59)) == CivilDay(year: 2018, month: 11, day: 3))
    #expect(saoPaulo.localDay(of: Self.utc(2018, 11, 4, 3)) == CivilDay(year: 2018, month: 11, day: 4))
    #expect(Self.hours(saoPaulo, 2018, 11, 4) == 23)
    // And back, 24:00 to 23:00: the hour before midnight comes twice.
    #expect(Self.hours(saoPaulo, 2018, 2, 17) == 25)
    let beirut = try Self.zone("Asia/Beirut")
    #expect(beirut.firstInstant(of: CivilDay(year: 2022, month: 3, day: 27)) == Self.utc(2022, 3, 26, 22))
    #expect(Self.hours(beirut, 2022, 3, 27) == 23)
  }

  @Test func zonesThatChangedTheirRules() throws {
    let apia = try Self.zone("Pacific/Apia")
    let skipped = CivilDay(year: 2011, month: 12, day: 30)
    #expect(apia.firstInstant(of: skipped) == Self.utc(2011, 12, 30, 10))
    #expect(apia.firstInstant(of: skipped.advanced(by: 1)) == Self.utc(2011, 12, 30, 10))
    #expect(apia.localDay(of: Self.utc(2011, 12, 30, 9, 59, 59)) == CivilDay(year: 2011, month: 12, day: 29))
    #expect(apia.localDay(of: Self.utc(2011, 12, 30, 10)) == CivilDay(year: 2011, month: 12, day: 31))

    // +09:00 to +08:30 at midnight of 2015-08-15, and back at 23:30 of 2018-05-04.
    let pyongyang = try Self.zone("Asia/Pyongyang")
    #expect(Self.hours(pyongyang, 2015, 8, 14) == 24.5)
    #expect(Self.hours(pyongyang, 2018, 5, 4) == 23.5)
    #expect(pyongyang.firstInstant(of: CivilDay(year: 2018, month: 5, day: 5)) == Self.utc(2018, 5, 4, 15))
  }

  /// 2010-11-07 00:01 was set back to 23:01 of the day before; days do not interleave.
  @Test func daysNeverGoBack() throws {
    let rules = try Self.zone("America/St_Johns")
    let day = CivilDay(year: 2010, month: 11, day: 7)
    #expect(rules.firstInstant(of: day) == Self.utc(2010, 11, 7, 2, 30))
    #expect(rules.localDay(of: Self.utc(2010, 11, 7, 2, 30, 30)) == day)
    #expect(rules.localDay(of: Self.utc(2010, 11, 7, 3)) == day)
    #expect(Self.hours(rules, 2010, 11, 7) == 25)
  }

  @Test(arguments: [
    "America/New_York", "America/Sao_Paulo", "America/St_Johns", "Antarctica/Casey", "Asia/Beirut", "Asia/Gaza",
    "Asia/Kathmandu", "Australia/Lord_Howe", "Europe/Dublin", "Europe/Berlin", "Pacific/Apia", "America/Nuuk",
    "Africa/Casablanca", "Africa/El_Aaiun", "UTC", "Asia/Tehran", "Pacific/Kwajalein", "America/Juneau",
  ])
  func everyInstantLiesInItsDay(name: String) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("ZoneRulesTests.everyInstantLiesInItsDay(\(name)) seed: \(seed)")
    var random = SplitMix(seed: seed)
    let rules = try Self.zone(name)
    var cursor = ZoneCursor(rules)
    let range = Self.utc(1850, 1, 1).microseconds...Self.utc(3400, 1, 1).microseconds
    let recent = Self.utc(2005, 1, 1).microseconds...Self.utc(2045, 1, 1).microseconds
    for round in 0..<20_000 {
      let instant = Instant(microseconds: Int64.random(in: round % 4 == 0 ? range : recent, using: &random))
      let day = rules.localDay(of: instant)
      #expect(rules.firstInstant(of: day) <= instant)
      #expect(instant < rules.firstInstant(of: day.advanced(by: 1)))
      #expect(cursor.localDay(of: instant) == day)
      let wall = (instant.seconds + Int64(rules.offsetSeconds(at: instant))).flooredQuotient(86_400)
      #expect(wall...wall + 1 ~= Int64(day.daysSince1970))
    }
  }

  @Test func damagedFilesAreErrors() throws {
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/Europe/Dublin")))
    #expect(throws: ZoneError.notTZif) { try ZoneRules(name: "x", tzif: Array("<html>".utf8)) }
    for length in 0..<whole.count {
      #expect(throws: ZoneError.self) { try ZoneRules(name: "x", tzif: Array(whole.prefix(length))) }
    }
    var random = SplitMix(seed: 7)
    for _ in 0..<3000 {
      var damaged = whole
      for _ in 0..<3 { damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255) }
      if let rules = try? ZoneRules(name: "x", tzif: damaged) {
        _ = rules.firstInstant(of: rules.localDay(of: Self.utc(2200, 1, 1)))
      }
    }
  }

  @Test func leapSecondFilesAreRefused() throws {
    let path = "/usr/share/zoneinfo/right/Europe/Berlin"
    try #require(FileManager.default.fileExists(atPath: path))
    #expect(throws: ZoneError.leapSeconds) { try Self.zone("right/Europe/Berlin") }
  }
}
