import DailySummaries
import HealthModel
import PostgresClient

/// Puts recomputed days in the place of staged ones.
struct SummaryReplacement {
  let tables: WorkingTables
  let userID: String
  let connection: PostgresConnection

  /// Summaries that samples of a type give.
  static func condition(_ summaryType: String, isOf type: String) -> String {
    let family = SummaryKind.families.first { $0.type == type }.map { " OR \(summaryType) LIKE '\($0.prefix)%'" }
    return "(\(summaryType) = \(SQLText.literal(type))\(family ?? ""))"
  }

  /// The type of the samples that give a summary.
  static func sampleType(_ summaryType: String) -> String {
    let families = SummaryKind.families.map { "WHEN \(summaryType) LIKE '\($0.prefix)%' THEN '\($0.type)'" }
    return "CASE \(families.joined(separator: " ")) ELSE \(summaryType) END"
  }

  /// Stored summaries of `days` go where there is none to come; `summaries` says what `recomputed` ones hold.
  func replace(_ type: String, days: [CivilDay], recomputed: Set<CivilDay>, by summaries: [DailySummary]) throws {
    try copyDays(type, days)
    try drop(type, recomputed)
    try copySummaries(summaries)
  }

  /// Takes back staged summaries.
  func drop(_ type: String, _ days: Set<CivilDay>) throws {
    if days.isEmpty { return }
    let isOfType = SummaryReplacement.condition("w.metric_type", isOf: type)
    let list = days.sorted().map(\.description).joined(separator: ",")
    try connection.execute(
      "DELETE FROM \(tables.summaries) w WHERE \(isOfType) AND w.summary_date = ANY ('{\(list)}'::date[])")
  }

  func copyDays(_ type: String, _ days: [CivilDay]) throws {
    var encoder = CopyEncoder()
    encoder.appendHeader()
    for day in days {
      encoder.beginRow(fieldCount: 2)
      encoder.append(text: type)
      encoder.append(date: day)
    }
    encoder.appendTrailer()
    try connection.copyIn("COPY \(tables.unionDays) FROM STDIN (FORMAT binary)") { try $0.send(encoder.bytes.span) }
  }

  func copySummaries(_ summaries: [DailySummary]) throws {
    let key = UserKey(userID: userID)
    var encoder = CopyEncoder()
    encoder.appendHeader()
    for summary in summaries {
      encoder.beginRow(fieldCount: 10)
      encoder.append(uuid: RowID(summaryOf: Array(summary.metricType.utf8), day: summary.day, user: key))
      encoder.append(text: userID)
      encoder.append(text: summary.metricType)
      encoder.append(date: summary.day)
      for number in [summary.average, summary.minimum, summary.maximum, summary.sum] {
        if let number { encoder.append(float8: number) } else { encoder.appendNull() }
      }
      encoder.append(int4: Int32(clamping: summary.sampleCount))
      encoder.append(text: summary.unit)
    }
    encoder.appendTrailer()
    try connection.execute("ALTER TABLE \(tables.summaries) ALTER COLUMN is_recomputed SET DEFAULT true")
    try connection.copyIn(
      """
      COPY \(tables.summaries) (id, user_id, metric_type, summary_date, avg_value, min_value, max_value, sum_value,
        sample_count, unit) FROM STDIN (FORMAT binary)
      """
    ) { try $0.send(encoder.bytes.span) }
  }
}
