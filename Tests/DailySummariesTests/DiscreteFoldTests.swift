import DailySummaries
import HealthModel
import Testing

@Suite struct DiscreteFoldTests {
  @Test func plainSumAndMean() {
    var fold = FoldCase(FoldCase.heartRate)
    fold.add("Watch", "2024-03-01 10:00", nil, 60)
    fold.add("Strap", "2024-03-01 10:00", nil, 90)
    fold.add("Watch", "2024-03-01 10:05", nil, 66)
    fold.add("Watch", "2024-03-02 10:05", nil, 50)
    #expect(
      fold.summaries() == [
        DailySummary(
          metricType: FoldCase.heartRate, day: CivilDay(year: 2024, month: 3, day: 1), average: 72, minimum: 60,
          maximum: 90, sum: 216, sampleCount: 3, unit: "count/min"),
        DailySummary(
          metricType: FoldCase.heartRate, day: CivilDay(year: 2024, month: 3, day: 2), average: 50, minimum: 50,
          maximum: 50, sum: 50, sampleCount: 1, unit: "count/min"),
      ])
  }

  @Test func aSampleIsWholeOnTheDayItStarts() {
    var fold = FoldCase(FoldCase.heartRate)
    fold.add("Watch", "2024-03-01 23:50", "2024-03-02 00:10", 60)
    #expect(fold.sums() == ["2024-03-01": 60])
  }

  @Test func hourlyRowsOfAllSourcesStandForTheirHour() {
    var fold = FoldCase(FoldCase.heartRate)
    fold.add("HealthKit (all sources)", "2024-03-01 10:00", "11:00", 70)
    fold.add("Watch", "2024-03-01 10:00", nil, 50)
    fold.add("Watch", "2024-03-01 10:59:59", nil, 50)
    fold.add("Watch", "2024-03-01 11:00", nil, 80)
    let row = fold.summaries()[0]
    #expect(row.average == 75)
    #expect(row.sampleCount == 2)
  }

  /// No canonical unit: what most samples of the day have; the rest is counted as left out.
  @Test func unknownTypes() {
    var fold = FoldCase("HKQuantityTypeIdentifierOfTomorrow")
    fold.add("App", "2024-03-01 10:00", nil, 1, unit: "foo")
    fold.add("App", "2024-03-01 10:01", nil, 100, unit: "bar")
    fold.add("App", "2024-03-01 10:02", nil, 3, unit: "foo")
    fold.add("App", "2024-03-02 10:00", nil, 5, unit: "foo")
    fold.add("App", "2024-03-02 10:01", nil, 7, unit: "bar")
    let rows = fold.summaries()
    #expect(rows.map(\.sum) == [4, 7])
    #expect(rows.map(\.unit) == ["foo", "bar"])
    #expect(rows.map(\.average) == [2, 7])
    #expect(fold.leftOut.otherUnit == 2)
  }
}
