import HealthModel

/// What of a staged export has to be compared row by row with the table, decided from fingerprints alone.
///
/// A type's UTC day is taken whole, with all its sources: samples of one second may be of different sources, and their
/// places in the second depend on each other.
struct LoadPlan: Equatable {
  struct Conditions {
    /// Every row that the export lacks is to go (`--missing-rows remove`).
    var removesAllMissing = false
    /// Fingerprints cannot be relied on: rows were made by other rules, or the server hashes differently.
    var comparesEverything = false
    /// UTC days that lie in pruned local days, by type.
    var prunedDays: [Symbol: Set<CivilDay>] = [:]
    /// Some of the user's rows were pruned: an empty table does not mean that everything is to be loaded.
    var hasPrunedDays = false
  }

  /// Types and days to load and compare; types without an entry are left alone.
  var days: [Symbol: DaySelection] = [:]
  /// Staged rows in them, and rows the table has in them.
  var selectedRows = 0
  var selectedTableRows = 0
  /// Staged rows outside: the table has exactly these.
  var unchangedRows = 0
  /// Staged rows outside, of pruned days on which the table has no row: they stay away.
  var withheldRows = 0
  private var withheldDays: Set<TypeDay> = []
  /// Groups inside, of either side.
  var groups: [GroupKey: (staged: Int, table: Int)] = [:]
  /// Rows of ours outside whose group the export lacks.
  var keptRows = 0
  var tableRows = 0

  static func == (a: LoadPlan, b: LoadPlan) -> Bool {
    a.days == b.days && a.selectedRows == b.selectedRows && a.unchangedRows == b.unchangedRows
      && a.keptRows == b.keptRows && a.withheldRows == b.withheldRows
      && a.groups.mapValues { [$0.staged, $0.table] } == b.groups.mapValues { [$0.staged, $0.table] }
  }

  /// `isAlwaysCompared`: types whose content may change under one id and value.
  init(
    staged: StagedGroups, table: TableGroups, _ conditions: Conditions, isAlwaysCompared: (Symbol) -> Bool
  ) {
    tableRows = table.rowCount
    let types = Set(staged.keys.map(\.type)).union(table.groups.keys.map(\.type))
    let whole = (table.isEmpty && !conditions.hasPrunedDays) || conditions.comparesEverything
    let stagedTypes = Set(staged.keys.map(\.type))
    for type in types where stagedTypes.contains(type) && (whole || isAlwaysCompared(type)) { days[type] = .all }
    if !whole {
      withheldDays = LoadPlan.withheldDays(staged, table, conditions)
      selectDays(staged, table, conditions)
    }
    count(staged, table)
  }

  /// Where no row stands, there is nothing to compare: every staged one is withheld (DESIGN §4.6).
  private static func withheldDays(
    _ staged: StagedGroups, _ table: TableGroups, _ conditions: Conditions
  ) -> Set<TypeDay> {
    if conditions.prunedDays.isEmpty { return [] }
    var days: Set<TypeDay> = []
    for key in staged.keys where conditions.prunedDays[key.type]?.contains(key.day) == true {
      days.insert(TypeDay(type: key.type, day: key.day))
    }
    for key in table.groups.keys { days.remove(TypeDay(type: key.type, day: key.day)) }
    return days
  }

  /// The same with days that were selected before, which must hold the ones selected now: a broken load has copied
  /// exactly those.
  func adopting(_ former: [Symbol: Set<CivilDay>], staged: StagedGroups, table: TableGroups) -> LoadPlan? {
    for (type, days) in selectedDays(staged: staged, table: table) {
      guard let known = former[type], days.isSubset(of: known) else { return nil }
    }
    var plan = LoadPlan()
    plan.days = former.mapValues { .listed($0) }
    plan.tableRows = tableRows
    plan.withheldDays = withheldDays
    plan.count(staged, table)
    return plan
  }

  private init() {}

  private mutating func selectDays(_ staged: StagedGroups, _ table: TableGroups, _ conditions: Conditions) {
    for (key, group) in staged where !withheldDays.contains(TypeDay(type: key.type, day: key.day)) {
      let present = table.groups[key] ?? TableGroup()
      if present.ours != group.count || present.fingerprint != group.fingerprint { select(key.type, key.day) }
    }
    let stagedDays = Set(staged.keys.map { TypeDay(type: $0.type, day: $0.day) })
    for (key, group) in table.groups {
      let today = TypeDay(type: key.type, day: key.day)
      if group.others > 0 {
        if stagedDays.contains(today) { select(today.type, today.day) }
        let next = TypeDay(type: key.type, day: key.day.advanced(by: 1))
        if group.spillsOver && stagedDays.contains(next) { select(next.type, next.day) }
      }
      if conditions.removesAllMissing && group.ours > 0 && staged[key] == nil { select(key.type, key.day) }
    }
  }

  private struct TypeDay: Hashable {
    var type: Symbol
    var day: CivilDay
  }

  private mutating func select(_ type: Symbol, _ day: CivilDay) {
    switch days[type] {
    case .all: break
    case .listed(var selected):
      // Taken out first, so that the set is not copied.
      days[type] = nil
      selected.insert(day)
      days[type] = .listed(selected)
    case nil: days[type] = .listed([day])
    }
  }

  private mutating func count(_ staged: StagedGroups, _ table: TableGroups) {
    for (key, group) in staged {
      if isSelected(key) {
        selectedRows += group.count
        groups[key] = (group.count, table.groups[key]?.ours ?? 0)
      } else if withheldDays.contains(TypeDay(type: key.type, day: key.day)) {
        withheldRows += group.count
      } else {
        unchangedRows += group.count
      }
    }
    for (key, group) in table.groups {
      if isSelected(key) {
        selectedTableRows += group.ours + group.others
        if staged[key] == nil { groups[key] = (0, group.ours) }
      } else if staged[key] == nil {
        keptRows += group.ours
      }
    }
  }

  func isSelected(_ key: GroupKey) -> Bool { days[key.type]?.contains(key.day) ?? false }

  /// Nothing differs, and no row of another program stands beside a staged one.
  var isEmpty: Bool { days.isEmpty }

  /// Types and days to look at in the table, one by one: the whole types' days are those that either side has.
  func selectedDays(staged: StagedGroups, table: TableGroups) -> [Symbol: Set<CivilDay>] {
    var result: [Symbol: Set<CivilDay>] = [:]
    for key in groups.keys { result[key.type, default: []].insert(key.day) }
    for (key, group) in table.groups where group.others > 0 && isSelected(key) {
      result[key.type, default: []].insert(key.day)
    }
    // Rows for whole hours reach into the selected day from the one before.
    for (key, group) in table.groups where group.spillsOver && days[key.type]?.contains(key.day.advanced(by: 1)) == true
    {
      result[key.type, default: []].insert(key.day)
    }
    return result
  }
}
