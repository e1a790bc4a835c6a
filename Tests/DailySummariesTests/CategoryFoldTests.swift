import DailySummaries
import HealthModel
import Testing

@Suite struct CategoryFoldTests {
  /// 10:00–10:20 and 10:10–10:25 of two apps, 12:00–12:05: 30 minutes, not 40.
  @Test func overlappingMindfulMinutesCountOnce() {
    var fold = FoldCase(FoldCase.mindful)
    fold.add("Calm", "2024-03-01 10:00", "10:20", 0)
    fold.add("Headspace", "2024-03-01 10:10", "10:25")
    fold.add("Calm", "2024-03-01 12:00", "12:05", 0)
    #expect(
      fold.summaries() == [
        DailySummary(
          metricType: FoldCase.mindful, day: CivilDay(year: 2024, month: 3, day: 1), average: 40.0 / 3, minimum: 5,
          maximum: 20, sum: 30, sampleCount: 3, unit: "min")
      ])
  }

  @Test func wholeOnTheDayTheyStart() {
    var fold = FoldCase(FoldCase.mindful, zone: "Asia/Kathmandu")
    fold.add("Calm", "2024-03-01 18:10", "18:30", 0)  // 23:55–00:15
    fold.add("Calm", "2024-03-01 18:20", "18:40", 0)  // 00:05–00:25
    #expect(fold.sums() == ["2024-03-01": 20, "2024-03-02": 20])
  }

  @Test func unlistedCategoriesAreCategories() {
    var fold = FoldCase("HKCategoryTypeIdentifierOfTomorrow")
    fold.add("App", "2024-03-01 10:00", "10:20")
    #expect(fold.sums() == ["2024-03-01": 20])
  }
}

@Suite struct StandHourFoldTests {
  static let stood = 0.0
  static let idle = 1.0

  @Test func distinctHoursStood() {
    var fold = FoldCase(SummaryKind.standHourType)
    fold.add("Watch", "2024-03-01 10:00", "11:00", Self.stood)
    fold.add("Old Watch", "2024-03-01 10:00", "11:00", Self.stood)
    fold.add("Watch", "2024-03-01 11:00", "12:00", Self.idle)
    fold.add("Watch", "2024-03-01 12:00", "13:00", Self.stood)
    fold.add("Watch", "2024-03-02 12:00", "13:00", Self.idle)
    let rows = fold.summaries()
    #expect(rows.map(\.sum) == [2, 0])
    #expect(rows.map(\.sampleCount) == [4, 1])
    #expect(rows.allSatisfy { $0.unit == "count" && $0.average == nil && $0.minimum == nil && $0.maximum == nil })
  }

  /// Kathmandu's hours begin at a quarter past of UTC: 10:20 and 11:10 lie in one, 11:15 in the next.
  @Test func hoursOfTheWallClock() {
    var fold = FoldCase(SummaryKind.standHourType, zone: "Asia/Kathmandu")
    fold.add("Watch", "2024-03-01 10:20", "10:30", Self.stood)
    fold.add("Watch", "2024-03-01 11:10", "11:14", Self.stood)
    fold.add("Watch", "2024-03-01 11:15", "11:20", Self.stood)
    #expect(fold.sums() == ["2024-03-01": 2])
  }

  /// Berlin's 02:00 of 2024-10-27 comes twice, an hour apart.
  @Test func theRepeatedHourIsTwoHours() {
    var fold = FoldCase(SummaryKind.standHourType, zone: "Europe/Berlin")
    fold.add("Watch", "2024-10-27 00:00", "01:00", Self.stood)
    fold.add("Watch", "2024-10-27 01:00", "02:00", Self.stood)
    #expect(fold.sums() == ["2024-10-27": 2])
  }

  @Test func hoursWithoutAStateAreLeftOut() {
    var fold = FoldCase(SummaryKind.standHourType)
    fold.add("Watch", "2024-03-01 10:00", "11:00", nil)
    #expect(fold.sums().isEmpty)
    #expect(fold.leftOut.withoutValue == 1)
  }
}
