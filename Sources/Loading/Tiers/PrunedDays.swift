package import HealthModel
package import PostgresClient

/// The stretches of time whose raw rows of a type were pruned, of one user.
package struct PrunedDays: Equatable, Sendable {
  /// By type: ascending, apart from one another.
  package private(set) var ranges: [String: [Range<Instant>]] = [:]

  /// With the limits that they had when they were pruned.
  private var days: [String: [DayRange]] = [:]

  package var isEmpty: Bool { ranges.isEmpty }

  package init() {}

  package static func read(userID: String, _ connection: PostgresConnection) throws -> PrunedDays {
    let result = try connection.query(
      """
      SELECT metric_type, day - date '1970-01-01' AS day, extract(epoch FROM starts_at)::bigint AS first,
        extract(epoch FROM ends_at)::bigint AS last
      FROM hk2pg.pruned_days WHERE user_id = $1 AND starts_at < ends_at ORDER BY metric_type, starts_at
      """, [userID])
    var days = PrunedDays()
    for row in result.rows {
      let (first, last) = (Int64(try row.int("first")), Int64(try row.int("last")))
      let (type, range) = (try row.text("metric_type"), Instant(seconds: first)..<Instant(seconds: last))
      days.add(type, range)
      days.days[type, default: []].append(DayRange(day: try row.civilDay("day"), range: range))
    }
    return days
  }

  /// Ranges of a type come by their start.
  package mutating func add(_ metricType: String, _ range: Range<Instant>) {
    var known = ranges.removeValue(forKey: metricType) ?? []
    if let last = known.last, range.lowerBound <= last.upperBound {
      known[known.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
    } else {
      known.append(range)
    }
    ranges[metricType] = known
  }

  var types: Dictionary<String, [DayRange]>.Keys { days.keys }

  func dayRanges(of metricType: String) -> [DayRange] { days[metricType] ?? [] }

  func days(of metricType: String) -> Set<CivilDay> { Set(dayRanges(of: metricType).map(\.day)) }

  /// A part of the range was pruned.
  package func overlaps(_ metricType: String, _ range: Range<Instant>) -> Bool {
    let known = ranges[metricType] ?? []
    var low = 0
    var high = known.count
    while low < high {
      let middle = (low + high) / 2
      if known[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < known.count && known[low].lowerBound < range.upperBound
  }

  /// UTC days that were pruned from beginning to end.
  func utcDays(_ symbols: SymbolTable) -> [Symbol: Set<CivilDay>] {
    var result: [Symbol: Set<CivilDay>] = [:]
    for (type, ranges) in ranges {
      var days: Set<CivilDay> = []
      for range in ranges {
        var day = Instant(microseconds: range.lowerBound.microseconds + 86_399_999_999).utcDay
        while day.advanced(by: 1).utcMidnight <= range.upperBound {
          days.insert(day)
          day = day.advanced(by: 1)
        }
      }
      result[symbols.intern(type)] = days
    }
    return result
  }
}
