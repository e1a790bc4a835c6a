import DailySummaries
import Queries

extension QueryReport {
  func text(_ paint: Paint) -> String {
    let unitWords = unit.map { $0.isEmpty ? "" : ", \($0.shown(limit: 24))" } ?? ""
    let title = "\(metric.shown())\(unitWords), by \(by)"
    var lines = [
      paint.bold(title), "  \(metricType.shown()), \(first) to \(last), days in \(zone)",
    ]
    if points.isEmpty {
      lines.append("  Nothing on these days." + elsewhereWords)
    } else {
      lines += [""] + table(paint) + closing
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private var elsewhereWords: String {
    guard let elsewhere else { return " The database has nothing of it for this user on any day." }
    return " There is something from \(elsewhere[0]) to \(elsewhere[1])."
  }

  private func table(_ paint: Paint) -> [String] {
    switch TableKind(metricType) {
    case .sleep: sleepTable(paint)
    case .workouts: workoutTable(paint)
    case .other: plainTable(paint)
    }
  }

  private var isByDay: Bool { by == "day" }
  private var startTitle: String { isByDay ? "day" : by == "week" ? "week of" : "month of" }

  private func plainTable(_ paint: Paint) -> [String] {
    let isTotal = valueType == "total"
    var columns: [(title: String, alignment: TextTable.Alignment)] = [(startTitle, .left)]
    if isTotal && !isByDay { columns.append(("total", .right)) }
    columns.append((isTotal ? (isByDay ? "total" : "a day") : "mean", .right))
    if !isTotal || !isByDay { columns += [("min", .right), ("max", .right)] }
    if !isByDay { columns.append(("days", .right)) }
    columns += [("samples", .right), ("from", .left)]
    var table = TextTable(columns)
    for point in points {
      guard let figures = point.figures else { continue }
      var cells = [point.start]
      if isTotal && !isByDay { cells.append(QueryReport.words(figures.total)) }
      cells.append(Words.figure(figures.value))
      if !isTotal || !isByDay { cells += [QueryReport.words(figures.minimum), QueryReport.words(figures.maximum)] }
      if !isByDay { cells.append(Words.count(figures.days)) }
      table.add(cells + [Words.count(figures.samples), figures.source])
    }
    return table.lines(paint: paint)
  }

  /// Of several nights, their mean.
  private func sleepTable(_ paint: Paint) -> [String] {
    let states: [(title: String, name: String)] = [
      ("core", SleepState.asleepCore.exportName), ("deep", SleepState.asleepDeep.exportName),
      ("rem", SleepState.asleepREM.exportName), ("unspecified", SleepState.asleepUnspecified.exportName),
      ("awake", SleepState.awake.exportName), ("in bed", SleepState.inBed.exportName),
    ].filter { state in points.contains { $0.parts?[state.1] != nil } }
    var table = TextTable(
      [(startTitle, .left)] + (isByDay ? [] : [("nights", .right)]) + [("asleep", .right)]
        + states.map { ($0.title, .right) } + [("from", .left)])
    for point in points {
      let nights = isByDay ? [] : [Words.count(point.figures?.days ?? 0)]
      let parts = states.map { QueryReport.words(point.parts?[$0.name]?.value) }
      let source = point.figures?.source ?? point.parts?.values.first?.source ?? ""
      table.add([point.start] + nights + [QueryReport.words(point.figures?.value)] + parts + [source])
    }
    return table.lines(paint: paint)
  }

  /// A line for each activity.
  private func workoutTable(_ paint: Paint) -> [String] {
    var table = TextTable([
      (startTitle, .left), ("activity", .left), ("minutes", .right), ("workouts", .right), ("from", .left),
    ])
    for point in points {
      let parts = (point.parts ?? [:]).sorted { ($1.value.total ?? 0, $0.key) < ($0.value.total ?? 0, $1.key) }
      for (name, figures) in parts {
        table.add([
          point.start, MetricNames.activity(name).shown(limit: 40), QueryReport.words(figures.total),
          Words.count(figures.samples), figures.source,
        ])
      }
      if parts.count != 1, let figures = point.figures {
        table.add([
          point.start, "all", QueryReport.words(figures.total), Words.count(figures.samples), figures.source,
        ])
      }
    }
    return table.lines(paint: paint)
  }

  private var closing: [String] {
    guard let overall, overall.days > 1 else { return [] }
    let noun = TableKind(metricType) == .sleep ? "night" : "day"
    let days = Words.count(overall.days, noun)
    let range = [overall.minimum, overall.maximum].map(QueryReport.words).joined(separator: " to ")
    let together = overall.total.map { "; together \(Words.figure($0))" } ?? ""
    let mean = overall.total == nil ? "mean \(Words.figure(overall.value))" : "\(Words.figure(overall.value)) a \(noun)"
    return ["", "  \(days): \(mean), \(range)\(together)."]
  }

  private static func words(_ value: Double?) -> String { value.map(Words.figure) ?? "" }
}

/// How a metric's table looks.
private enum TableKind {
  case sleep, workouts, other

  init(_ metricType: String) {
    self =
      metricType == SummaryKind.sleepType ? .sleep : metricType == SummaryKind.workoutType ? .workouts : .other
  }
}

extension QueryReport {
  /// One line for each metric and period (RFC 4180); numbers in full.
  func csv() -> String {
    var lines = ["start,metric,value,total,minimum,maximum,days,samples,unit,source"]
    func add(_ start: String, _ metric: String, _ figures: Figures) {
      func number(_ value: Double?) -> String { value.map { "\($0)" } ?? "" }
      lines.append(
        [
          start, CSVText.field(metric), number(figures.value), number(figures.total), number(figures.minimum),
          number(figures.maximum), "\(figures.days)", "\(figures.samples)", CSVText.field(figures.unit), figures.source,
        ].joined(separator: ","))
    }
    for point in points {
      if let figures = point.figures { add(point.start, metric, figures) }
      for (type, figures) in (point.parts ?? [:]).sorted(by: { $0.key < $1.key }) {
        add(point.start, MetricNames.shortName(of: type), figures)
      }
    }
    return lines.map { $0 + "\r\n" }.joined()
  }
}

enum CSVText {
  /// In quotes where it holds something that would end it.
  static func field(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { [",", "\"", "\r", "\n"].contains($0) }) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
