import DailySummaries
import HealthModel

extension HealthTools {
  static let snapshot = ToolDefinition(
    name: "get_daily_snapshot", title: "One day",
    description: """
      Everything of one local day: every metric with its value, the night that ended on it, the workouts that began on it. \
      Without a date: today.
      """,
    parameters: [.date("date", "YYYY-MM-DD; empty: today.", isRequired: false)],
    output: OutputSchema.object([
      "date": OutputSchema.text, "zone": OutputSchema.text, "count": OutputSchema.integer,
      "highlights": OutputSchema.map(OutputSchema.figure), "tier": OutputSchema.tier,
      "metrics": OutputSchema.list(
        OutputSchema.object([
          "metric": OutputSchema.text, "metric_type": OutputSchema.text, "value": OutputSchema.figure,
          "value_type": OutputSchema.text, "unit": OutputSchema.text, "min": OutputSchema.figure,
          "max": OutputSchema.figure, "count": OutputSchema.integer, "source": OutputSchema.source,
        ])),
      "sleep": ["type": ["object", "null"]], "workouts": OutputSchema.list(WorkoutAnswer.schema),
    ])
  ) { session, arguments in
    let day = arguments.date("date") ?? session.today
    let points = try session.snapshot(day)
    var highlights: [String: JSONValue] = [:]
    for (name, metric) in [
      ("steps", Metric.steps), ("active_energy_kcal", .activeEnergy), ("exercise_minutes", .exercise),
      ("stand_hours", .standHours), ("resting_heart_rate_bpm", .restingHeartRate),
      ("hrv_sdnn_ms", .heartRateVariability), ("weight_kg", .weight), ("asleep_minutes", .sleep),
    ] {
      highlights[name] = .figure(points[metric.identifier]?.value(metric.measure))
    }
    let night = points.filter { Metric($0.key).rawType == SummaryKind.sleepType }
    let workouts = try session.workouts(day...day, limit: ToolBounds.rows)
    return [
      "date": .day(day), "zone": .string(session.zone.name), "count": .int(points.count),
      "highlights": .object(highlights), "tier": .tier(Array(points.values)),
      "metrics": .array(
        points.sorted { $0.key < $1.key }.map { metricOfDay(Metric($0.key), $0.value) }),
      "sleep": night.isEmpty ? .null : NightAnswer.json(day, night),
      "workouts": .array(workouts.map { WorkoutAnswer.json($0, session.zone) }),
    ]
  }

  private static func metricOfDay(_ metric: Metric, _ point: DailyPoint) -> JSONValue {
    [
      "metric": .string(metric.shortName), "metric_type": .string(metric.identifier),
      "value": .figure(point.value(metric.measure)), "value_type": .string(metric.measure.rawValue),
      "unit": .string(point.unit), "min": .figure(point.summary.minimum), "max": .figure(point.summary.maximum),
      "count": .int(point.sampleCount), "source": .string(point.tier.rawValue),
    ]
  }
}
