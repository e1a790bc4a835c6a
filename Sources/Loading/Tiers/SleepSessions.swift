import DailySummaries
import HealthModel

/// Sessions of sleep rows, added by start: rows at most an hour apart (DESIGN §4.3), of all sources.
struct SleepSessions {
  private(set) var sessions: [RowInterval] = []

  mutating func add(_ row: RowInterval) {
    let row = RecomputeScope.covered(row)
    let gap = RecomputeScope.sleepGapMicroseconds
    if let last = sessions.last, row.start.microseconds <= last.end.microseconds + gap {
      sessions[sessions.count - 1].end = max(last.end, row.end)
    } else {
      sessions.append(row)
    }
  }
}
