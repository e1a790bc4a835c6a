import HealthModel

/// What becomes of one type's summaries where local days are cut otherwise than so far: in another zone, or beside days
/// that stay in a former one (`SummaryCalendar`). Decides only; reads and writes nothing.
///
/// A summary can be taken apart only with its rows. So what stays, stays whole, and the days around it change:
///
/// ```
/// former zone   │ 8 May, no rows │ 9 May, no rows │ 10 May, rows   │
/// new zone      ·  │ 8 May stays    │ 9 May stays    │ 10 May: rest │ 11 May …
/// ```
/// Every sample is on one day before and after, by construction: days divide time (`ZoneRules.replacing`), and each summary
/// holds no sample outside of its day.
struct DaySettlement {
  struct Facts {
    /// The days so far.
    var former: ZoneRules
    /// Of days without rows, where it is not `former` (`SummaryCalendar.undatedZone`).
    var undated: ZoneRules?
    /// The zone to come.
    var zone: ZoneRules
    /// Summaries of ours.
    var stored: [CivilDay: DayWeight] = [:]
    /// What the rows of a day so far give: before this import, or if that is too little, after it.
    var counted: [CivilDay: DayWeight] = [:]
    /// Days of which rows may have been withheld: as many rows may be other ones.
    var doubtful: Set<CivilDay> = []
    /// The counts are by other source ranks than the summaries.
    var ranksDiffer = false
    /// Days that rows may reach into which are not there.
    var border: Set<CivilDay> = []
    var pruned: Set<CivilDay> = []
    /// Days of `zone` with a staged summary.
    var staged: Set<CivilDay> = []
    /// Those whose rows the export withholds.
    var stagedAlone: Set<CivilDay> = []
    /// The export is an older one: what is stored is better than what it has staged.
    var isOlder = false

    /// The rows of a day give less than its summary has.
    func isShort(_ day: CivilDay) -> Bool {
      guard let counted = counted[day], !border.contains(day) else { return true }
      let stored = stored[day] ?? DayWeight()
      return doubtful.contains(day)
        ? !counted.outweighs(stored, ranksDiffer: ranksDiffer) : counted.count < stored.count
    }
  }

  /// The days from now on.
  let rules: ZoneRules
  /// Days that stay as they are and are no days of the zone; in order.
  let kept: [DayRange]
  /// Stored days that were cut otherwise and do not stay: their rows count on the days to come.
  let moved: Set<CivilDay>
  /// Staged days whose summary is of another stretch of time.
  let refused: Set<CivilDay>
  /// Days to come that are cut otherwise than in the zone, and those that get what moves: only rows can say what they hold.
  let recomputed: Set<CivilDay>

  /// The days so far that are none of the zone, other than pruned ones: of these the counts are to be known.
  static func irregularDays(_ facts: Facts) -> Set<CivilDay> {
    Set(facts.stored.keys.filter { isIrregular($0, facts) })
  }

  private static func isIrregular(_ day: CivilDay, _ facts: Facts) -> Bool {
    let range = facts.zone.range(of: day)
    return facts.former.range(of: day) != range || facts.undated.map { $0.range(of: day) != range } ?? false
  }

  init(_ facts: Facts) {
    let zone = facts.zone
    let labels = Set(facts.stored.keys).union(facts.pruned).filter { DaySettlement.isIrregular($0, facts) }
    let staying = labels.filter { facts.pruned.contains($0) || facts.isShort($0) }
    var kept = DayRange.inOrder(
      staying.map { day in
        let rules = facts.pruned.contains(day) ? facts.former : facts.undated ?? facts.former
        return DayRange(day: day, range: rules.range(of: day))
      }.filter { $0.range != zone.range(of: $0.day) })
    if !facts.isOlder { DaySettlement.giveWay(&kept, facts) }
    let rules = zone.replacing(kept)
    let keptDays = Set(kept.map(\.day))
    let moved = labels.subtracting(keptDays)
    self.rules = rules
    self.kept = kept
    self.moved = moved
    refused = facts.staged.filter { day in
      let (range, wanted) = (rules.range(of: day), zone.range(of: day))
      if keptDays.contains(day) || (facts.isOlder && moved.contains(day)) { return true }
      if !facts.stagedAlone.contains(day) { return range != wanted }
      return !range.contains(wanted)
        || (facts.isOlder && DaySettlement.days(of: range, facts.former).contains { facts.stored[$0] != nil })
    }
    let beside = kept.flatMap { DaySettlement.near($0.day) }.filter { rules.range(of: $0) != zone.range(of: $0) }
    let receiving = moved.flatMap { DaySettlement.days(of: facts.former.range(of: $0), rules) }
    recomputed = moved.union(beside).union(receiving).subtracting(keptDays)
  }

  /// No two zones are further apart, even where a day took the hours that were left beside it.
  private static func near(_ day: CivilDay) -> [CivilDay] { (-3...3).map { day.advanced(by: $0) } }

  private static func days(of range: Range<Instant>, _ rules: ZoneRules) -> [CivilDay] {
    if range.isEmpty { return [] }
    let first = rules.localDay(of: range.lowerBound)
    let last = rules.localDay(of: Instant(microseconds: range.upperBound.microseconds - 1))
    return (first.daysSince1970...max(first, last).daysSince1970).map { CivilDay(daysSince1970: $0) }
  }

  /// A newer export says what is right: where its summaries, whose rows it withholds, need the time of days that were
  /// withheld before, those go. Pruned days stay, and then all days that are tied to them by such summaries.
  private static func giveWay(_ kept: inout [DayRange], _ facts: Facts) {
    let indexes = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1.day, $0) })
    var groups = Groups(count: kept.count)
    var contested: Set<Int> = []
    for day in facts.stagedAlone {
      let range = facts.zone.range(of: day)
      let tied = near(day).compactMap { indexes[$0] }.filter { index in
        let other = kept[index]
        return other.day == day || other.range.overlaps(range)
          || (other.day < day) != (other.range.lowerBound < range.lowerBound)
      }
      for index in tied { groups.join(tied[0], index) }
      contested.formUnion(tied)
    }
    let fixed = Set(kept.indices.filter { facts.pruned.contains(kept[$0].day) }.map { groups.first(of: $0) })
    let going = contested.filter { !fixed.contains(groups.first(of: $0)) }
    kept = kept.indices.filter { !going.contains($0) }.map { kept[$0] }
  }
}

/// Which of some things belong together.
private struct Groups {
  private var parents: [Int]

  init(count: Int) { parents = Array(0..<count) }

  mutating func first(of index: Int) -> Int {
    var index = index
    while parents[index] != index {
      parents[index] = parents[parents[index]]
      index = parents[index]
    }
    return index
  }

  mutating func join(_ a: Int, _ b: Int) { parents[first(of: b)] = first(of: a) }
}
