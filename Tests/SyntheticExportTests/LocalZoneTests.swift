import HealthModel
import Testing

@testable import SyntheticExport

@Suite struct LocalZoneTests {
  private func zone(_ name: String) throws -> LocalZone { try #require(LocalZone.all.first { $0.name == name }) }

  /// Seconds since 1970 by hand (`date -u -d … +%s`), just before and at the changes of 2025.
  @Test(arguments: [
    ("Europe/Berlin", 1_743_296_399, 3600), ("Europe/Berlin", 1_743_296_400, 7200),
    ("Europe/Berlin", 1_761_440_399, 7200), ("Europe/Berlin", 1_761_440_400, 3600),
    ("Europe/London", 1_743_296_399, 0), ("Europe/London", 1_743_296_400, 3600),
    ("America/New_York", 1_741_503_599, -18_000), ("America/New_York", 1_741_503_600, -14_400),
    ("America/New_York", 1_762_063_199, -14_400), ("America/New_York", 1_762_063_200, -18_000),
    ("Australia/Sydney", 1_743_868_799, 39_600), ("Australia/Sydney", 1_743_868_800, 36_000),
    ("Australia/Sydney", 1_759_593_599, 36_000), ("Australia/Sydney", 1_759_593_600, 39_600),
    ("Asia/Kathmandu", 1_759_593_600, 20_700),
  ])
  func changesClocksAtTheRightSecond(name: String, instant: Int, offset: Int) throws {
    #expect(try zone(name).offset(at: instant) == offset)
  }

  /// Every local day begins when the local clock says so, for twenty years.
  @Test(arguments: LocalZone.all.map(\.name))
  func midnightIsMidnight(name: String) throws {
    let zone = try zone(name)
    var day = CivilDay(year: 2008, month: 1, day: 1)
    for _ in 0..<365 * 20 {
      let midnight = zone.midnight(day)
      #expect((midnight + zone.offset(at: midnight)) == Int(day.daysSince1970) * 86_400)
      #expect((midnight - 1 + zone.offset(at: midnight - 1)) == Int(day.daysSince1970) * 86_400 - 1)
      day = day.advanced(by: 1)
    }
  }
}
