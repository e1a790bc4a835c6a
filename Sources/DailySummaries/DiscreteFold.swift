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
  private var units: [UnitTotals] = []
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
    if units.isEmpty || units[0].unit != unit { bringToFront(unit) }
    units[0].totals.add(sample.value)
  }

  private mutating func bringToFront(_ unit: Symbol) {
    if let index = units.firstIndex(where: { $0.unit == unit }) {
      units.swapAt(0, index)
    } else {
      units.insert(UnitTotals(unit: unit, totals: SampleTotals()), at: 0)
    }
  }

  mutating func finish() {
    let chosen = units.max { a, b in
      if a.totals.count != b.totals.count { return a.totals.count < b.totals.count }
      return names.bytes(of: b.unit).lexicographicallyPrecedes(names.bytes(of: a.unit))
    }
    guard let chosen else { return }
    rows.append((DayRow(day: day, totals: chosen.totals, sum: chosen.totals.sum), chosen.unit))
    otherUnitCount += units.reduce(-chosen.totals.count) { $0 + $1.totals.count }
    units.removeAll(keepingCapacity: true)
  }
}
