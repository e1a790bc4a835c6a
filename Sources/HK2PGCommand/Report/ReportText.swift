import Foundation
import HealthModel
import ImportFlow

/// The report for people. Everything the reader may want to check stands in it; the rest is in `--json`.
struct ReportText {
  let report: ImportReport
  /// How to open the database the rows went to, for the hint at the end; nil: no database.
  var psql: String?
  /// Of `stage`.
  var chunkFolder: String?
  var exportPath = ""
  var paint = Paint(isOn: false)

  static let shownTypes = 15
  static let shownSources = 8

  var text: String {
    var sections = [headline]
    if report.sameAsImport == nil {
      sections += [sum, changes, types, sources, files, summaries]
      sections += ReportProblems(report: report, paint: paint).sections
      sections += [truthCheck]
    }
    sections += [notes, figures, nextStep]
    return sections.filter { !$0.isEmpty }.map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  // MARK: What and where

  private var headline: [String] {
    var facts = TextTable([("", .left), ("", .left)])
    facts.add(["export", exportFacts])
    if let database = report.database { facts.add(["database", database.shown(limit: 200)]) }
    if let user = report.user { facts.add(["user", user.shown(limit: 80)]) }
    if let zone = report.zone { facts.add(["days in", "\(zone.name) (from \(zone.origin))"]) }
    return [paint.bold(title), ""] + facts.lines()
  }

  private var title: String {
    let name = report.export.name.shown(limit: 80)
    if let earlier = report.sameAsImport {
      return "\(name) is loaded already: import \(earlier.importNumber) of \(moment(earlier.finishedAt)) wrote "
        + Words.count(earlier.written, "sample")
    }
    let written = report.samples.written
    switch report.command {
    case "inspect": return "\(name) holds \(Words.count(report.samples.read, "sample"))\(range)"
    case "stage": return "Staged \(name): \(Words.count(written, "row"))\(range)"
    default:
      if report.samples.read == 0 { return "Loaded \(name): a whole export, without any sample" }
      return written == 0
        ? "Loaded \(name): nothing new among \(Words.count(report.samples.read, "sample"))\(range)"
        : "Loaded \(name): \(Words.count(written, "new sample"))\(range)"
    }
  }

  private var range: String {
    guard let first = report.types.map(\.first).min(), let last = report.types.map(\.last).max() else { return "" }
    return ", \(day(first)) to \(day(last))"
  }

  private var exportFacts: String {
    var facts: [String] = []
    if report.export.byteCount > 0 { facts.append(Words.bytes(report.export.byteCount)) }
    if let date = report.export.exportDate { facts.append("made \(moment(date))") }
    if let locale = report.export.locale { facts.append(locale.shown()) }
    if report.export.isSalvaged { facts.append("damaged, salvaged") }
    return facts.isEmpty ? report.export.name.shown(limit: 80) : facts.joined(separator: ", ")
  }

  // MARK: The sum (DESIGN §7.1)

  private var sum: [String] {
    let samples = report.samples
    let written = ["stage": "staged", "inspect": "rows to write"][report.command] ?? "written"
    let parts: [(Int, String)] = [
      (samples.written, written), (samples.alreadyThere, "already there"),
      (samples.repeats, "repeats and copies of others"),
      (samples.superseded, "superseded by newer ones"), (samples.asideForLive, "left to rows of another program"),
      (samples.withheld, "withheld (raw window, pruned days); they count in daily summaries"),
      (samples.rejected, "rejected"),
    ]
    let shown = parts.enumerated().filter { $0.offset == 0 || $0.element.0 != 0 }.map(\.element)
    let width = (shown.map(\.0) + [samples.read]).map { Words.count($0).count }.max() ?? 0
    var lines = [paint.bold("Samples")]
    for (index, part) in shown.enumerated() {
      lines.append("  \(index == 0 ? " " : "+") \(Words.count(part.0).aligned(to: width))  \(part.1)")
    }
    lines.append("  \(samples.isBalanced ? "=" : "≠") \(Words.count(samples.read).aligned(to: width))  read")
    if !samples.isBalanced {
      lines.append("  " + paint.warning("These figures do not add up. That is an error of hk2pg: please report it."))
    }
    return lines
  }

  private var changes: [String] {
    let changes = report.changes
    var table = TextTable([("", .right), ("", .left)])
    func add(_ count: Int, _ phrase: String) {
      if count > 0 { table.add([Words.count(count), Words.inflected(phrase, count)]) }
    }
    add(changes.changed, "of those already there rewritten, since {it|they} differed")
    add(changes.removed, "{row|rows} removed that the export no longer has")
    add(changes.keptMissing, "{row|rows} kept that the export no longer has")
    add(changes.moved, "{sample shares|samples share} type and second with another one: stored 1 µs or more later")
    let lines = table.lines(indent: 4)
    return lines.isEmpty ? [] : [paint.bold("Rows")] + lines
  }

  // MARK: Tables

  private var types: [String] {
    if report.types.isEmpty { return [] }
    let hasWithheld = report.types.contains { $0.withheld > 0 }
    var table = TextTable(
      [("type", .left), ("rows", .right)] + (hasWithheld ? [("withheld", .right)] : [])
        + [("first", .left), ("last", .left), ("exported in", .left)])
    let sorted = report.types.sorted { ($1.rows + $1.withheld, $0.metricType) < ($0.rows + $0.withheld, $1.metricType) }
    for type in sorted.prefix(ReportText.shownTypes) {
      let units = type.units.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { $0.key.shown(limit: 20) }
      table.add(
        [type.metricType.shown(), Words.count(type.rows)] + (hasWithheld ? [Words.count(type.withheld)] : [])
          + [day(type.first), day(type.last), units.filter { !$0.isEmpty }.prefix(3).joined(separator: ", ")])
    }
    return [paint.bold("Types (\(kinds))")] + table.lines(paint: paint)
      + more(report.types.count - ReportText.shownTypes, "type")
  }

  /// `58 quantity, 14 category, 1 workout`.
  private var kinds: String {
    var counts: [MetricKind: Int] = [:]
    for type in report.types { counts[Catalogue.kind(ofType: type.metricType), default: 0] += 1 }
    return MetricKind.allCases.compactMap { kind in counts[kind].map { "\(Words.count($0)) \(kind.words)" } }
      .joined(separator: ", ")
  }

  private var sources: [String] {
    if report.sources.isEmpty { return [] }
    var table = TextTable(
      [("source", .left), ("class", .left), ("samples", .right), ("first", .left), ("last", .left)])
    let sorted = report.sources.sorted { ($1.samples, $0.name) < ($0.samples, $1.name) }
    for source in sorted.prefix(ReportText.shownSources) {
      table.add([
        source.name.isEmpty ? "(none)" : source.name.shown(limit: 40), source.deviceClass, Words.count(source.samples),
        source.first.map(day) ?? "", source.last.map(day) ?? "",
      ])
    }
    var lines = [paint.bold("Sources (\(Words.count(report.sources.count)))")] + table.lines(paint: paint)
    lines += more(report.sources.count - ReportText.shownSources, "source")
    if report.sourceRanking.count > 1 {
      let names = report.sourceRanking.prefix(4).map { $0.shown(limit: 24) }.joined(separator: " > ")
      lines.append("  Where they overlap: \(names)\(report.sourceRanking.count > 4 ? " > …" : "")")
    }
    return lines
  }

  private var files: [String] {
    guard let files = report.sideFiles else { return [] }
    var table = TextTable([("", .left), ("found", .right), ("used", .right)])
    let kinds = [
      ("workout routes", files.routes), ("electrocardiograms", files.electrocardiograms),
      ("clinical records", files.clinicalRecords),
    ]
    for (name, count) in kinds where count.found > 0 {
      table.add([name, Words.count(count.found), Words.count(count.used)])
    }
    let lines = table.lines(paint: paint)
    return lines.count < 2 ? [] : [paint.bold("Files")] + lines
  }

  private func more(_ count: Int, _ noun: String) -> [String] {
    count > 0 ? [paint.faint("  and \(Words.count(count, "more \(noun)")): see --json or --report")] : []
  }

  private var summaries: [String] {
    let summaries = report.summaries
    if summaries.days == 0 && summaries.written == 0 && summaries.unchanged == 0 { return [] }
    var facts = ["\(Words.count(summaries.days)) (one per type and day)"]
    if report.database != nil {
      facts.append("\(Words.count(summaries.written)) written")
      if summaries.unchanged > 0 { facts.append("\(Words.count(summaries.unchanged)) unchanged") }
    }
    return [paint.bold("Daily summaries"), "  " + facts.joined(separator: ", ")]
  }

  private var truthCheck: [String] {
    guard let check = report.truthCheck, check.daysCompared > 0 else { return [] }
    let share = Words.decimal(Double(check.daysWithinOnePercent) / Double(check.daysCompared) * 100, 1)
    return [
      paint.bold("Check against the rings"),
      "  \(share) % of \(Words.count(check.daysCompared, "day")) agree within 1 % with the export's activity summaries"
        + (check.worst.isEmpty ? "" : "; the worst days are in --json"),
    ]
  }

  // MARK: The end

  private var notes: [String] {
    report.notes.isEmpty ? [] : [paint.bold("Please note")] + report.notes.flatMap(ReportText.bullet)
  }

  static func bullet(_ text: String) -> [String] {
    WrappedText.lines(text, width: 90).enumerated().map { ($0.offset == 0 ? "  - " : "    ") + $0.element }
  }

  private var figures: [String] {
    let timing = report.timing
    let sizes = report.sizes
    var table = TextTable([("", .left), ("", .left)])
    if timing.seconds > 0 { table.add(["time", timeFacts]) }
    if timing.peakMemoryBytes > 0 { table.add(["memory", "\(Words.bytes(timing.peakMemoryBytes)) at most"]) }
    if let bytes = sizes.stagedBytes { table.add(["chunks", Words.bytes(bytes)]) }
    if let tables = sizes.tableBytes {
      let whole = sizes.databaseBytes.map { "; the whole database \(Words.bytes($0))" } ?? ""
      table.add(["tables", Words.bytes(tables) + " with indexes" + whole])
    }
    if let forecast { table.add(["forecast", forecast]) }
    let lines = table.lines()
    return lines.isEmpty ? [] : [paint.bold("Figures")] + lines
  }

  /// Of the tables with their indexes.
  private var forecast: String? {
    guard let all = report.sizes.forecastAllBytes else { return nil }
    func rows(_ count: Int?) -> String { count.map { "\(Words.count($0, "raw row"))" } ?? "raw rows" }
    let text = "\(Words.bytes(all)) in the database with all \(rows(report.sizes.forecastAllRows))"
    guard let window = report.sizes.forecastWindowBytes, window != all else { return text }
    return text + ", \(Words.bytes(window)) with the \(rows(report.sizes.forecastWindowRows)) of --raw-window 30d"
  }

  private var timeFacts: String {
    let timing = report.timing
    var text = Words.duration(timing.seconds)
    if timing.stageSeconds > 0 && timing.loadSeconds > 0 {
      text += " (staging \(Words.duration(timing.stageSeconds)), loading \(Words.duration(timing.loadSeconds)))"
    }
    return timing.samplesPerSecond > 0 ? text + ", \(Words.rate(timing.samplesPerSecond)) samples/s" : text
  }

  private var nextStep: [String] {
    var lines: [String] = []
    switch report.command {
    case "inspect": lines = ["  hk2pg import \(quoted(exportPath))"]
    case "stage": lines = ["  hk2pg load \(quoted(chunkFolder ?? "DIR"))"]
    default:
      guard let psql else { return [] }
      lines = [
        "  \(psql) -c \"SELECT day, sum_value FROM v_healthkit_daily_quantity",
        "    WHERE metric_type = 'HKQuantityTypeIdentifierStepCount' ORDER BY day DESC LIMIT 7\"",
      ]
    }
    return [paint.bold("Next")] + lines
  }

  private func quoted(_ path: String) -> String {
    let isPlain = path.allSatisfy { $0.isLetter || $0.isNumber || "._/-".contains($0) }
    return isPlain && !path.isEmpty ? path : "'" + path.replacing("'", with: "'\\''") + "'"
  }

  // MARK: Dates in the user's zone

  private var zone: TimeZone { report.zone.flatMap { TimeZone(identifier: $0.name) } ?? .gmt }

  private func local(_ date: Date) -> (day: CivilDay, minutes: Int) {
    let seconds = Int64(date.timeIntervalSince1970.rounded(.down)) + Int64(zone.secondsFromGMT(for: date))
    let day = seconds.flooredQuotient(86_400)
    return (CivilDay(daysSince1970: Int32(clamping: day)), Int(seconds - day * 86_400) / 60)
  }

  private func day(_ date: Date) -> String { local(date).day.description }

  private func moment(_ date: Date) -> String {
    let (day, minutes) = local(date)
    let clock = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    return "\(day) \(clock)" + (report.zone == nil ? " UTC" : "")
  }
}
