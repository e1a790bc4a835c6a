import HealthModel

/// Local days of a type whose raw rows are not all in the table, on purpose: their summary cannot be recomputed, and
/// stays.
struct FixedDays {
  private let pruned: Set<CivilDay>
  private var withheld: Set<CivilDay>

  init(pruned: Set<CivilDay>, withheld: Set<CivilDay> = []) {
    self.pruned = pruned
    self.withheld = withheld
  }

  func contains(_ day: CivilDay) -> Bool { isPruned(day) || isWithheld(day) }

  func isPruned(_ day: CivilDay) -> Bool { pruned.contains(day) }

  /// Days that were withheld, but are not to stay.
  mutating func release(_ days: Set<CivilDay>) { withheld.subtract(days) }

  func isWithheld(_ day: CivilDay) -> Bool { withheld.contains(day) }
}
