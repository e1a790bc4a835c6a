package import HealthModel

/// How days are put together.
package enum Period: String, CaseIterable, Sendable {
  case day, week, month

  /// First day of the period that holds `day`: weeks begin on Monday (ISO 8601).
  package func start(of day: CivilDay) -> CivilDay {
    switch self {
    case .day: return day
    case .week:
      // 1970-01-01 was a Thursday.
      return day.advanced(by: -Int((day.daysSince1970 + 3).modulo(7)))
    case .month:
      let (year, month, _) = day.civil
      return CivilDay(year: year, month: month, day: 1)
    }
  }
}

extension Int32 {
  fileprivate func modulo(_ divisor: Int32) -> Int32 {
    let rest = self % divisor
    return rest < 0 ? rest + divisor : rest
  }
}
