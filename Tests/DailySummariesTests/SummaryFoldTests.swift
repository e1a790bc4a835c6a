import DailySummaries
import HealthModel
import Testing

@Suite struct SummaryFoldTests {
  @Test(arguments: [
    ("HKQuantityTypeIdentifierStepCount", SummaryKind.cumulative),
    ("HKQuantityTypeIdentifierBodyMass", .discrete),
    ("HKQuantityTypeIdentifierHeartRate", .discrete),
    ("HKQuantityTypeIdentifierHeadphoneAudioExposure", .level),
    ("HKCategoryTypeIdentifierMindfulSession", .category),
    ("HKCategoryTypeIdentifierSleepAnalysis", .sleep),
    ("HKCategoryTypeIdentifierAppleStandHour", .standHours),
    ("HKWorkoutTypeIdentifier", .workout),
    ("HKQuantityTypeIdentifierOfTomorrow", .discrete),
    ("HKCategoryTypeIdentifierOfTomorrow", .category),
    ("SomethingElse", .discrete),
    ("HKCorrelationTypeIdentifierFood", .none),
    ("HKCorrelationTypeIdentifierOfTomorrow", .none),
    ("HKWorkoutRouteTypeIdentifier", .none),
    ("HKActivitySummaryTypeIdentifier", .none),
    ("HKDataTypeIdentifierElectrocardiogram", .none),
    ("HKDataTypeIdentifierAudiogram", .none),
    ("HKVisionPrescriptionTypeIdentifier", .none),
    ("HKClinicalTypeIdentifierConditionRecord", .none),
    ("HKDataTypeSleepDurationGoal", .none),
  ])
  func kinds(metricType: String, kind: SummaryKind) {
    #expect(SummaryKind(metricType: metricType) == kind)
  }

  @Test func kindsWithoutSummaryGiveNoRows() {
    var fold = FoldCase("HKActivitySummaryTypeIdentifier")
    fold.add("", "2024-03-01 00:00", "2024-03-02 00:00", 400)
    #expect(fold.summaries().isEmpty)
    #expect(fold.leftOut.total == 0)
  }

  @Test func noSamplesNoDays() {
    for type in [FoldCase.steps, FoldCase.heartRate, FoldCase.mindful, SummaryKind.sleepType, SummaryKind.workoutType] {
      var fold = FoldCase(type)
      #expect(fold.summaries().isEmpty)
    }
  }

  @Test func daysBefore1970() {
    for type in [FoldCase.steps, FoldCase.heartRate, FoldCase.mindful] {
      var fold = FoldCase(type)
      fold.add("App", "1969-12-31 23:00", "23:30", 3)
      fold.add("App", "1970-01-01 00:00", "00:10", 3)
      #expect(fold.summaries().map(\.day.description) == ["1969-12-31", "1970-01-01"])
    }
  }

  /// What a database may hold: neither traps nor endless loops.
  @Test(.timeLimit(.minutes(20))) func instantsAtTheEndsOfTime() {
    for type in [
      FoldCase.steps, FoldCase.heartRate, FoldCase.mindful, SummaryKind.sleepType, SummaryKind.standHourType,
      SummaryKind.workoutType, "HKQuantityTypeIdentifierHeadphoneAudioExposure",
    ] {
      var fold = FoldCase(type, zone: "Europe/Berlin")
      fold.add("App", Instant(microseconds: .min), Instant(microseconds: .max), 0)
      fold.add("App", Instant(microseconds: .min), Instant(microseconds: .min), 0)
      fold.add("App", Instant(microseconds: .max), Instant(microseconds: .max), 0)
      #expect(!fold.summaries().isEmpty)
    }
  }

  /// Rows of one second may come in any order, also those moved by microseconds; another second back traps.
  @Test func orderWithinASecondIsFree() async {
    let table = SymbolTable()
    let ranking = SourceRanking(sources: [:], symbols: table)
    var fold = SummaryFold(metricType: FoldCase.steps, zone: .utc, ranking: ranking, symbols: table)
    for microseconds in [5, 3, 0, 7] as [Int64] {
      var record = SampleRecord(
        start: Instant(microseconds: 1_000_000 + microseconds), end: Instant(microseconds: 3_000_000))
      record.source = table.intern("Watch")
      record.value = 2
      record.flags = .hasValue
      fold.add(record)
    }
    #expect(fold.finish().map(\.sum) == [8])
    await #expect(processExitsWith: .failure) {
      let table = SymbolTable()
      let ranking = SourceRanking(sources: [:], symbols: table)
      var fold = SummaryFold(metricType: FoldCase.steps, zone: .utc, ranking: ranking, symbols: table)
      for second in [5, 4] as [Int64] {
        var record = SampleRecord(start: Instant(seconds: second), end: Instant(seconds: second))
        record.flags = .hasValue
        fold.add(record)
      }
    }
  }
}
