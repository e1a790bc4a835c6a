import DailySummaries
import HealthModel
import PostgresClient

/// Sums up the stored rows of one type, and notes on which local days there are any.
struct TypeRecompute {
  private var fold: SummaryFold
  private var samples: DayRecompute
  private var cursor: ZoneCursor
  private var sessions = SleepSessions()
  /// Local days with a row that counts for them: that starts there, or whose sleep session ends there.
  private(set) var days: Set<CivilDay> = []

  init(metricType: String, zone: ZoneRules, ranking: SourceRanking, symbols: SymbolTable) {
    fold = SummaryFold(metricType: metricType, zone: zone, ranking: ranking, symbols: symbols)
    samples = DayRecompute(metricType: metricType, symbols: symbols)
    cursor = ZoneCursor(zone)
  }

  /// A row as `StoredRows` or `PostState` reads it.
  mutating func add(_ row: inout CopyDecoder) throws {
    let record = try samples.record(&row)
    fold.add(record)
    if fold.kind == .sleep {
      sessions.add(RowInterval(start: record.start, end: record.end))
    } else {
      days.insert(cursor.localDay(of: record.start))
    }
  }

  mutating func finish() -> (summaries: [DailySummary], leftOut: LeftOut) {
    for session in sessions.sessions { days.insert(cursor.localDay(of: session.end)) }
    let summaries = fold.finish()
    return (summaries, fold.leftOut)
  }
}

/// How much a day's summaries of one type hold, of sleep and workouts those of all names.
struct DayWeight: Equatable {
  /// Samples of the fullest one.
  var count = 0
  /// Of all of them.
  var sum = 0.0

  /// More samples, or as many that may be the same ones. Other ranks give other sums.
  func outweighs(_ other: DayWeight, ranksDiffer: Bool) -> Bool {
    count > other.count || (count == other.count && (ranksDiffer || SameValue.holds(sum, other.sum)))
  }
}

extension Sequence<DailySummary> {
  var weights: [CivilDay: DayWeight] {
    reduce(into: [:]) { weights, summary in
      weights[summary.day, default: DayWeight()].count = Swift.max(
        weights[summary.day]?.count ?? 0, summary.sampleCount)
      weights[summary.day, default: DayWeight()].sum += summary.sum ?? 0
    }
  }
}
