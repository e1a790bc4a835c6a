import DailySummaries
import HealthModel

extension HealthTools {
  static let sleep = ToolDefinition(
    name: "get_sleep", title: "Sleep",
    description: """
      Night by night: minutes asleep, by stage, awake and in bed. A night belongs to the local day of waking up; naps \
      count to their day. Of several devices, one counts for each night. Stages are absent where the device has none.
      """,
    parameters: [.days(7)],
    output: OutputSchema.range([
      "period_days": OutputSchema.integer, "nights_with_data": OutputSchema.integer,
      "avg_sleep_hours": OutputSchema.figure, "tier": OutputSchema.tier,
      "nights": OutputSchema.list(
        OutputSchema.object([
          "date": OutputSchema.text, "asleep_minutes": OutputSchema.figure,
          "stages": OutputSchema.map(["type": "number"]), "awake_minutes": OutputSchema.figure,
          "in_bed_minutes": OutputSchema.figure, "source": OutputSchema.source,
        ])),
    ])
  ) { session, arguments in
    let days = session.lastDays(arguments.count("days"))
    let family = try session.dailyFamily(.sleep, days)
    let asleep = family[Metric.sleep.identifier] ?? []
    let nights = NightAnswer.nights(family)
    return .merging(
      session.range(days),
      [
        "period_days": .int(arguments.count("days")), "nights_with_data": .int(nights.count),
        "avg_sleep_hours": .figure(PeriodPoint(start: days.lowerBound, asleep, .total).map { $0.mean / 60 }),
        "tier": .tier(asleep), "nights": .array(nights),
      ])
  }

  static let workouts = ToolDefinition(
    name: "get_workouts", title: "Workouts",
    description: """
      Workouts of the last days, newest first, with duration without pauses, distance and active energy; and the totals \
      by activity. Workouts whose raw rows are gone are in the totals alone.
      """,
    parameters: [.days(30), .limit(20, "workouts")],
    output: OutputSchema.range([
      "period_days": OutputSchema.integer, "total_workouts": OutputSchema.integer,
      "total_minutes": OutputSchema.figure, "tier": OutputSchema.tier, "truncated": OutputSchema.bool,
      "by_activity": OutputSchema.map(
        OutputSchema.object(["workouts": OutputSchema.integer, "minutes": OutputSchema.figure])),
      "workouts": OutputSchema.list(WorkoutAnswer.schema),
    ])
  ) { session, arguments in
    let days = session.lastDays(arguments.count("days"))
    let limit = arguments.count("limit")
    let family = try session.dailyFamily(.workouts, days)
    let all = family[Metric.workouts.identifier]
    let rows = try session.workouts(days, limit: limit + 1)
    return .merging(
      session.range(days),
      [
        "period_days": .int(arguments.count("days")), "total_workouts": .int(WorkoutAnswer.count(all)),
        "total_minutes": .figure(WorkoutAnswer.minutes(all) ?? 0), "tier": .tier(all ?? []),
        "truncated": .bool(rows.count > limit),
        "by_activity": .object(
          WorkoutAnswer.byActivity(family).mapValues {
            ["workouts": .int($0.workouts), "minutes": .figure($0.minutes)]
          }),
        "workouts": .array(rows.prefix(limit).map { WorkoutAnswer.json($0, session.zone) }),
      ])
  }
}

/// Nights as tools tell them.
enum NightAnswer {
  private static let stages: [(name: String, state: SleepState)] = [
    ("core", .asleepCore), ("deep", .asleepDeep), ("rem", .asleepREM), ("unspecified", .asleepUnspecified),
  ]

  /// Newest first.
  static func nights(_ family: [String: [DailyPoint]]) -> [JSONValue] {
    var byDay: [CivilDay: [String: DailyPoint]] = [:]
    for points in family.values {
      for point in points { byDay[point.day, default: [:]][point.summary.metricType] = point }
    }
    return byDay.sorted { $0.key > $1.key }.map { json($0.key, $0.value) }
  }

  static func json(_ day: CivilDay, _ points: [String: DailyPoint]) -> JSONValue {
    var minutes: [String: JSONValue] = [:]
    for stage in stages {
      if let sum = points[stage.state.exportName]?.summary.sum { minutes[stage.name] = .figure(sum) }
    }
    return [
      "date": .day(day), "asleep_minutes": .figure(points[Metric.sleep.identifier]?.summary.sum),
      "stages": .object(minutes), "awake_minutes": .figure(points[SleepState.awake.exportName]?.summary.sum),
      "in_bed_minutes": .figure(points[SleepState.inBed.exportName]?.summary.sum),
      "source": .string(points.values.first?.tier.rawValue ?? DailyPoint.Tier.summary.rawValue),
    ]
  }
}

/// Workouts as tools tell them.
enum WorkoutAnswer {
  static let schema = OutputSchema.object([
    "date": OutputSchema.text, "started_at": OutputSchema.text, "ended_at": OutputSchema.optionalText,
    "activity": OutputSchema.text, "workout_type": OutputSchema.text, "duration_minutes": OutputSchema.figure,
    "distance_km": OutputSchema.figure, "energy_kcal": OutputSchema.figure, "source_device": OutputSchema.text,
  ])

  static func json(_ workout: StoredWorkout, _ zone: ZoneRules) -> JSONValue {
    [
      "date": .day(zone.localDay(of: workout.start)), "started_at": .time(workout.start),
      "ended_at": .time(workout.end), "activity": .string(MetricNames.activity(workout.activity)),
      "workout_type": .string(workout.activity), "duration_minutes": .figure(workout.seconds / 60),
      "distance_km": .figure(workout.distanceMeters.map { $0 / 1000 }),
      "energy_kcal": .figure(workout.energyKilocalories), "source_device": .string(workout.source),
    ]
  }

  static func count(_ points: [DailyPoint]?) -> Int { (points ?? []).reduce(0) { $0 + $1.sampleCount } }

  /// nil: there are none.
  static func minutes(_ points: [DailyPoint]?) -> Double? {
    let sums = (points ?? []).compactMap(\.summary.sum)
    return sums.isEmpty ? nil : sums.reduce(0, +)
  }

  static func byActivity(_ family: [String: [DailyPoint]]) -> [String: (workouts: Int, minutes: Double)] {
    var result: [String: (workouts: Int, minutes: Double)] = [:]
    for (type, points) in family where type != Metric.workouts.identifier {
      result[MetricNames.activity(type)] = (count(points), minutes(points) ?? 0)
    }
    return result
  }
}
