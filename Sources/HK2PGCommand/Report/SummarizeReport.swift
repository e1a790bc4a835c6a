import ImportFlow
import Loading

/// The facts of `hk2pg summarize`, as JSON and as text.
struct SummarizeReport: Encodable {
  var database: String
  var user: String
  var zone: String
  var zoneOrigin: String
  /// The zone of the summaries so far, if it was another one.
  var formerZone: String?
  var sourceRanking: [String]
  var rawRows: Int
  var types: Int
  var leftOutRows: Int
  var summaries: Summaries
  /// Types and days with raw rows that were left as they are.
  var prunedDays: Int
  var withheldDays: Int
  var seconds: Double
  var notes: [String]

  /// recomputed = written + unchanged + kept
  struct Summaries: Encodable {
    var recomputed: Int
    var written: Int
    var unchanged: Int
    var kept: Int
    var removed: Int
  }
}

extension SummarizeReport {
  init(_ result: TierResult<SummarizeOutcome>) {
    let outcome = result.outcome
    database = result.database
    user = result.user
    zone = outcome.zone
    zoneOrigin = result.zoneOrigin
    formerZone = outcome.formerZone
    sourceRanking = outcome.sourceRanking
    rawRows = outcome.rows
    types = outcome.types
    leftOutRows = outcome.leftOutRows
    summaries = Summaries(
      recomputed: outcome.recomputed, written: outcome.written, unchanged: outcome.unchanged, kept: outcome.kept,
      removed: outcome.removed)
    prunedDays = outcome.prunedDays
    withheldDays = outcome.withheldDays
    seconds = result.seconds
    notes = outcome.unmatchedNames.map { "No source of this user is called “\($0)” (--source-priority)." }
    if outcome.isZoneUnknownToServer {
      notes.append("The server does not know this time zone, so the view shows UTC days for raw rows.")
    }
  }

  func text(_ paint: Paint = Paint(isOn: false)) -> String {
    var lines = [
      paint.bold("Summaries recomputed in \(Words.duration(seconds))"), "  Database: \(database.shown(limit: 200))",
    ]
    let former = formerZone.map { "; before: \($0)" } ?? ""
    lines.append("  Days are local days in \(zone) (from \(zoneOrigin)\(former)).")
    if sourceRanking.count > 1 {
      let names = sourceRanking.prefix(4).map { $0.shown(limit: 24) }.joined(separator: " > ")
      lines.append("  Where sources overlap: \(names)\(sourceRanking.count > 4 ? " > …" : "")")
    }
    lines.append("  \(Words.count(rawRows, "raw row")) of \(Words.count(types, "type")) read.")
    lines.append(
      "  \(Words.count(summaries.recomputed, "summary", "summaries")) recomputed: \(Words.count(summaries.written)) written, "
        + "\(Words.count(summaries.unchanged)) as before, \(Words.count(summaries.removed)) removed.")
    func add(_ count: Int, _ noun: String, _ sentence: String) {
      if count > 0 { lines.append("  \(Words.count(count, noun)) \(sentence)") }
    }
    add(summaries.kept, "better one", "of another program left alone: more samples.")
    add(prunedDays, "pruned day", "of a type left alone: no raw rows.")
    add(withheldDays, "day", "of a type left alone: --raw-window keeps raw rows out.")
    add(leftOutRows, "row", "in no summary: no number, or a unit that does not convert.")
    lines += notes.map { "  " + $0 }
    return lines.map { $0 + "\n" }.joined()
  }
}
