import DailySummaries
import HealthModel

/// All tools of the server.
package enum HealthTools {
  package static let all = [
    summary, sleep, heartRateVariability, queryMetric, workouts, snapshot, longTermTrend, statistics, comparison,
    search, metrics,
  ]

  // MARK: What there is

  static let metrics = ToolDefinition(
    name: "list_metrics", title: "List metrics",
    description: """
      Every metric there is for this person: short name, HealthKit identifier, unit, first and last local day, days with \
      a daily summary and the samples behind them. Start here to learn what can be asked.
      """,
    parameters: [],
    output: OutputSchema.object([
      "zone": OutputSchema.text, "today": OutputSchema.text, "newest_export": OutputSchema.optionalText,
      "count": OutputSchema.integer,
      "metrics": OutputSchema.list(
        OutputSchema.object([
          "metric": OutputSchema.text, "metric_type": OutputSchema.text, "unit": OutputSchema.optionalText,
          "first_day": OutputSchema.text, "last_day": OutputSchema.text,
          "summarized_days": OutputSchema.optionalInteger, "samples": OutputSchema.optionalInteger,
          "has_raw_rows": OutputSchema.bool,
        ])),
    ])
  ) { session, _ in
    let metrics = try session.overview()
    return [
      "zone": .string(session.zone.name), "today": .day(session.today),
      "newest_export": .time(session.newestExportDate),
      "count": .int(metrics.count),
      "metrics": .array(
        metrics.map { stored in
          [
            "metric": .string(stored.metric.shortName), "metric_type": .string(stored.metric.identifier),
            "unit": .text(stored.metric.unit), "first_day": .day(stored.days.lowerBound),
            "last_day": .day(stored.days.upperBound),
            "summarized_days": stored.summarizedDayCount.map(JSONValue.int) ?? .null,
            "samples": stored.sampleCount.map(JSONValue.int) ?? .null, "has_raw_rows": .bool(stored.hasRawRows),
          ]
        }),
    ]
  }

  // MARK: Summary

  private static let total = OutputSchema.object([
    "total": OutputSchema.figure, "daily_avg": OutputSchema.figure, "days_with_data": OutputSchema.integer,
    "unit": OutputSchema.optionalText,
  ])
  private static let average = OutputSchema.object([
    "avg": OutputSchema.figure, "latest": OutputSchema.figure, "latest_day": OutputSchema.optionalText,
    "days_with_data": OutputSchema.integer, "unit": OutputSchema.optionalText,
  ])

  static let summary = ToolDefinition(
    name: "get_health_summary", title: "Health summary",
    description: """
      Key figures of the last days: steps, active energy, exercise minutes, heart rate variability, resting heart rate, \
      weight, sleep, workouts.
      """,
    parameters: [.days(7)],
    output: OutputSchema.range([
      "period_days": OutputSchema.integer, "steps": total, "active_energy": total, "exercise": total,
      "hrv_sdnn": average, "resting_heart_rate": average, "weight": average,
      "sleep": OutputSchema.object([
        "avg_hours": OutputSchema.figure, "nights": OutputSchema.integer,
      ]),
      "workouts": OutputSchema.object([
        "count": OutputSchema.integer, "minutes": OutputSchema.figure,
        "by_activity": OutputSchema.map(OutputSchema.integer),
      ]),
      "tier": OutputSchema.tier,
    ])
  ) { session, arguments in
    let days = session.lastDays(arguments.count("days"))
    var all: [DailyPoint] = []
    func points(_ metric: Metric) throws -> [DailyPoint] {
      let points = try session.figures(metric, days)
      all += points
      return points
    }
    func total(_ metric: Metric) throws -> JSONValue {
      let points = try points(metric)
      let overall = PeriodPoint(start: days.lowerBound, points, metric.measure)
      return [
        "total": .figure(overall?.total), "daily_avg": .figure(overall?.mean), "days_with_data": .int(points.count),
        "unit": .text(points.first?.unit),
      ]
    }
    func average(_ metric: Metric) throws -> JSONValue {
      let points = try points(metric)
      return [
        "avg": .figure(PeriodPoint(start: days.lowerBound, points, metric.measure)?.mean),
        "latest": .figure(points.last?.value(metric.measure)), "latest_day": .day(points.last?.day),
        "days_with_data": .int(points.count), "unit": .text(points.first?.unit),
      ]
    }
    let nights = try points(.sleep)
    let workouts = try session.dailyFamily(.workouts, days)
    all += workouts[Metric.workouts.identifier] ?? []
    return .merging(
      session.range(days),
      [
        "period_days": .int(arguments.count("days")), "steps": try total(.steps),
        "active_energy": try total(.activeEnergy), "exercise": try total(.exercise),
        "hrv_sdnn": try average(.heartRateVariability), "resting_heart_rate": try average(.restingHeartRate),
        "weight": try average(.weight),
        "sleep": [
          "avg_hours": .figure(
            PeriodPoint(start: days.lowerBound, nights, .total).map { $0.mean / 60 }), "nights": .int(nights.count),
        ],
        "workouts": [
          "count": .int(WorkoutAnswer.count(workouts[Metric.workouts.identifier])),
          "minutes": .figure(WorkoutAnswer.minutes(workouts[Metric.workouts.identifier])),
          "by_activity": .object(WorkoutAnswer.byActivity(workouts).mapValues { .int($0.workouts) }),
        ],
        "tier": .tier(all),
      ])
  }
}
