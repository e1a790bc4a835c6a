/// A stretch of walking or running. Steps fall evenly over it.
struct Walk {
  /// Which device saw it; the watch outranks the phone, so this decides what counts (see `ExportTruth`).
  enum Witness { case both, watchOnly, phoneOnly, handOver }

  /// Seconds after midnight.
  var start: Int
  var length: Int
  var steps: Int
  var strideCentimetres: Int
  var witness: Witness
  /// Hand-over: the watch is taken off after so many seconds, the phone goes on.
  var watchLength: Int

  func stepsUntil(_ second: Int) -> Int { steps * second / length }
}

/// A workout of the day; at most one.
struct PlannedWorkout {
  enum Kind: Int, CaseIterable { case running, intervals, walking, hiking, cycling, swimming, strength, yoga }

  var kind: Kind
  var start: Int
  var length: Int
  /// Seconds without movement in it.
  var pause: Int
  var hasRoute: Bool
  /// The route was cut in two; both pieces point at one file (export-format §8.2).
  var isSplit: Bool
  var end: Int { start + length }
  var isOnFoot: Bool { kind.rawValue <= Kind.hiking.rawValue }
}

/// What truly happened on a day, before any device saw it. Every type is written from the same plan.
struct DayPlan {
  var walks: [Walk] = []
  var workout: PlannedWorkout?

  /// Steps, walks and the workout lie between 06:45 and 22:15, so that no day's truth spills into another.
  static let morning = 24_300
  static let evening = 80_100

  init(_ layout: ExportLayout, _ day: Day) {
    var random = layout.random(Stream.plan, day.index)
    let usual = [2, 6, 10][layout.detail.rawValue]
    let slotCount = usual + random.between(0, 2)
    let slot = (DayPlan.evening - DayPlan.morning) / slotCount
    var workoutSlot = layout.detail == .sparse ? random.below(slotCount * 2) : random.below(slotCount * 5 / 4 + 1)
    let showcase = DayPlan.showcase(layout, day)
    if showcase != nil { workoutSlot %= slotCount }
    for index in 0..<slotCount {
      let begin = DayPlan.morning + index * slot
      if index == workoutSlot {
        let planned = DayPlan.workout(in: begin, slot: slot, kind: showcase, layout, &random)
        workout = planned
        if planned.isOnFoot { walks.append(DayPlan.walk(of: planned, &random)) }
      } else {
        walks.append(DayPlan.walk(in: begin, slot: slot, &random))
      }
    }
  }

  private static func walk(in begin: Int, slot: Int, _ random: inout SplitMix64) -> Walk {
    let length = random.around(90, min(1100, slot - 600))
    let start = begin + random.below(slot - length - 60)
    let cadence = random.between(88, 118)
    var walk = Walk(
      start: start, length: length, steps: length * cadence / 60, strideCentimetres: random.between(64, 76),
      witness: .both, watchLength: length)
    switch random.below(100) {
    case 0..<78: break
    case 78..<88:
      walk.witness = .phoneOnly
      walk.watchLength = 0
    case 88..<96: walk.witness = .watchOnly
    default:
      walk.witness = .handOver
      walk.watchLength = length / 3 + random.below(length / 3)
    }
    return walk
  }

  private static func walk(of workout: PlannedWorkout, _ random: inout SplitMix64) -> Walk {
    let isRun = workout.kind == .running || workout.kind == .intervals
    let cadence = isRun ? random.between(155, 172) : random.between(100, 122)
    return Walk(
      start: workout.start, length: workout.length, steps: workout.length * cadence / 60,
      strideCentimetres: isRun ? random.between(95, 115) : random.between(68, 78),
      witness: random.chance(1, of: 2) ? .both : .watchOnly, watchLength: workout.length)
  }

  private static func workout(
    in begin: Int, slot: Int, kind showcase: PlannedWorkout.Kind?, _ layout: ExportLayout, _ random: inout SplitMix64
  ) -> PlannedWorkout {
    let kinds = PlannedWorkout.Kind.allCases
    let kind = showcase ?? kinds[random.below(kinds.count)]
    let longest = min(5400, slot - 300)
    let length = random.between(longest / 3, longest)
    let start = begin + random.below(slot - length - 60)
    let isOutdoors = kind.rawValue <= PlannedWorkout.Kind.cycling.rawValue
    let hasRoute = isOutdoors && (showcase != nil || random.chance(1, of: [3, 5, 2][layout.detail.rawValue]))
    return PlannedWorkout(
      kind: kind, start: start, length: length, pause: random.chance(1, of: 3) ? length / 20 : 0,
      hasRoute: hasRoute, isSplit: hasRoute && (showcase == .hiking || random.chance(1, of: 12)))
  }

  /// Days in the middle that make sure even the smallest export has the workouts importers stumble over: a ride of two
  /// apps, activities within a workout, a route that was cut, laps.
  private static func showcase(_ layout: ExportLayout, _ day: Day) -> PlannedWorkout.Kind? {
    switch day.index - layout.dayCount / 2 {
    case -1: .cycling
    case 0: .intervals
    case 1: .hiking
    case 2: .swimming
    default: nil
    }
  }
}
