import HealthModel
import TestSupport
import Testing

@testable import Queries

@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct ReadSessionRingsTests {
  private func summary(_ fixture: QueriesFixture, _ start: String, _ metadata: String) throws {
    try fixture.row(
      "HKActivitySummaryTypeIdentifier", start, minutes: 1440, value: 1, source: "", unit: "kcal", metadata: metadata)
  }

  @Test func ringsAreSharesOfTheGoals() throws {
    let fixture = try QueriesFixture()
    // 22:00Z is midnight in Berlin.
    try summary(
      fixture, "2024-06-01T22:00:00Z",
      #"""
      {"activeEnergyBurned": 450, "activeEnergyBurnedGoal": 600, "appleExerciseTime": 45, "appleExerciseTimeGoal": 30,
       "appleStandHours": 12, "appleStandHoursGoal": 12}
      """#)
    // By minutes of movement; no goal for the others, and one that is no number.
    try summary(
      fixture, "2024-06-02T22:00:00Z",
      #"""
      {"activeEnergyBurned": 5, "activeEnergyBurnedGoal": 0, "appleMoveTime": 30, "appleMoveTimeGoal": 60,
       "appleExerciseTime": 5, "appleStandHours": "3", "appleStandHoursGoal": 12}
      """#)
    try summary(fixture, "2024-06-03T22:00:00Z", #"{"appleStandHours": 3, "appleStandHoursGoal": 12}"#)
    let days = QueriesFixture.day(6, 2)...QueriesFixture.day(6, 3)
    #expect(
      try fixture.read { try $0.rings(days) } == [
        ActivityRings(day: QueriesFixture.day(6, 2), move: 0.75, exercise: 1.5, stand: 1),
        ActivityRings(day: QueriesFixture.day(6, 3), move: 0.5, exercise: nil, stand: nil),
      ])
  }
}
