import HealthModel

/// Plain sum, arithmetic mean and limits of the samples of a day, for discrete and unknown types (DESIGN §4).
///
/// Weighted types (heart rate) too: Apple's weighting is not published, and most of their samples have no length. A type
/// that is not in the catalogue has no canonical unit: the unit of most samples of the day counts.
struct DiscreteFold {
  private struct UnitTotals {
    var unit: Symbol
    var totals: SampleTotals
  }

  private var cursor: ZoneCursor
  private let hasCanonicalUnit: Bool
  private let names: SymbolNames
  private var day = CivilDay(daysSince1970: 0)
  /// Of the unit of the last sample, and of the other units of the day.
  private var current = UnitTotals(unit: .empty, totals: SampleTotals())
  private var others: [Symbol: SampleTotals] = [:]
  private var allSourcesEnd = Int64.min
  private(set) var rows: [(row: DayRow, unit: Symbol)] = []
  /// Samples in another unit than most of their day.
  private(set) var otherUnitCount = 0

  init(zone: ZoneRules, hasCanonicalUnit: Bool, names: SymbolNames) {
    cursor = ZoneCursor(zone)
    self.hasCanonicalUnit = hasCanonicalUnit
    self.names = names
  }

  mutating func add(_ sample: FoldSample, sources: borrowing SourceSlots) {
    if sample.slot == sources.allSourcesSlot {
      allSourcesEnd = max(allSourcesEnd, sample.end)
    } else if sample.start < allSourcesEnd {
      return  // An hourly row of all sources stands for it.
    }
    let day = cursor.localDay(of: Instant(microseconds: sample.start))
    if day != self.day {
      finish()
      self.day = day
    }
    let unit = hasCanonicalUnit ? .empty : sample.unit
    if unit != current.unit { change(to: unit) }
    current.totals.add(sample.value)
  }

  private mutating func change(to unit: Symbol) {
    if current.totals.count > 0 { others[current.unit] = current.totals }
    current = UnitTotals(unit: unit, totals: others.removeValue(forKey: unit) ?? SampleTotals())
  }

  mutating func finish() {
    guard current.totals.count > 0 else { return }
    var chosen = current
    if !others.isEmpty {
      for (unit, totals) in others {
        let other = UnitTotals(unit: unit, totals: totals)
        if isPreferred(other, to: chosen) { chosen = other }
      }
      otherUnitCount += others.values.reduce(current.totals.count - chosen.totals.count) { $0 + $1.count }
      others.removeAll()
    }
    rows.append((DayRow(day: day, totals: chosen.totals, sum: chosen.totals.sum), chosen.unit))
    current = UnitTotals(unit: current.unit, totals: SampleTotals())
  }

  private func isPreferred(_ a: UnitTotals, to b: UnitTotals) -> Bool {
    if a.totals.count != b.totals.count { return a.totals.count > b.totals.count }
    return names.bytes(of: a.unit).lexicographicallyPrecedes(names.bytes(of: b.unit))
  }
}
