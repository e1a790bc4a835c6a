import HealthModel

/// Minutes of workouts, all together and per activity type (DESIGN §4, §4.4): merged like a cumulative type, but whole
/// on the day they start. A workout's `value` is its duration in seconds without pauses; its interval has them.
struct WorkoutFold {
  /// One row name: all workouts, or those of one activity.
  private struct Series {
    var merge = IntervalMerge(keepsDays: true)
    var days: [Int32: (totals: SampleTotals, merged: RunningSum)] = [:]

    mutating func add(_ sample: FoldSample, day: CivilDay, sources: borrowing SourceSlots) {
      merge.advance(to: sample.start)
      let end = sample.coveredEnd
      days[day.daysSince1970, default: (SampleTotals(), RunningSum())].totals.add(sample.value)
      if end == sample.start {
        merge.addWhole(sample.value, day: day.daysSince1970)
      } else {
        merge.begin(sample, end: end, day: day.daysSince1970, sources: sources)
      }
      collect()
    }

    private mutating func collect() {
      for credit in merge.takeCredits() { days[credit.day]?.merged.add(credit.amount) }
    }

    mutating func finish() -> [DayRow] {
      merge.advance(to: .max)
      collect()
      return days.sorted { $0.key < $1.key }.map { day, sums in
        DayRow(day: CivilDay(daysSince1970: day), totals: sums.totals, sum: sums.merged.total)
      }
    }
  }

  private var cursor: ZoneCursor
  private var all = Series()
  private var activities: [Symbol: Series] = [:]

  init(zone: ZoneRules) { cursor = ZoneCursor(zone) }

  mutating func add(_ sample: FoldSample, sources: borrowing SourceSlots) {
    var workout = sample
    workout.value = sample.value / 60
    let day = cursor.localDay(of: Instant(microseconds: sample.start))
    all.add(workout, day: day, sources: sources)
    guard sample.subtype != .empty else { return }
    activities[sample.subtype, default: Series()].add(workout, day: day, sources: sources)
  }

  /// Rows of all workouts (nil), and of each activity.
  mutating func finish() -> [(activity: Symbol?, rows: [DayRow])] {
    var result: [(activity: Symbol?, rows: [DayRow])] = [(nil, all.finish())]
    for activity in activities.keys { result.append((activity, activities[activity, default: Series()].finish())) }
    return result
  }
}
