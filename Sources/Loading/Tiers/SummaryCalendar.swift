import DailySummaries
import Foundation
import HealthModel
import PostgresClient

/// Which stretch of time the summary of each local day holds: the samples that start in it, of sleep the sessions that
/// end in it.
///
/// That is the local day in the zone that the summaries were made by. When the zone changes, days whose rows are not there
/// any more stay as they are; the zones that they are of are forgotten, but not their limits:
///
/// ```
/// hk2pg.pruned_days                     of days whose rows were pruned
/// hk2pg.user_settings.summarized_days   of days whose rows were withheld
/// ```
/// Both go by type, since rows do. Days between them get what is left of the time (`ZoneRules.replacing`), so the days of a
/// type always divide time without gaps and overlaps, whatever the order of imports, prunings and zones.
struct SummaryCalendar {
  /// The zone that summaries were made by; nil: there are none, or this machine does not know it.
  var zone: ZoneRules?
  /// An earlier version of hk2pg kept no limits: summaries whose rows are not there are of this zone.
  private(set) var undatedZone: ZoneRules?
  /// Of withheld days that are no days of `zone`, by type of the samples: in order.
  private(set) var withheld: [String: [DayRange]] = [:]
  private(set) var pruned = PrunedDays()

  init(zone: ZoneRules?) { self.zone = zone }

  static func read(userID: String, _ connection: PostgresConnection) throws -> SummaryCalendar {
    let result = try connection.query(
      """
      SELECT coalesce(to_jsonb(u)->>'summarized_zone', zone) AS zone, to_jsonb(u)->>'summarized_days' AS days
      -- As JSON, since a schema of an earlier version has not all of the columns.
      FROM hk2pg.user_settings u WHERE user_id = $1
      """, [userID])
    var calendar = SummaryCalendar(zone: nil)
    calendar.pruned = try PrunedDays.read(userID: userID, connection)
    guard !result.isEmpty else { return calendar }
    let zones = UserSettings.zones(try result[0].optionalText("zone")).map { try? SystemZones.load(name: $0) }
    calendar.zone = zones.last ?? nil
    if zones.count > 1 { calendar.undatedZone = zones.first ?? nil }
    if let text = try result[0].optionalText("days"), !calendar.decode(text) {
      throw LoadError.malformedDays(user: userID)
    }
    return calendar
  }

  /// The local days of a type, some with limits of their own; `zone`: where the calendar has none.
  func rules(of metricType: String, zone: ZoneRules) -> ZoneRules {
    let zone = self.zone ?? zone
    return zone.replacing(irregularDays(of: metricType, than: zone))
  }

  /// Days that stay as they are and are no days of the zone.
  func irregularDays(of metricType: String, than zone: ZoneRules) -> [DayRange] {
    let pruned = pruned.dayRanges(of: metricType)
    let known = Set(pruned.map(\.day))
    let all = pruned + (withheld[metricType] ?? []).filter { !known.contains($0.day) }
    return DayRange.inOrder(all.filter { $0.range != zone.range(of: $0.day) })
  }

  /// Types that have such days.
  func irregularTypes(than zone: ZoneRules) -> [String] {
    Set(pruned.types).union(withheld.keys).filter { !irregularDays(of: $0, than: zone).isEmpty }
  }

  mutating func setWithheld(_ days: [DayRange], of metricType: String) {
    withheld[metricType] = days.isEmpty ? nil : days
  }
}

extension DayRange {
  /// In order of day, without what would overlap: of days that an earlier version of hk2pg has left so, the first counts.
  static func inOrder(_ days: [DayRange]) -> [DayRange] {
    var result: [DayRange] = []
    for var day in days.sorted(by: { $0.day < $1.day }) {
      if let last = result.last {
        guard day.range.upperBound > last.range.upperBound else { continue }
        day.range = max(day.range.lowerBound, last.range.upperBound)..<day.range.upperBound
      }
      if !day.range.isEmpty { result.append(day) }
    }
    return result
  }
}

// MARK: As JSON

extension SummaryCalendar {
  /// Days that follow one another without a gap:
  /// `{"first_day": "2024-03-30", "starts_at": "2024-03-29T23:00:00Z", "lengths": [[86400, 1], [82800, 1]]}` are a day of
  /// 24 hours and one of 23.
  private struct Stretch: Codable {
    var firstDay: String
    var startsAt: String
    /// Seconds, and how many days in a row have so many.
    var lengths: [[Int64]]

    enum CodingKeys: String, CodingKey {
      case firstDay = "first_day"
      case startsAt = "starts_at"
      case lengths
    }
  }

  /// As `hk2pg.user_settings.summarized_days`.
  func encoded() throws -> String {
    try SideTables.json(withheld.mapValues { SummaryCalendar.stretches($0) })
  }

  private static func stretches(_ days: [DayRange]) -> [Stretch] {
    var result: [Stretch] = []
    var last: DayRange?
    for day in days {
      let length = day.range.upperBound.seconds - day.range.lowerBound.seconds
      if let last, day.day == last.day.advanced(by: 1), day.range.lowerBound == last.range.upperBound {
        let index = result.count - 1
        if let known = result[index].lengths.last, known[0] == length {
          result[index].lengths[result[index].lengths.count - 1][1] += 1
        } else {
          result[index].lengths.append([length, 1])
        }
      } else {
        result.append(
          Stretch(
            firstDay: day.day.description, startsAt: day.range.lowerBound.iso8601, lengths: [[length, 1]]))
      }
      last = day
    }
    return result
  }

  /// False: that is not what `encoded()` gives.
  private mutating func decode(_ text: String) -> Bool {
    guard let types = try? JSONDecoder().decode([String: [Stretch]].self, from: Data(text.utf8)) else { return false }
    for (type, stretches) in types {
      var days: [DayRange] = []
      for stretch in stretches {
        guard var day = CivilDay(iso8601: stretch.firstDay), var start = Instant(iso8601: stretch.startsAt) else {
          return false
        }
        for length in stretch.lengths {
          guard length.count == 2, (1...10_000_000).contains(length[0]), (1...100_000).contains(length[1]) else {
            return false
          }
          for _ in 0..<length[1] {
            let end = Instant(seconds: start.seconds + length[0])
            days.append(DayRange(day: day, range: start..<end))
            (day, start) = (day.advanced(by: 1), end)
          }
        }
      }
      setWithheld(DayRange.inOrder(days), of: type)
    }
    return true
  }
}
