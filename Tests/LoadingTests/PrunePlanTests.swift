import DailySummaries
import HealthModel
import Testing

@testable import Loading

/// Which stretches of time are pruned together; needs no database.
struct PrunePlanTests {
  private let first = CivilDay(year: 2024, month: 5, day: 1)
  private func day(_ number: Int) -> CivilDay { first.advanced(by: number - 1) }
  private func midnight(_ number: Int) -> Instant { day(number).utcMidnight }

  private func survey(_ ours: [Int: Int], type: String = LoadingFixture.steps) -> PruneSurvey {
    let symbols = SymbolTable()
    var survey = PruneSurvey(
      metricType: type, zone: .utc, ranking: SourceRanking(sources: [:], symbols: symbols), symbols: symbols,
      pruned: [])
    for (number, count) in ours { survey.days[day(number)] = .init(fingerprint: .init(rows: count + 1), ours: count) }
    return survey
  }

  private func plan(_ survey: PruneSurvey, blocked: [Int] = [], limit: Int, rows: Int = 100) -> [PrunePlan.Batch] {
    PrunePlan(survey, blocked: Set(blocked.map(day)), limit: day(limit), zone: .utc, rowsPerBatch: rows).batches
  }

  private func batch(_ days: ClosedRange<Int>, _ rows: Int) -> PrunePlan.Batch {
    PrunePlan.Batch(
      days: day(days.lowerBound)...day(days.upperBound), from: midnight(days.lowerBound),
      to: midnight(days.upperBound + 1), end: midnight(days.upperBound + 1), rows: rows)
  }

  @Test func oneRunUpToTheLimit() {
    // Day 6 has no row of ours, but one of day 5 may reach into it; before day 1 nothing is blocked.
    #expect(plan(survey([1: 10, 3: 10, 5: 10, 8: 10]), limit: 7) == [batch(-2...6, 30)])
    #expect(plan(survey([8: 10]), limit: 7).isEmpty)
    #expect(plan(survey([:]), limit: 7).isEmpty)
  }

  @Test func blockedDaysDivideRuns() {
    let ours = survey([1: 10, 2: 10, 4: 10, 5: 10, 9: 10])
    #expect(
      plan(ours, blocked: [3, 4, 7, 20], limit: 11) == [batch(-2...2, 20), batch(5...6, 10), batch(8...10, 10)])
    #expect(plan(survey([4: 10]), blocked: [4], limit: 11).isEmpty)
  }

  @Test func largeRunsAreDoneInBatchesThatLookBack() {
    let ours = survey([1: 60, 2: 60, 5: 200, 6: 10])
    // Each ends where the next one's first day begins, and looks again at what stayed at the end of the one before.
    #expect(
      plan(ours, blocked: [-5], limit: 9) == [batch(-2...4, 120), batch(2...5, 200), batch(3...8, 10)])
    #expect(plan(ours, blocked: [0], limit: 9).first == batch(1...4, 120))
  }

  @Test func sleepGoesBySessions() {
    var nights = survey([1: 1, 2: 2, 3: 1], type: LoadingFixture.sleep)
    func time(_ number: Int, _ hour: Int64) -> Instant { Instant(seconds: midnight(number).seconds + hour * 3600) }
    nights.sessions = [
      RowInterval(start: time(1, 22), end: time(2, 6)), RowInterval(start: time(2, 13), end: time(2, 14)),
      RowInterval(start: time(2, 22), end: time(3, 6)), RowInterval(start: time(3, 22), end: time(4, 6)),
    ]
    // The night that ends on the limit stays; what ends at midnight would count for the day that begins then.
    #expect(
      plan(nights, limit: 4) == [
        PrunePlan.Batch(days: day(-2)...day(3), from: time(1, 22), to: time(3, 22), end: midnight(4), rows: 4)
      ])
    nights.sessions[2].end = midnight(3)
    #expect(plan(nights, limit: 3).map(\.to) == [time(2, 22)])
    // Nothing lies wholly between day 1, which stays, and day 3.
    #expect(plan(nights, blocked: [1, 3], limit: 5).map(\.from) == [time(2, 13)])
    nights.sessions.remove(at: 1)
    #expect(plan(nights, blocked: [1, 3], limit: 4).isEmpty)
  }
}

struct PruneSurveyTests {
  private func summary(_ sum: Double, count: Int = 2, type: String = "t", unit: String = "u") -> DailySummary {
    DailySummary(
      metricType: type, day: CivilDay(daysSince1970: 0), average: sum / 2, minimum: nil, maximum: 1, sum: sum,
      sampleCount: count, unit: unit)
  }

  @Test func summariesAgreeUpToSixDigits() {
    let one = summary(100)
    #expect(PruneSurvey.agree([], []))
    #expect(PruneSurvey.agree([one], [summary(100.0009)]))
    #expect(!PruneSurvey.agree([one], [summary(100.01)]))
    #expect(!PruneSurvey.agree([one], [summary(100, count: 3)]))
    #expect(!PruneSurvey.agree([one], [summary(100, unit: "v")]))
    #expect(!PruneSurvey.agree([one], []))
    #expect(!PruneSurvey.agree([], [one]))
    // One of several units' rows is enough; one of another name is not.
    #expect(PruneSurvey.agree([one], [summary(7, unit: "v"), one]))
    #expect(!PruneSurvey.agree([one], [one, summary(100, type: "stage")]))
    #expect(!PruneSurvey.agree([one, summary(1, type: "stage")], [one]))
  }
}
