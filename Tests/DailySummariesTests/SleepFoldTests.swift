import DailySummaries
import HealthModel
import Testing

@Suite struct SleepFoldTests {
  static let inBed = 0.0
  static let asleep = 1.0
  static let awake = 2.0
  static let core = 3.0
  static let deep = 4.0
  static let rem = 5.0

  static func rows(_ fold: inout FoldCase) -> [String: Double] {
    var result: [String: Double] = [:]
    for row in fold.summaries() {
      let name = row.metricType.replacing("HKCategoryValueSleepAnalysis", with: "")
        .replacing("HKCategoryTypeIdentifierSleepAnalysis", with: "all")
      result["\(row.day) \(name)"] = row.sum
    }
    return result
  }

  /// Watch stages, another app's whole night, the phone's time in bed: 20 + 60 + 80 + 240 minutes asleep.
  static func addNight(_ fold: inout FoldCase) {
    fold.add("iPhone", "2024-03-01 21:50", "2024-03-02 05:40", inBed)
    fold.add("AutoSleep", "2024-03-01 22:00", "2024-03-02 05:30", asleep)
    fold.add("Watch", "2024-03-01 22:10", "22:30", core)
    fold.add("Watch", "2024-03-01 22:30", "23:30", deep)
    fold.add("Watch", "2024-03-01 23:30", "23:40", awake)
    fold.add("Watch", "2024-03-01 23:40", "2024-03-02 01:00", rem)
    fold.add("Watch", "2024-03-02 01:00", "05:00", core)
  }

  @Test func aNightOfTwoAppsWithTimeInBed() {
    var fold = FoldCase(SummaryKind.sleepType)
    Self.addNight(&fold)
    #expect(
      Self.rows(&fold) == [
        "2024-03-02 all": 400, "2024-03-02 AsleepCore": 260, "2024-03-02 AsleepDeep": 60,
        "2024-03-02 AsleepREM": 80, "2024-03-02 Awake": 10, "2024-03-02 InBed": 470,
      ])
    let all = fold.summaries().first { $0.metricType == SummaryKind.sleepType }
    #expect(all?.sampleCount == 4)
    #expect(all?.average == 100)
    #expect(all?.minimum == 20)
    #expect(all?.maximum == 240)
    #expect(all?.unit == "min")
  }

  /// A nap is a session of its own, from the source that has it, on the same day.
  @Test func napsAddToTheirDay() {
    var fold = FoldCase(SummaryKind.sleepType)
    Self.addNight(&fold)
    fold.add("AutoSleep", "2024-03-02 14:00", "14:40", Self.asleep)
    let rows = Self.rows(&fold)
    #expect(rows["2024-03-02 all"] == 440)
    #expect(rows["2024-03-02 AsleepUnspecified"] == 40)
    #expect(rows["2024-03-02 AsleepCore"] == 260)
  }

  @Test func aNightInBedAloneHasOnlyThatRow() {
    var fold = FoldCase(SummaryKind.sleepType)
    fold.add("iPhone", "2024-03-01 22:00", "2024-03-02 06:00", Self.inBed)
    fold.add("Clock", "2024-03-01 21:00", "2024-03-02 07:00", Self.inBed)
    // The iPhone ranks above the Clock.
    #expect(Self.rows(&fold) == ["2024-03-02 InBed": 480])
  }

  /// Old pairs of InBed and Asleep with equal times.
  @Test func inBedIsNeverAddedToAsleep() {
    var fold = FoldCase(SummaryKind.sleepType)
    fold.add("Watch", "2021-03-01 23:00", "2021-03-02 06:00", Self.inBed)
    fold.add("Watch", "2021-03-01 23:00", "2021-03-02 06:00", Self.asleep)
    #expect(
      Self.rows(&fold) == ["2021-03-02 all": 420, "2021-03-02 AsleepUnspecified": 420, "2021-03-02 InBed": 420])
  }

  /// An hour apart is one session, on the day it ends; a minute more makes two, the first on the day before.
  @Test func gapsOfUpToAnHour() {
    var one = FoldCase(SummaryKind.sleepType)
    one.add("Watch", "2024-03-01 22:00", "23:30", Self.core)
    one.add("Watch", "2024-03-02 00:30", "06:30", Self.core)
    #expect(Self.rows(&one) == ["2024-03-02 all": 450, "2024-03-02 AsleepCore": 450])
    var two = FoldCase(SummaryKind.sleepType)
    two.add("Watch", "2024-03-01 22:00", "23:30", Self.core)
    two.add("Watch", "2024-03-02 00:31", "06:31", Self.core)
    #expect(
      Self.rows(&two) == [
        "2024-03-01 all": 90, "2024-03-01 AsleepCore": 90, "2024-03-02 all": 360, "2024-03-02 AsleepCore": 360,
      ])
  }

  /// Time in bed of another source holds a session together, Awake rows too.
  @Test func othersBridgeGaps() {
    var fold = FoldCase(SummaryKind.sleepType)
    fold.add("Watch", "2024-03-01 22:00", "23:00", Self.core)
    fold.add("Watch", "2024-03-01 23:00", "2024-03-02 00:30", Self.awake)
    fold.add("Watch", "2024-03-02 00:30", "06:30", Self.core)
    #expect(
      Self.rows(&fold) == ["2024-03-02 all": 420, "2024-03-02 AsleepCore": 420, "2024-03-02 Awake": 90])
  }

  /// The night of 2024-03-31 in Berlin: clocks say 23:00 to 07:00, seven hours passed. And 25-hour October.
  @Test func sessionsAcrossDaylightSaving() {
    var spring = FoldCase(SummaryKind.sleepType, zone: "Europe/Berlin")
    spring.add("Watch", "2024-03-30 22:00", "2024-03-31 05:00", Self.core)
    #expect(Self.rows(&spring)["2024-03-31 all"] == 420)
    var autumn = FoldCase(SummaryKind.sleepType, zone: "Europe/Berlin")
    autumn.add("Watch", "2024-10-26 21:00", "2024-10-27 06:00", Self.core)
    #expect(Self.rows(&autumn)["2024-10-27 all"] == 540)
  }

  /// Stages beat rank; among sources with stages rank decides.
  @Test func theSourceWithStagesThenByRank() {
    var fold = FoldCase(SummaryKind.sleepType)
    fold.add("Apple Watch", "2024-03-01 22:00", "2024-03-02 06:00", Self.asleep)
    fold.add("Health", "2024-03-01 21:00", "2024-03-02 07:00", Self.asleep, userEntered: true)
    fold.add("Ring", "2024-03-01 22:00", "2024-03-02 05:00", Self.core)
    #expect(Self.rows(&fold) == ["2024-03-02 all": 420, "2024-03-02 AsleepCore": 420])
    fold.add("iPhone", "2024-03-01 22:00", "2024-03-02 04:00", Self.deep)
    #expect(Self.rows(&fold) == ["2024-03-02 all": 360, "2024-03-02 AsleepDeep": 360])
  }

  @Test func overlappingSamplesOfTheChosenSourceCountOnce() {
    var fold = FoldCase(SummaryKind.sleepType)
    fold.add("Ring", "2024-03-01 22:00", "2024-03-02 02:00", Self.core)
    fold.add("Ring", "2024-03-02 01:00", "03:00", Self.core)
    fold.add("Ring", "2024-03-02 02:30", "04:00", Self.rem)
    #expect(
      Self.rows(&fold) == ["2024-03-02 all": 360, "2024-03-02 AsleepCore": 300, "2024-03-02 AsleepREM": 90])
  }

  @Test func unknownStatesAreLeftOutAndCounted() {
    var fold = FoldCase(SummaryKind.sleepType)
    fold.add("Ring", "2024-03-01 22:00", "2024-03-02 02:00", 17)
    fold.add("Ring", "2024-03-01 22:00", "2024-03-02 02:00", nil)
    #expect(Self.rows(&fold).isEmpty)
    #expect(fold.leftOut.withoutValue == 2)
  }

  @Test func namesOfStates() {
    #expect(SleepState(exportName: "HKCategoryValueSleepAnalysisAsleep") == .asleepUnspecified)
    for state in SleepState.allCases {
      #expect(SleepState(exportName: state.exportName) == state)
      #expect(Catalogue.categoryValue(exportName: state.exportName)?.rawValue == state.rawValue)
    }
    #expect(SleepState(exportName: "HKCategoryValueSleepAnalysisDozing") == nil)
  }
}
