import HealthModel

/// Local days of a type whose raw rows are not all in the table, on purpose: their summary cannot be recomputed.
struct DaysWithoutRows {
  let metricType: String
  let zone: ZoneRules
  let pruned: PrunedDays
  let coverage: RawCoverage

  func contains(_ day: CivilDay) -> Bool { isPruned(day) || isWithheld(day) }

  /// A part of it was pruned: after a change of zone, days do not coincide with those that were.
  func isPruned(_ day: CivilDay) -> Bool { pruned.overlaps(metricType, range(of: day)) }

  /// Before a raw window.
  func isWithheld(_ day: CivilDay) -> Bool { !coverage.isComplete(range(of: day)) }

  private func range(of day: CivilDay) -> Range<Instant> {
    zone.firstInstant(of: day)..<zone.firstInstant(of: day.advanced(by: 1))
  }
}
