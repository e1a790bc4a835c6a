/// Everything an exported workout says, told from its plan.
struct WorkoutStory {
  struct Event {
    var type: String
    var at: Int
    var duration = 0
    var strokeStyle: Int?
  }

  struct Statistic {
    var type: String
    var start: Int
    var end: Int
    /// Attribute and mantissa: `sum`, or `average`, `minimum`, `maximum`.
    var values: [(String, Int)]
    var decimals: Int
    var unit: String
  }

  struct Activity {
    var uuid: String
    var start: Int
    var end: Int
    var stepPath: String
    var statistics: [Statistic]
  }

  let sample: Sample
  let activityType: String
  let source: Source
  /// Seconds without pauses.
  let moving: Int
  let hasEffort: Bool
  private(set) var metadata: [(String, String)] = []
  private(set) var events: [Event] = []
  private(set) var activities: [Activity] = []
  private(set) var statistics: [Statistic] = []
  private let effortScore: Int

  init(_ workout: PlannedWorkout, on day: Day, _ layout: ExportLayout) {
    var random = layout.random(Stream.workouts, day.index)
    let (start, end) = (day.midnight + workout.start, day.midnight + workout.end)
    source = workout.kind == .yoga ? .mindfulnessApp : .watch
    sample = Sample(start: start, end: end, created: end + 5, value: 0, source: source)
    activityType = WorkoutStory.activityType(workout.kind)
    moving = workout.length - workout.pause
    effortScore = random.between(2, 9)
    hasEffort = source == .watch && random.chance(2, of: 3)
    metadata = WorkoutStory.metadata(workout, layout.zone.name, &random)
    addEvents(workout, start, day, layout)
    if source == .watch { statistics = WorkoutStory.statistics(workout, start, end, moving, layout, day, &random) }
    if workout.kind == .intervals { addActivities(start, end, &random) }
  }

  var durationText: String { minutesText(moving, sample.start) }

  /// Saved by the watch when the workout ended; covers it.
  var effort: Sample {
    Sample(start: sample.start, end: sample.end, created: sample.end + 12, value: effortScore, source: .watch)
  }

  private static func activityType(_ kind: PlannedWorkout.Kind) -> String {
    switch kind {
    case .running, .intervals: "Running"
    case .walking: "Walking"
    case .hiking: "Hiking"
    case .cycling: "Cycling"
    case .swimming: "Swimming"
    case .strength: "TraditionalStrengthTraining"
    case .yoga: "Yoga"
    }
  }

  private static func metadata(
    _ workout: PlannedWorkout, _ zone: String, _ random: inout SplitMix64
  ) -> [(String, String)] {
    if workout.kind == .yoga { return [("Session Title", "Evening “flow” & breath"), ("HKIndoorWorkout", "1")] }
    var entries = [("HKTimeZone", zone), ("HKIndoorWorkout", workout.hasRoute ? "0" : "1")]
    entries.append(("HKAverageMETs", "\(random.between(3, 11)).\(random.between(10, 99)) kcal/hr·kg"))
    if workout.hasRoute {
      entries.append(("HKWeatherTemperature", "\(random.between(38, 81)).\(random.between(100, 999)) degF"))
      entries.append(("HKWeatherHumidity", "\(random.between(31, 98))00 %"))
      entries.append(("HKElevationAscended", "\(random.between(900, 24_000)) cm"))
    }
    if workout.kind == .swimming {
      entries.append(("HKLapLength", "50 m"))
      entries.append(("HKSwimmingLocationType", "1"))
    }
    return entries
  }

  private mutating func addEvents(_ workout: PlannedWorkout, _ start: Int, _ day: Day, _ layout: ExportLayout) {
    if workout.kind == .swimming {
      for (index, lap) in workout.laps(layout.detail).enumerated() {
        events.append(
          Event(type: "Lap", at: day.midnight + lap.lowerBound, duration: lap.count, strokeStyle: 2 + index % 4))
      }
    } else if source == .watch {
      let segments = layout.detail == .sparse ? 1 : 1 + workout.length / 1200
      for index in 0..<segments {
        events.append(
          Event(type: "Segment", at: start + workout.length * index / segments, duration: workout.length / segments))
      }
    }
    guard workout.pause > 0 else { return }
    events.append(Event(type: "Pause", at: start + workout.length / 2))
    events.append(Event(type: "Resume", at: start + workout.length / 2 + workout.pause))
  }

  private static func statistics(
    _ workout: PlannedWorkout, _ start: Int, _ end: Int, _ moving: Int, _ layout: ExportLayout, _ day: Day,
    _ random: inout SplitMix64
  ) -> [Statistic] {
    func statistic(_ type: String, _ values: [(String, Int)], _ decimals: Int, _ unit: String) -> Statistic {
      Statistic(type: type, start: start, end: end, values: values, decimals: decimals, unit: unit)
    }
    let average = random.between(118, 151)
    var all = [
      statistic("ActiveEnergyBurned", [("sum", moving * random.between(125, 170) / 10 * 10)], 3, "kcal"),
      statistic("BasalEnergyBurned", [("sum", moving * 20)], 3, "kcal"),
      statistic(
        "HeartRate",
        [
          ("average", average * 1000 + random.below(1000)), ("minimum", (average - random.between(20, 40)) * 1000),
          ("maximum", (average + random.between(15, 30)) * 1000),
        ], 3, "count/min"),
    ]
    switch workout.kind {
    case .running, .intervals, .walking, .hiking:
      if let walk = DayPlan(layout, day).walks.first(where: { $0.start == workout.start }) {
        all.append(statistic("StepCount", [("sum", walk.steps)], 0, "count"))
        all.append(
          statistic("DistanceWalkingRunning", [("sum", walk.steps * walk.strideCentimetres / 10 * 10)], 5, "km"))
      }
    case .cycling:
      all.append(statistic("DistanceCycling", [("sum", ExportWriter.cyclingCentimetres(workout.length))], 5, "km"))
    case .swimming:
      let laps = workout.laps(layout.detail).count
      all.append(statistic("DistanceSwimming", [("sum", laps * 50)], 0, "m"))
      all.append(statistic("SwimmingStrokeCount", [("sum", laps * 23)], 0, "count"))
    case .strength, .yoga: break
    }
    return all
  }

  /// Warm-up, intervals, cool-down: each with statistics of its own, which must not be added to the workout's.
  private mutating func addActivities(_ start: Int, _ end: Int, _ random: inout SplitMix64) {
    let count = random.between(3, 5)
    for index in 0..<count {
      let from = start + (end - start) * index / count
      let until = start + (end - start) * (index + 1) / count
      let energy = Statistic(
        type: "ActiveEnergyBurned", start: from, end: until, values: [("sum", (until - from) * 140)], decimals: 3,
        unit: "kcal")
      let heart = Statistic(
        type: "HeartRate", start: from, end: until, values: [("average", 131), ("minimum", 98), ("maximum", 166)],
        decimals: 0, unit: "count/min")
      activities.append(
        Activity(
          uuid: random.uuid(), start: from, end: until, stepPath: "0.\(index)", statistics: [energy, heart]))
    }
  }
}
