import DailySummaries
import HealthModel

/// Which rows of one type may go, as stretches of time between the days that must keep theirs.
///
/// ```
/// day        1    2    3    4    5    6    7    8
/// may go     x    x    x    –    x    x    x    limit       – the summary differs
/// run        └─────────┘         └─────────┘
/// row           ──   ─────   ──     ─   ────────            the last one reaches into a kept day, which needs it: it stays
/// ```
/// A row goes when it starts in a run and ends in it. Sleep goes by whole sessions, whose minutes count for the day on
/// which they end.
struct PrunePlan: Equatable {
  /// One transaction's work.
  struct Batch: Equatable {
    /// The local days it lies in, those that rows which stayed earlier may start on included.
    var days: ClosedRange<CivilDay>
    /// Rows that start in it…
    var from: Instant
    var to: Instant
    /// …and end no later than this.
    var end: Instant
    /// Rows of ours that start in it, at most.
    var rows: Int
  }

  /// No row that stayed in a batch starts longer before its end.
  private static let overlapDays = 3

  private(set) var batches: [Batch] = []

  /// - Parameter limit: rows of this day and later ones stay.
  init(
    _ survey: PruneSurvey, blocked: Set<CivilDay>, limit: CivilDay, zone: ZoneRules,
    rowsPerBatch: Int
  ) {
    let days = survey.days.filter { $0.value.ours > 0 && $0.key < limit }.keys.sorted()
    let barriers = blocked.filter { $0 < limit }.sorted() + [limit]
    var next = 0
    var runStart: CivilDay?
    for barrier in barriers {
      var run: [CivilDay] = []
      while next < days.count, days[next] <= barrier {
        if days[next] < barrier { run.append(days[next]) }
        next += 1
      }
      if !run.isEmpty {
        if SummaryKind(metricType: survey.metricType) == .sleep {
          addNights(survey, run, from: runStart, until: barrier, zone)
        } else {
          addBatches(survey, run, from: runStart, until: barrier, zone, rowsPerBatch)
        }
      }
      runStart = barrier.advanced(by: 1)
    }
  }

  private mutating func addBatches(
    _ survey: PruneSurvey, _ run: [CivilDay], from runStart: CivilDay?, until barrier: CivilDay, _ zone: ZoneRules,
    _ rowsPerBatch: Int
  ) {
    var first = 0
    var rows = 0
    for index in run.indices {
      rows += survey.days[run[index]]?.ours ?? 0
      let isLast = index == run.count - 1
      guard rows >= rowsPerBatch || isLast else { continue }
      let next = isLast ? barrier : run[index + 1]
      // What stayed at the end of the batch before is looked at again.
      let lookBack = run[first].advanced(by: -PrunePlan.overlapDays)
      let start = runStart.map { max($0, lookBack) } ?? lookBack
      let end = zone.firstInstant(of: next)
      batches.append(
        Batch(
          days: start...next.advanced(by: -1), from: zone.firstInstant(of: start), to: end, end: end, rows: rows))
      (first, rows) = (index + 1, 0)
    }
  }

  /// From the first session that lies in the run to the last one.
  private mutating func addNights(
    _ survey: PruneSurvey, _ run: [CivilDay], from runStart: CivilDay?, until barrier: CivilDay, _ zone: ZoneRules
  ) {
    let start = runStart ?? run[0].advanced(by: -PrunePlan.overlapDays)
    let (first, end) = (zone.firstInstant(of: start), zone.firstInstant(of: barrier))
    // A session that ends at midnight belongs to the next day.
    let inside = survey.sessions.filter { $0.start >= first && $0.end < end }
    guard let from = inside.first?.start, let last = inside.last else { return }
    let next = survey.sessions.first { $0.start > last.end }.map { min($0.start, end) } ?? end
    let rows = run.reduce(0) { $0 + (survey.days[$1]?.ours ?? 0) }
    batches.append(
      Batch(
        days: start...barrier.advanced(by: -1), from: from, to: next, end: end, rows: rows))
  }
}
