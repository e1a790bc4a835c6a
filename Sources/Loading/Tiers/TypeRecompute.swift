import DailySummaries
import HealthModel
import PostgresClient

/// Sums up the stored rows of one type, and notes on which local days there are any.
struct TypeRecompute {
  private var fold: SummaryFold
  private var uncounted: UncountedSamples
  private var samples: DayRecompute
  private var cursor: ZoneCursor
  /// Of the other zones that summaries had so far.
  private var formerCursors: [ZoneCursor]
  private var sessions = SleepSessions()
  /// Local days in either zone with a row that counts for them: that starts there, or whose sleep session ends there.
  private(set) var days: Set<CivilDay> = []
  /// Local days of the former zone that rows reach into from the day before.
  private(set) var formerSpillDays: Set<CivilDay> = []

  init(
    metricType: String, zone: ZoneRules, formerZones: [ZoneRules], ranking: SourceRanking, symbols: SymbolTable,
    fixed: FixedDays
  ) {
    uncounted = UncountedSamples(metricType: metricType, fixed: fixed)
    fold = SummaryFold(metricType: metricType, zone: zone, ranking: ranking, symbols: symbols)
    samples = DayRecompute(metricType: metricType, symbols: symbols)
    cursor = ZoneCursor(zone)
    formerCursors = formerZones.map(ZoneCursor.init)
  }

  /// A row as `StoredRows` reads it.
  mutating func add(_ row: inout CopyDecoder) throws {
    let record = try samples.record(&row)
    uncounted.add(record, to: &fold)
    if fold.kind == .sleep {
      sessions.add(RowInterval(start: record.start, end: record.end))
    } else {
      note(record.start)
      if fold.kind == .cumulative { noteSpill(record) }
    }
  }

  mutating func finish() -> (summaries: [DailySummary], leftOut: LeftOut) {
    for session in sessions.sessions { note(session.end) }
    uncounted.finish(&fold)
    let summaries = fold.finish()
    return (summaries, fold.leftOut)
  }

  private mutating func noteSpill(_ record: SampleRecord) {
    for former in formerCursors where record.end > former.dayEnd {
      RecomputeScope.addDays(
        of: RowInterval(start: record.start, end: record.end), zone: former.rules, to: &formerSpillDays)
    }
  }

  private mutating func note(_ instant: Instant) {
    days.insert(cursor.localDay(of: instant))
    for index in formerCursors.indices { days.insert(formerCursors[index].localDay(of: instant)) }
  }
}
