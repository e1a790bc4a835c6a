import Foundation
import HealthModel
import TestSupport
import Testing

/// Zones some of whose days have limits of their own.
struct ZoneRulesDaysTests {
  private func time(_ text: String) -> Instant { Instant(iso8601: text) ?? Instant(microseconds: 0) }
  private func day(_ number: Int) -> CivilDay { CivilDay(year: 2024, month: 5, day: number) }
  private func zone(_ name: String) throws -> ZoneRules {
    let data = try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)"))
    return try ZoneRules(name: name, tzif: Array(data))
  }

  private func ranges(_ rules: ZoneRules, _ days: ClosedRange<Int>) -> [String] {
    days.map { number in
      let range = rules.range(of: day(number))
      return
        "\(number): \(range.lowerBound.iso8601.dropFirst(8).prefix(8)) \(range.upperBound.iso8601.dropFirst(8).prefix(8))"
    }
  }

  @Test func withoutDaysNothingChanges() throws {
    let berlin = try zone("Europe/Berlin")
    #expect(ranges(berlin.replacing([]), 1...2) == ["1: 30T22:00 01T22:00", "2: 01T22:00 02T22:00"])
  }

  /// Days of Berlin in New York's zone, which is six hours behind: the next day begins early.
  @Test func whatIsLeftAfterADayGoesToTheNext() throws {
    let berlin = try zone("Europe/Berlin")
    let rules = try zone("America/New_York").replacing(
      [2, 3].map { DayRange(day: day($0), range: berlin.range(of: day($0))) })
    #expect(
      ranges(rules, 1...5) == [
        "1: 01T04:00 01T22:00", "2: 01T22:00 02T22:00",
        "3: 02T22:00 03T22:00", "4: 03T22:00 05T04:00", "5: 05T04:00 06T04:00",
      ])
    #expect(rules.localDay(of: time("2024-05-03T22:00:00Z")) == day(4))
    #expect(rules.localDay(of: time("2024-05-04T03:59:59Z")) == day(4))
    #expect(rules.localDay(of: time("2024-05-01T21:59:59Z")) == day(1))
  }

  /// And the other way round: the day before is longer, the day after shorter.
  @Test func whatIsLeftBeforeADayGoesToTheOneBefore() throws {
    let newYork = try zone("America/New_York")
    let rules = try zone("Europe/Berlin").replacing([DayRange(day: day(2), range: newYork.range(of: day(2)))])
    #expect(
      ranges(rules, 1...4) == [
        "1: 30T22:00 02T04:00", "2: 02T04:00 03T04:00", "3: 03T04:00 03T22:00", "4: 03T22:00 04T22:00",
      ])
  }

  /// 25 hours apart: nothing is left of a day.
  @Test func aDayMayBeEmpty() throws {
    let pagoPago = try zone("Pacific/Pago_Pago")
    let rules = try zone("Pacific/Kiritimati").replacing([DayRange(day: day(2), range: pagoPago.range(of: day(2)))])
    #expect(
      ranges(rules, 1...4) == [
        "1: 30T10:00 02T11:00", "2: 02T11:00 03T11:00", "3: 03T11:00 03T11:00", "4: 03T11:00 04T10:00",
      ])
  }

  /// Days divide time whatever is replaced: each instant is in the range of its day, days ascend, and none overlap.
  @Test func daysDivideTime() throws {
    var random = SplitMix(printing: "daysDivideTime")
    // Around the change to winter time, in zones with half hours and without.
    let zones = try ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Kiritimati"].map(zone)
    let first = CivilDay(year: 2024, month: 10, day: 20)
    for _ in 0..<50 {
      var rules = zones[random.below(zones.count)]
      var kept: [DayRange] = []
      for _ in 0..<4 {
        let days = (0..<20).map { first.advanced(by: $0) }.filter { _ in random.below(2) == 0 }
        kept = days.map { DayRange(day: $0, range: rules.range(of: $0)) }.filter { !$0.range.isEmpty }
        rules = zones[random.below(zones.count)].replacing(kept)
        for day in kept { #expect(rules.range(of: day.day) == day.range) }
        var last = rules.localDay(of: first.advanced(by: -5).utcMidnight)
        for quarter in 0..<(30 * 96) {
          let instant = Instant(seconds: first.advanced(by: -5).utcMidnight.seconds + Int64(quarter) * 900)
          let day = rules.localDay(of: instant)
          #expect(day >= last && rules.range(of: day).contains(instant))
          last = day
        }
      }
    }
  }
}
