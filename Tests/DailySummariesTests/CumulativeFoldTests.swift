import DailySummaries
import HealthModel
import Testing

@Suite struct CumulativeFoldTests {
  /// Watch 10:00–10:10 with 100; iPhone 10:05–10:25 with 200 counts for its last 15 of 20 minutes: 150.
  @Test func higherSourceCoversAndLowerFillsTheGap() {
    var fold = FoldCase(FoldCase.steps)
    fold.add("Anna’s Apple Watch", "2024-03-01 10:00", "10:10", 100)
    fold.add("Anna’s iPhone", "2024-03-01 10:05", "10:25", 200)
    let rows = fold.summaries()
    #expect(
      rows == [
        DailySummary(
          metricType: FoldCase.steps, day: CivilDay(year: 2024, month: 3, day: 1), average: 150, minimum: 100,
          maximum: 200, sum: 250, sampleCount: 2, unit: "count")
      ])
  }

  /// ```
  /// Watch      ├─ 60 ─┤                 ├─ 40 ─┤        10:00–10:06, 10:20–10:24
  /// iPhone         ├──── 120 ────┤                      10:04–10:16: 10 of 12 minutes free: 100
  /// Pedometer                 ├──── 150 ───┤            10:14–10:29: 10:16–10:20 and 10:24–10:29: 9 of 15: 90
  /// ```
  @Test func threeSourcesOverlapInPart() {
    var fold = FoldCase(FoldCase.steps)
    fold.add("Pedometer", "2024-03-01 10:14", "10:29", 150)
    fold.add("iPhone", "2024-03-01 10:04", "10:16", 120)
    fold.add("Apple Watch", "2024-03-01 10:00", "10:06", 60)
    fold.add("Apple Watch", "2024-03-01 10:20", "10:24", 40)
    #expect(near(fold.sums()["2024-03-01"], 60 + 40 + 100 + 90))
  }

  @Test func aSourceIsNeverMergedAgainstItself() {
    var fold = FoldCase(FoldCase.steps)
    fold.add("Watch", "2024-03-01 10:00", "10:10", 100)
    fold.add("Watch", "2024-03-01 10:05", "10:10", 30)
    fold.add("Watch", "2024-03-01 10:05", "10:10", 30)
    fold.add("iPhone", "2024-03-01 10:00", "10:10", 500)
    #expect(fold.sums() == ["2024-03-01": 160])
  }

  /// What the user typed in beats the Watch for its time; the same source's own samples go on counting.
  @Test func userEnteredSamplesComeFirst() {
    var fold = FoldCase(FoldCase.steps)
    fold.add("Health", "2024-03-01 10:00", "10:30", 1000, userEntered: true)
    fold.add("Watch", "2024-03-01 10:00", "11:00", 600)
    #expect(fold.sums() == ["2024-03-01": 1300])

    var own = FoldCase(FoldCase.steps)
    own.add("App", "2024-03-01 10:00", "10:30", 1000, userEntered: true)
    own.add("App", "2024-03-01 10:15", "10:45", 60)
    own.add("Watch", "2024-03-01 10:00", "11:00", 600)
    // App counts 10:00–10:30 with both of its samples, the Watch from then on: 1000 + 30 + 300.
    #expect(own.sums() == ["2024-03-01": 1330])
  }

  /// A resting Watch says 0; the phone on the kitchen table must not add steps.
  @Test func zeroValuesCover() {
    var fold = FoldCase(FoldCase.steps)
    fold.add("Watch", "2024-03-01 10:00", "10:30", 0)
    fold.add("iPhone", "2024-03-01 10:00", "10:30", 300)
    #expect(fold.sums() == ["2024-03-01": 0])
  }

  @Test func samplesOfNoLengthAllCount() {
    var fold = FoldCase("HKQuantityTypeIdentifierDietaryWater")
    fold.add("WaterApp", "2024-03-01 10:00", nil, 0.25)
    fold.add("Other", "2024-03-01 10:00", nil, 0.5)
    fold.add("Watch", "2024-03-01 09:00", "11:00", 1)
    let row = fold.summaries()[0]
    #expect(row.sum == 1.75)
    #expect(row.unit == "L")
    #expect(row.sampleCount == 3)
  }

  /// 23:50–00:20 with 300: 100 on the day it starts, 200 on the next, which has no sample of its own.
  @Test func samplesAreDividedAtMidnight() {
    var fold = FoldCase(FoldCase.steps)
    fold.add("Watch", "2024-03-01 23:50", "2024-03-02 00:20", 300)
    let rows = fold.summaries()
    #expect(rows.map(\.day.description) == ["2024-03-01", "2024-03-02"])
    #expect(near(rows[0].sum, 100) && near(rows[1].sum, 200))
    #expect(rows.map(\.sampleCount) == [1, 0])
    #expect(rows.map(\.average) == [300, nil])
    #expect(rows.map(\.minimum) == [300, nil])
    #expect(rows.map(\.maximum) == [300, nil])
    #expect(rows[1].unit == "count")
  }

  @Test func aSampleThatEndsAtMidnightStaysOnItsDay() {
    var fold = FoldCase(FoldCase.steps)
    fold.add("Watch", "2024-03-01 23:50", "2024-03-02 00:00", 300)
    fold.add("Watch", "2024-03-02 00:00", "2024-03-02 00:00", 7)
    #expect(fold.sums() == ["2024-03-01": 300, "2024-03-02": 7])
  }

  /// Divided and covered: of the iPhone's 23:30–00:30 (600) the Watch covers 23:30–23:45 and 00:15–00:30.
  @Test func dividedSamplesAreMergedOnBothDays() {
    var fold = FoldCase(FoldCase.steps)
    fold.add("iPhone", "2024-03-01 23:30", "2024-03-02 00:30", 600)
    fold.add("Watch", "2024-03-01 23:30", "23:45", 10)
    fold.add("Watch", "2024-03-02 00:15", "00:30", 20)
    let sums = fold.sums()
    #expect(near(sums["2024-03-01"], 160))
    #expect(near(sums["2024-03-02"], 170))
  }

  /// Berlin 2024-03-31 has 23 hours, 2024-10-27 has 25: a sample over the whole of three days.
  @Test func daysOf23And25Hours() {
    var spring = FoldCase(FoldCase.steps, zone: "Europe/Berlin")
    spring.add("Watch", "2024-03-29 23:00", "2024-04-01 22:00", 71)
    let springSums = spring.sums()
    #expect(near(springSums["2024-03-30"], 24))
    #expect(near(springSums["2024-03-31"], 23))
    #expect(near(springSums["2024-04-01"], 24))
    #expect(springSums.count == 3)
    var autumn = FoldCase(FoldCase.steps, zone: "Europe/Berlin")
    autumn.add("Watch", "2024-10-25 22:00", "2024-10-28 23:00", 73)
    let autumnSums = autumn.sums()
    #expect(near(autumnSums["2024-10-27"], 25))
    #expect(near(autumnSums["2024-10-28"], 24))
    #expect(autumnSums.count == 3)
  }

  /// Kathmandu is 5:45 ahead: its midnight is 18:15 UTC.
  @Test func quarterHourZones() {
    var fold = FoldCase(FoldCase.steps, zone: "Asia/Kathmandu")
    fold.add("Watch", "2024-03-01 18:00", "18:30", 100)
    #expect(fold.sums() == ["2024-03-01": 50, "2024-03-02": 50])
  }

  /// São Paulo had no 2018-11-04 00:00: the day begins at 01:00, 03:00 UTC. Beirut alike on 2022-03-27.
  @Test func daysWithoutMidnight() {
    var saoPaulo = FoldCase(FoldCase.steps, zone: "America/Sao_Paulo")
    saoPaulo.add("Watch", "2018-11-04 02:30", "04:00", 90)
    #expect(near(saoPaulo.sums()["2018-11-03"], 30))
    #expect(near(saoPaulo.sums()["2018-11-04"], 60))
    var beirut = FoldCase(FoldCase.steps, zone: "Asia/Beirut")
    beirut.add("Watch", "2022-03-26 21:45", "22:15", 30)
    #expect(beirut.sums() == ["2022-03-26": 15, "2022-03-27": 15])
  }

  /// Samoa went from 2011-12-29 straight to 2011-12-31 at 10:00 UTC of the 30th.
  @Test func aSkippedDayGetsNothing() {
    var fold = FoldCase(FoldCase.steps, zone: "Pacific/Apia")
    fold.add("Watch", "2011-12-30 09:00", "11:00", 100)
    #expect(fold.sums() == ["2011-12-29": 50, "2011-12-31": 50])
  }

  /// North Korea's 2015-08-14 had 24.5 hours, 2018-05-04 had 23.5.
  @Test func zonesThatChangedTheirOffset() {
    var fold = FoldCase(FoldCase.steps, zone: "Asia/Pyongyang")
    fold.add("Watch", "2015-08-13 15:00", "2015-08-14 15:30", 49)
    fold.add("Watch", "2018-05-03 15:30", "2018-05-04 15:00", 47)
    #expect(fold.sums() == ["2015-08-14": 49, "2018-05-04": 47])
  }

  /// Three weeks of one sample: an equal share each day, cut by what a better source has.
  @Test func aSampleOfWeeks() {
    var fold = FoldCase(FoldCase.steps)
    fold.add("App", "2024-03-01 00:00", "2024-03-22 00:00", 2100)
    fold.add("Watch", "2024-03-10 00:00", "2024-03-10 12:00", 7)
    let sums = fold.sums()
    #expect(sums.count == 21)
    #expect(near(sums["2024-03-09"], 100))
    #expect(near(sums["2024-03-10"], 57))
    #expect(near(sums["2024-03-21"], 100))
  }

  /// An end in the year 4001 says that the end is not known. It must neither hide other sources nor fill centuries.
  @Test func anEndThatCannotBeIsNone() {
    var fold = FoldCase(FoldCase.steps)
    fold.add("Watch", "2024-03-01 10:00", "4001-01-01 00:00", 5)
    fold.add("iPhone", "2024-03-02 10:00", "10:10", 70)
    #expect(fold.sums() == ["2024-03-01": 5, "2024-03-02": 70])
  }

  /// An hourly row of a phone app stands for all samples of its hour, those of no length as well.
  @Test func hourlyRowsOfAllSources() {
    var fold = FoldCase(FoldCase.steps)
    fold.add("HealthKit (all sources)", "2024-03-01 10:00", "11:00", 900)
    fold.add("Watch", "2024-03-01 10:15", "10:30", 400)
    fold.add("Watch", "2024-03-01 10:50", "11:10", 200)
    fold.add("Pedometer", "2024-03-01 10:20", nil, 50)
    fold.add("Pedometer", "2024-03-01 11:00", nil, 3)
    #expect(fold.sums() == ["2024-03-01": 900 + 100 + 3])
  }

  @Test func priorityListsChangeTheOrder() {
    func sums(_ priority: [String: [String]]) -> [String: Double] {
      var fold = FoldCase(FoldCase.steps, priority: priority)
      fold.add("Watch", "2024-03-01 10:00", "10:10", 100)
      fold.add("iPhone", "2024-03-01 10:00", "10:10", 70)
      fold.add("Pedometer", "2024-03-01 10:00", "10:10", 50)
      return fold.sums()
    }
    #expect(sums(["": ["Pedometer"]]) == ["2024-03-01": 50])
    #expect(sums(["": ["Pedometer"], FoldCase.steps: ["iPhone"]]) == ["2024-03-01": 70])
    #expect(sums([FoldCase.heartRate: ["iPhone"]]) == ["2024-03-01": 100])
  }

  @Test func samplesThatCannotBeSummedAreCounted() {
    var fold = FoldCase(FoldCase.steps)
    fold.add("Watch", "2024-03-01 10:00", "10:10", 100)
    fold.add("Watch", "2024-03-01 10:10", "10:20", 4, flags: .isUnconvertible)
    fold.add("Watch", "2024-03-02 10:10", "10:20", nil)
    #expect(fold.sums() == ["2024-03-01": 100])
    #expect(fold.leftOut.unconvertible == 1)
    #expect(fold.leftOut.withoutValue == 1)
    #expect(fold.leftOut.total == 2)
  }

  @Test func tenthsAddUpExactly() {
    var fold = FoldCase("HKQuantityTypeIdentifierActiveEnergyBurned")
    for minute in 10..<20 { fold.add("Watch", "2024-03-01 10:\(minute)", "10:\(minute + 1)", 0.1) }
    #expect(fold.sums() == ["2024-03-01": 1])
  }
}
