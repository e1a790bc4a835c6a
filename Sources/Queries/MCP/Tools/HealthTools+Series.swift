import DailySummaries
import HealthModel

extension HealthTools {
  static let heartRateVariability = ToolDefinition(
    name: "get_hrv_trend", title: "Heart rate variability",
    description: """
      Heart rate variability (SDNN, milliseconds) by day, its mean over all samples, and the mean of the last 7 days with \
      data against the 7 before.
      """,
    parameters: [.days(30)],
    output: OutputSchema.range([
      "period_days": OutputSchema.integer, "days_with_data": OutputSchema.integer, "avg_hrv_ms": OutputSchema.figure,
      "latest_hrv_ms": OutputSchema.figure, "unit": OutputSchema.optionalText, "tier": OutputSchema.tier,
      "trend_vs_prior_week": [
        "type": ["object", "null"],
        "properties": [
          "delta_ms": OutputSchema.figure,
          "direction": ["type": "string", "enum": ["higher", "lower", "the same"]],
        ],
        "required": ["delta_ms", "direction"],
      ],
      "daily_averages": OutputSchema.list(
        OutputSchema.object([
          "date": OutputSchema.text, "avg_hrv_ms": OutputSchema.figure, "source": OutputSchema.source,
        ])),
    ])
  ) { session, arguments in
    let days = session.lastDays(arguments.count("days"))
    let points = try session.figures(.heartRateVariability, days)
    let values = points.compactMap { $0.value(.average) }
    var trend = JSONValue.null
    if values.count >= 14 {
      let (recent, prior) = (DayStatistics(Array(values.suffix(7))), DayStatistics(Array(values.suffix(14).prefix(7))))
      let delta = (recent.mean ?? 0) - (prior.mean ?? 0)
      trend = ["delta_ms": .figure(delta), "direction": .string(direction(delta))]
    }
    return .merging(
      session.range(days),
      [
        "period_days": .int(arguments.count("days")), "days_with_data": .int(points.count),
        "avg_hrv_ms": .figure(PeriodPoint(start: days.lowerBound, points, .average)?.mean),
        "latest_hrv_ms": .figure(values.last), "unit": .text(points.first?.unit), "tier": .tier(points),
        "trend_vs_prior_week": trend,
        "daily_averages": .array(
          points.map {
            [
              "date": .day($0.day), "avg_hrv_ms": .figure($0.value(.average)), "source": .string($0.tier.rawValue),
            ]
          }),
      ])
  }

  /// In words without judgement.
  static func direction(_ delta: Double) -> String { delta > 0 ? "higher" : delta < 0 ? "lower" : "the same" }

  static let queryMetric = ToolDefinition(
    name: "query_metric", title: "Metric by day",
    description: """
      Any metric by local day: the day's value (a total for steps, energy, minutes of sleep; a mean for heart rate, \
      weight), with mean, least and greatest sample, sum and number of samples. At most the newest `limit` days. For up \
      to 30 days the newest raw samples as well, where there are some.
      """,
    parameters: [.metric, .days(7), .limit(200, "days, and samples")],
    output: OutputSchema.metric([
      "period_days": OutputSchema.integer, "count": OutputSchema.integer, "truncated": OutputSchema.bool,
      "avg": OutputSchema.figure, "min": OutputSchema.figure, "max": OutputSchema.figure,
      "total": OutputSchema.figure, "tier": OutputSchema.tier, "daily": OutputSchema.list(dayOfMetric),
      "samples": OutputSchema.list(
        OutputSchema.object([
          "value": OutputSchema.figure, "unit": OutputSchema.text, "started_at": OutputSchema.text,
          "ended_at": OutputSchema.optionalText, "source_device": OutputSchema.text,
        ])),
    ])
  ) { session, arguments in
    let metric = try arguments.metric(session)
    let days = session.lastDays(arguments.count("days"))
    let limit = arguments.count("limit")
    let points = metric.kind == .none ? [] : try session.figures(metric, days)
    let isOwnRaw = metric.identifier == metric.rawType && arguments.count("days") <= 30
    let samples = isOwnRaw ? try session.samples(metric.rawType, days, limit: limit) : []
    let overall = PeriodPoint(start: days.lowerBound, points, metric.measure)
    return .merging(
      session.head(metric, days, points),
      [
        "period_days": .int(arguments.count("days")), "count": .int(points.count),
        "truncated": .bool(points.count > limit), "avg": .figure(overall?.mean), "min": .figure(overall?.minimum),
        "max": .figure(overall?.maximum), "total": .figure(overall?.total), "tier": .tier(points),
        "daily": .array(points.suffix(limit).map { dayOfMetric($0, metric) }),
        "samples": .array(samples.map(sample)),
      ])
  }

  static let dayOfMetric = OutputSchema.object([
    "date": OutputSchema.text, "value": OutputSchema.figure, "avg": OutputSchema.figure, "min": OutputSchema.figure,
    "max": OutputSchema.figure, "sum": OutputSchema.figure, "count": OutputSchema.integer,
    "source": OutputSchema.source,
  ])

  static func dayOfMetric(_ point: DailyPoint, _ metric: Metric) -> JSONValue {
    [
      "date": .day(point.day), "value": .figure(point.value(metric.measure)), "avg": .figure(point.summary.average),
      "min": .figure(point.summary.minimum), "max": .figure(point.summary.maximum),
      "sum": .figure(point.summary.sum), "count": .int(point.sampleCount), "source": .string(point.tier.rawValue),
    ]
  }

  private static func sample(_ sample: StoredSample) -> JSONValue {
    [
      "value": .figure(sample.value), "unit": .string(sample.unit), "started_at": .time(sample.start),
      "ended_at": .time(sample.end), "source_device": .string(sample.source),
    ]
  }

  static let longTermTrend = ToolDefinition(
    name: "get_long_term_trend", title: "Trend by month",
    description: """
      Any metric by month, the running month included: for totals the mean of a day and the total, otherwise the mean of \
      all samples; with the least and the greatest. For years and seasons.
      """,
    parameters: [
      .metric,
      ToolParameter(
        name: "months", kind: .count(1...ToolBounds.months, default: 24), isRequired: false,
        description: "The last so many calendar months, this one included."),
    ],
    output: OutputSchema.metric([
      "months": OutputSchema.integer, "days_with_data": OutputSchema.integer, "overall_avg": OutputSchema.figure,
      "overall_min": OutputSchema.figure, "overall_max": OutputSchema.figure, "tier": OutputSchema.tier,
      "monthly_trend": OutputSchema.list(
        OutputSchema.object([
          "month": OutputSchema.text, "avg": OutputSchema.figure, "total": OutputSchema.figure,
          "min": OutputSchema.figure, "max": OutputSchema.figure, "days_with_data": OutputSchema.integer,
          "sources": OutputSchema.list(OutputSchema.source),
        ])),
    ])
  ) { session, arguments in
    let metric = try arguments.metric(session)
    let months = arguments.count("months")
    let (year, month, _) = session.today.civil
    let first = year * 12 + month - months
    let days = CivilDay(year: first / 12, month: first % 12 + 1, day: 1)...session.today
    let points = try session.figures(metric, days)
    let overall = PeriodPoint(start: days.lowerBound, points, metric.measure)
    return .merging(
      session.head(metric, days, points),
      [
        "months": .int(months), "days_with_data": .int(points.count), "overall_avg": .figure(overall?.mean),
        "overall_min": .figure(overall?.minimum), "overall_max": .figure(overall?.maximum), "tier": .tier(points),
        "monthly_trend": .array(
          PeriodPoint.points(points, metric.measure, by: .month).map { point in
            [
              "month": .string(String(point.start.description.prefix(7))), "avg": .figure(point.mean),
              "total": .figure(point.total), "min": .figure(point.minimum), "max": .figure(point.maximum),
              "days_with_data": .int(point.dayCount),
              "sources": .array(point.tiers.map { .string($0.rawValue) }.sorted { $0.string ?? "" < $1.string ?? "" }),
            ]
          }),
      ])
  }
}
