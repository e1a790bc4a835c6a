/// `--missing-rows`.
package enum MissingRows: String, Sendable { case automatic, keep, remove }

/// Which of the rows that the export lacks may go (DESIGN §3.9).
struct RemovalRule: Equatable, Sendable {
  var mode: MissingRows
  var isForced: Bool
  var isOlder: Bool
  var isSalvaged: Bool

  /// Nothing may go, whatever the groups say.
  var isOff: Bool { mode == .keep || isOlder || isSalvaged }

  /// Why a row that the export lacks may go, or not: how much of its group the export has.
  enum Reason: String {
    /// At least half as many samples as the table.
    case full
    /// Fewer.
    case thin
    /// None.
    case absent
  }

  /// Unless the whole type is spared.
  func mayRemove(_ reason: Reason?) -> Bool { !isOff && (removesAll || reason == .full) }

  /// Rows of ours in groups that hold missing ones, counted per type.
  struct Candidates: Equatable {
    var metricType: String
    /// Rows of ours of the type in the table.
    var tableRows: Int
    /// In groups that the export has, with at least half as many samples as the table.
    var inFullGroups = 0
    /// In groups of which it has less.
    var inThinGroups = 0
    /// In groups of which it has none.
    var inAbsentGroups = 0
  }

  struct Verdict: Equatable {
    /// Types of which rows are removed.
    var removedTypes: Set<String> = []
    var kept = LoadOutcome.KeptMissing()
    /// Types that `--missing-rows remove` would cut by more than 5 %: the load must fail.
    var refused: [TypeLoss] = []
  }

  /// True: rows in thin and absent groups go too.
  var removesAll: Bool { mode == .remove && !isOff }

  func verdict(on candidates: [Candidates]) -> Verdict {
    var verdict = Verdict()
    for type in candidates {
      let all = type.inFullGroups + type.inThinGroups + type.inAbsentGroups
      if isOff {
        if !isOlder { verdict.kept.notAsked += all }
        continue
      }
      let lost = removesAll ? all : type.inFullGroups
      // Over 5 % in whole numbers.
      let isTooMuch = lost * 20 > type.tableRows && !isForced
      if !removesAll {
        verdict.kept.underHalf += type.inThinGroups
        verdict.kept.groupNotInExport += type.inAbsentGroups
      }
      if lost == 0 { continue }
      if !isTooMuch {
        verdict.removedTypes.insert(type.metricType)
      } else if removesAll {
        verdict.refused.append(TypeLoss(metricType: type.metricType, rows: type.tableRows, lost: lost))
      } else {
        verdict.kept.overFivePercent += lost
        verdict.kept.sparedTypes.append(type.metricType)
      }
    }
    return verdict
  }
}
