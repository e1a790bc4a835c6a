import DailySummaries
import HealthModel
import Testing

@Suite struct WorkoutFoldTests {
  static let running = "HKWorkoutActivityTypeRunning"
  static let walking = "HKWorkoutActivityTypeWalking"

  /// The Watch's run of 50 minutes within an hour; Strava's copy of it, from 10:30 on, has 30 of 60 minutes free.
  @Test func pausesAreExcludedAndCopiesMerged() {
    var fold = FoldCase(SummaryKind.workoutType)
    fold.add("Watch", "2024-03-01 10:00", "11:00", 3000, subtype: Self.running)
    fold.add("Strava", "2024-03-01 10:30", "11:30", 3600, subtype: Self.running)
    for name in [SummaryKind.workoutType, Self.running] {
      let rows = fold.summaries().filter { $0.metricType == name }
      #expect(
        rows == [
          DailySummary(
            metricType: name, day: CivilDay(year: 2024, month: 3, day: 1), average: 55, minimum: 50, maximum: 60,
            sum: 80, sampleCount: 2, unit: "min")
        ])
    }
  }

  /// Overlapping workouts of two activities share time in the row of all, not in their own rows.
  @Test func activitiesAreMergedAmongThemselves() {
    var fold = FoldCase(SummaryKind.workoutType)
    fold.add("Watch", "2024-03-01 10:00", "11:00", 3600, subtype: Self.running)
    fold.add("iPhone", "2024-03-01 10:30", "11:30", 3600, subtype: Self.walking)
    #expect(fold.sums() == ["2024-03-01": 90])
    #expect(fold.sums(Self.running) == ["2024-03-01": 60])
    #expect(fold.sums(Self.walking) == ["2024-03-01": 60])
    #expect(fold.summaries().map(\.metricType) == [Self.running, Self.walking, SummaryKind.workoutType])
  }

  /// Whole on the day they start; one of the next day that overlaps gives way to the better source.
  @Test func workoutsOverMidnight() {
    var fold = FoldCase(SummaryKind.workoutType)
    fold.add("Watch", "2024-03-01 23:30", "2024-03-02 00:30", 3600)
    fold.add("iPhone", "2024-03-02 00:00", "01:00", 3600)
    #expect(fold.sums() == ["2024-03-01": 60, "2024-03-02": 30])
  }

  @Test func aWorkoutWithoutLengthCountsWhole() {
    var fold = FoldCase(SummaryKind.workoutType)
    fold.add("Watch", "2024-03-01 10:00", nil, 600, subtype: Self.running)
    fold.add("Watch", "2024-03-01 09:30", "10:30", 3600, subtype: Self.running)
    #expect(fold.sums(Self.running) == ["2024-03-01": 70])
  }
}
