import HealthModel
import ImportFlow
import Loading

/// The facts of `hk2pg prune`, as JSON and as text.
struct PruneReport: Encodable {
  var database: String
  var user: String
  var dryRun: Bool
  var keptDays: Int
  var zone: String?
  /// Raw rows of this local day and later ones stay.
  var firstKeptDay: String?
  var limitedByExport: Bool
  /// Deleted, or to be deleted.
  var rows: Int
  var types: [PrunedRows]
  var skipped: [Skipped]
  var reusableBytes: Int64
  var vacuumed: Bool
  /// Gives the space back to the file system.
  var vacuumCommand: String?
  var seconds: Double

  struct PrunedRows: Encodable {
    var metricType: String
    var rows: Int
    var days: Int
  }

  /// A day left alone although it has rows of ours.
  struct Skipped: Encodable {
    var metricType: String
    var day: String
    /// no_summary, differs, left_out_rows or changing.
    var reason: String
    var rows: Int
  }

  static let shownDays = 10
}

extension PruneReport {
  init(_ result: TierResult<PruneOutcome>, keptDays: Int) {
    let outcome = result.outcome
    database = result.database
    user = result.user
    dryRun = outcome.isDryRun
    self.keptDays = keptDays
    zone = outcome.zone.isEmpty ? nil : outcome.zone
    firstKeptDay = outcome.firstKeptDay?.description
    limitedByExport = outcome.isLimitedByExport
    rows = outcome.rows
    types = outcome.types.map { PrunedRows(metricType: $0.metricType, rows: $0.rows, days: $0.days) }
    skipped = outcome.skipped.map {
      Skipped(metricType: $0.metricType, day: $0.day.description, reason: $0.reason.rawValue, rows: $0.rows)
    }
    reusableBytes = outcome.reusableBytes
    vacuumed = outcome.isVacuumed
    vacuumCommand = outcome.rows == 0 ? nil : outcome.table.map { "VACUUM (FULL, ANALYZE) \($0)" }
    seconds = result.seconds
  }

  func text(_ paint: Paint = Paint(isOn: false)) -> String {
    var lines = [
      paint.bold(dryRun ? "Dry run: nothing was changed" : "Pruned in \(Words.duration(seconds))"),
      "  Database: \(database.shown(limit: 200))",
    ]
    if let firstKeptDay, let zone {
      lines.append("  Raw rows from \(firstKeptDay) on stay (\(zone)).")
      if limitedByExport {
        lines.append("  That is the day of the newest export: later days are shown from raw rows.")
      }
    } else {
      lines.append("  hk2pg has imported nothing for this user, so there is nothing to prune.")
    }
    lines.append(
      "  \(Words.count(rows, "raw row")) \(dryRun ? "would be deleted" : "deleted"), "
        + "about \(Words.bytes(reusableBytes)) with index entries.")
    return (lines + typeLines(paint) + skippedLines(paint) + vacuumLines(paint)).map { $0 + "\n" }.joined()
  }

  private func typeLines(_ paint: Paint) -> [String] {
    if types.isEmpty { return [] }
    var table = TextTable([("type", .left), ("rows", .right), ("days", .right)])
    for type in types { table.add([type.metricType.shown(limit: 60), Words.count(type.rows), Words.count(type.days)]) }
    return table.lines(paint: paint)
  }

  private func skippedLines(_ paint: Paint) -> [String] {
    if skipped.isEmpty { return [] }
    let rows = skipped.reduce(0) { $0 + $1.rows }
    var lines = [
      paint.bold("Left alone: \(Words.count(skipped.count, "day")) of a type, with \(Words.count(rows, "row"))")
    ]
    for day in skipped.prefix(PruneReport.shownDays) {
      lines.append("  \(day.day)  \(day.metricType.shown(limit: 60)): \(PruneReport.words(day.reason))")
    }
    if skipped.count > PruneReport.shownDays {
      lines.append("  and \(Words.count(skipped.count - PruneReport.shownDays)) more: see --json")
    }
    if skipped.contains(where: { $0.reason == "differs" || $0.reason == "no_summary" }) {
      lines.append("  hk2pg summarize brings summaries up to date, where all raw rows are there.")
    }
    return lines
  }

  private static func words(_ reason: String) -> String {
    switch reason {
    case "no_summary": "there is no summary"
    case "differs": "its summary is not what its rows give"
    case "left_out_rows": "some of its rows are in no summary"
    default: "rows came while prune ran; run it again"
    }
  }

  /// A plain VACUUM leaves the files as large as they are.
  private func vacuumLines(_ paint: Paint) -> [String] {
    guard let vacuumCommand else { return [] }
    let first =
      dryRun
      ? "Afterwards new rows can use the space."
      : vacuumed
        ? "VACUUM has run: new rows can use the space. The files do not shrink by that."
        : "The role may not VACUUM the table; autovacuum will, and then new rows can use the space."
    return [
      paint.bold("Space"), "  \(first)",
      "  To give it back to the disk (locks the table, and needs room for a copy of what is left):",
      "    \(vacuumCommand);",
    ]
  }
}
