import HealthModel

/// Which tier each day is taken from (DESIGN §2.1, §4.6):
///
/// ```
/// day pruned                           its summary: the raw rows that are left are not all
/// before the day of the newest export  its summary; raw rows where there is none
/// from that day on                     raw rows, which a live app may have added to; the summary where there are none,
///                                      or where it counts more samples than there are rows
/// no export known                      as from the day of the newest export on
/// ```
/// These are the rules of `v_healthkit_daily_quantity`, with pruned days and incomplete ones looked after.
struct TierPlan {
  let newestExportDay: CivilDay?
  /// Days with a summary of any row of the family, and the samples these count.
  let summarized: [CivilDay: Int]
  let isPruned: (CivilDay) -> Bool

  /// Days whose raw rows may count, in stretches.
  func candidates(_ days: ClosedRange<CivilDay>) -> [ClosedRange<CivilDay>] {
    var result: [ClosedRange<CivilDay>] = []
    var day = days.lowerBound
    while day <= days.upperBound {
      if mayBeRaw(day) {
        if let last = result.last, last.upperBound.advanced(by: 1) == day {
          result[result.count - 1] = last.lowerBound...day
        } else {
          result.append(day...day)
        }
      }
      day = day.advanced(by: 1)
    }
    return result
  }

  private func mayBeRaw(_ day: CivilDay) -> Bool {
    (summarized[day] == nil || isOpen(day)) && !isPruned(day)
  }

  /// Rows may still be added to the day by somebody else.
  private func isOpen(_ day: CivilDay) -> Bool { newestExportDay.map { day >= $0 } ?? true }

  /// Whether a day that may be raw is: `sampleCount` are those of its raw rows.
  func prefersRaw(_ day: CivilDay, sampleCount: Int) -> Bool { sampleCount >= summarized[day] ?? 0 }
}
