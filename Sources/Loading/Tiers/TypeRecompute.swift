import DailySummaries
import HealthModel
import PostgresClient

/// Sums up the stored rows of one type, and notes on which local days there are any.
struct TypeRecompute {
  private var fold: SummaryFold
  private var samples: DayRecompute
  private var cursor: ZoneCursor
  /// Of the zone that the summaries had so far, where it is another one.
  private var formerCursor: ZoneCursor?
  private var sessions = SleepSessions()
  /// Local days in either zone with a row that counts for them: that starts there, or whose sleep session ends there.
  private(set) var days: Set<CivilDay> = []
  /// Local days of the former zone that rows reach into from the day before.
  private(set) var formerSpillDays: Set<CivilDay> = []

  init(metricType: String, zone: ZoneRules, formerZone: ZoneRules?, ranking: SourceRanking, symbols: SymbolTable) {
    fold = SummaryFold(metricType: metricType, zone: zone, ranking: ranking, symbols: symbols)
    samples = DayRecompute(metricType: metricType, symbols: symbols)
    cursor = ZoneCursor(zone)
    formerCursor = formerZone.map(ZoneCursor.init)
  }

  /// A row as `StoredRows` reads it.
  mutating func add(_ row: inout CopyDecoder) throws {
    let record = try samples.record(&row)
    fold.add(record)
    if fold.kind == .sleep {
      sessions.add(RowInterval(start: record.start, end: record.end))
    } else {
      note(record.start)
      if fold.kind == .cumulative { noteSpill(record) }
    }
  }

  mutating func finish() -> (summaries: [DailySummary], leftOut: LeftOut) {
    for session in sessions.sessions { note(session.end) }
    let summaries = fold.finish()
    return (summaries, fold.leftOut)
  }

  private mutating func noteSpill(_ record: SampleRecord) {
    guard let former = formerCursor, record.end > former.dayEnd else { return }
    RecomputeScope.addDays(
      of: RowInterval(start: record.start, end: record.end), zone: former.rules, to: &formerSpillDays)
  }

  private mutating func note(_ instant: Instant) {
    days.insert(cursor.localDay(of: instant))
    if let day = formerCursor?.localDay(of: instant) { days.insert(day) }
  }
}
