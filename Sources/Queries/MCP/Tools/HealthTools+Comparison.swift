import HealthModel

extension HealthTools {
  static let statistics = ToolDefinition(
    name: "get_metric_stats", title: "Statistics of a metric",
    description: """
      How the daily values of a metric are spread: least, greatest, mean, standard deviation, percentiles. To tell whether \
      a day is usual for this person.
      """,
    parameters: [.metric, .days(90)],
    output: OutputSchema.metric([
      "period_days": OutputSchema.integer, "data_points": OutputSchema.integer, "tier": OutputSchema.tier,
      "min": OutputSchema.figure, "max": OutputSchema.figure, "mean": OutputSchema.figure,
      "std_dev": OutputSchema.figure,
      "percentiles": OutputSchema.object([
        "p10": OutputSchema.figure, "p25": OutputSchema.figure, "p50": OutputSchema.figure, "p75": OutputSchema.figure,
        "p90": OutputSchema.figure,
      ]),
    ])
  ) { session, arguments in
    let metric = try arguments.metric(session)
    let days = session.lastDays(arguments.count("days"))
    let points = try session.figures(metric, days)
    let statistics = DayStatistics(points.compactMap { $0.value(metric.measure) })
    let percentiles = [10, 25, 50, 75, 90].map {
      ("p\($0)", JSONValue.figure(statistics.percentile(Double($0))))
    }
    return .merging(
      session.head(metric, days, points),
      [
        "period_days": .int(arguments.count("days")), "data_points": .int(points.count), "tier": .tier(points),
        "min": .figure(statistics.values.first), "max": .figure(statistics.values.last),
        "mean": .figure(statistics.mean), "std_dev": .figure(statistics.standardDeviation),
        "percentiles": .object(Dictionary(uniqueKeysWithValues: percentiles)),
      ])
  }

  private static let period = OutputSchema.object([
    "start": OutputSchema.text, "end": OutputSchema.text, "data_points": OutputSchema.integer,
    "avg": OutputSchema.figure, "total": OutputSchema.figure, "min": OutputSchema.figure, "max": OutputSchema.figure,
    "unit": OutputSchema.optionalText, "tier": OutputSchema.tier,
  ])

  static let comparison = ToolDefinition(
    name: "compare_periods", title: "Compare two periods",
    description: """
      A metric in two ranges of local days, both ends included: means, totals, least and greatest, and how the mean of B \
      differs from that of A.
      """,
    parameters: [
      .metric, .date("period_a_start", "First day of A, YYYY-MM-DD."),
      .date("period_a_end", "Last day of A, YYYY-MM-DD."),
      .date("period_b_start", "First day of B, YYYY-MM-DD."), .date("period_b_end", "Last day of B, YYYY-MM-DD."),
    ],
    output: OutputSchema.object(
      OutputSchema.metric.merging([
        "zone": OutputSchema.text, "period_a": period, "period_b": period,
        "comparison": OutputSchema.object([
          "delta": OutputSchema.figure, "pct_change": OutputSchema.figure, "verdict": OutputSchema.text,
        ]),
      ]) { $1 })
  ) { session, arguments in
    let metric = try arguments.metric(session)
    let a = try Side(session, metric, arguments, "period_a")
    let b = try Side(session, metric, arguments, "period_b")
    var comparison: [String: JSONValue] = ["delta": .null, "pct_change": .null]
    if let first = a.overall, let second = b.overall, first.unit == second.unit {
      let delta = second.mean - first.mean
      comparison["delta"] = .figure(delta)
      if first.mean != 0 { comparison["pct_change"] = .figure(delta / first.mean * 100) }
      comparison["verdict"] = .string("B is \(direction(delta))" + (delta == 0 ? " as A" : " than A"))
    } else {
      comparison["verdict"] = .string("no data in one of the periods, or in different units: nothing to compare")
    }
    let head = session.head(metric, a.days, a.points.isEmpty ? b.points : a.points)
      .filter { !["first_day", "last_day"].contains($0.key) }
    return .merging(head, ["period_a": a.json, "period_b": b.json, "comparison": .object(comparison)])
  }

  private struct Side {
    let days: ClosedRange<CivilDay>
    let points: [DailyPoint]
    let overall: PeriodPoint?

    init(_ session: ReadSession, _ metric: Metric, _ arguments: ToolArguments, _ name: String) throws {
      guard let first = arguments.date(name + "_start"), let last = arguments.date(name + "_end") else {
        throw ToolArgumentError(message: "\(name) needs a start and an end.")
      }
      if first > last { throw QueryError.emptyRange(first, last) }
      guard last.daysSince1970 - first.daysSince1970 < ToolBounds.days else {
        throw ToolArgumentError(message: "\(name) may have at most \(ToolBounds.days) days.")
      }
      days = first...last
      points = try session.figures(metric, days)
      overall = PeriodPoint(start: first, points, metric.measure)
    }

    var json: JSONValue {
      [
        "start": .day(days.lowerBound), "end": .day(days.upperBound), "data_points": .int(points.count),
        "avg": .figure(overall?.mean), "total": .figure(overall?.total), "min": .figure(overall?.minimum),
        "max": .figure(overall?.maximum), "unit": .text(overall?.unit), "tier": .tier(points),
      ]
    }
  }

  static let search = ToolDefinition(
    name: "search_records", title: "Days beyond a limit",
    description: """
      Days on which a metric's value was at least min_value, at most max_value, or both; greatest first. Values are daily \
      totals (steps, energy, minutes of sleep) or daily means (heart rate, weight).
      """,
    parameters: [
      .metric, .days(90), .number("min_value", "Least value of a day, in the metric's unit."),
      .number("max_value", "Greatest value of a day, in the metric's unit."), .limit(100, "days"),
    ],
    output: OutputSchema.metric([
      "period_days": OutputSchema.integer, "days_searched": OutputSchema.integer,
      "days_matched": OutputSchema.integer, "truncated": OutputSchema.bool, "tier": OutputSchema.tier,
      "filters": OutputSchema.object(["min_value": OutputSchema.figure, "max_value": OutputSchema.figure]),
      "results": OutputSchema.list(
        OutputSchema.object([
          "date": OutputSchema.text, "value": OutputSchema.figure, "source": OutputSchema.source,
        ])),
    ])
  ) { session, arguments in
    let metric = try arguments.metric(session)
    let days = session.lastDays(arguments.count("days"))
    let limit = arguments.count("limit")
    let (least, greatest) = (arguments.number("min_value"), arguments.number("max_value"))
    let points = try session.figures(metric, days)
    let matches = points.compactMap { point in point.value(metric.measure).map { (point, $0) } }
      .filter { $0.1 >= least ?? -.infinity && $0.1 <= greatest ?? .infinity }
      .sorted { ($0.1, $1.0.day) > ($1.1, $0.0.day) }
    return .merging(
      session.head(metric, days, points),
      [
        "period_days": .int(arguments.count("days")), "days_searched": .int(points.count),
        "days_matched": .int(matches.count), "truncated": .bool(matches.count > limit), "tier": .tier(points),
        "filters": [
          "min_value": least.map(JSONValue.number) ?? .null, "max_value": greatest.map(JSONValue.number) ?? .null,
        ],
        "results": .array(
          matches.prefix(limit).map { point, value in
            ["date": .day(point.day), "value": .figure(value), "source": .string(point.tier.rawValue)]
          }),
      ])
  }
}
