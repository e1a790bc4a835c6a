import DailySummaries
import HealthModel
import Testing

@Suite struct TruthCheckTests {
  static let energy = TruthCheck.metricTypes[0]
  static let exercise = TruthCheck.metricTypes[1]

  static func day(_ number: Int) -> CivilDay { CivilDay(year: 2024, month: 3, day: number) }

  static func witness(_ number: Int, _ energy: Double?, _ metadata: String = "{}") -> TruthCheck.Witness {
    TruthCheck.Witness(day: day(number), activeEnergy: energy, metadata: Array(metadata.utf8).span)
  }

  static func summary(_ type: String, _ number: Int, _ sum: Double) -> DailySummary {
    DailySummary(
      metricType: type, day: day(number), average: nil, minimum: nil, maximum: nil, sum: sum, sampleCount: 1, unit: "")
  }

  @Test func shareAndWorstDays() {
    var check = TruthCheck()
    check.add(Self.witness(1, 400))
    check.add(Self.witness(2, 400))
    check.add(Self.witness(3, 400))
    check.add(Self.witness(4, 0))  // Nothing on either side: before the Watch.
    check.add(Self.witness(5, 300))  // We have no row.
    check.add(Self.witness(6, nil))
    check.add([
      Self.summary(Self.energy, 1, 404), Self.summary(Self.energy, 2, 404.1), Self.summary(Self.energy, 3, 200),
      Self.summary(Self.energy, 6, 17), Self.summary(Self.energy, 7, 17), Self.summary(FoldCase.steps, 1, 5),
    ])
    let result = check.comparisons()[0]
    #expect(result.metricType == Self.energy && result.unit == "kcal")
    #expect(result.daysCompared == 4)
    #expect(result.daysWithinOnePercent == 1)
    #expect(result.share == 0.25)
    #expect(
      result.worst == [
        TruthCheck.Day(day: "2024-03-05", ours: 0, activitySummary: 300),
        TruthCheck.Day(day: "2024-03-03", ours: 200, activitySummary: 400),
        TruthCheck.Day(day: "2024-03-02", ours: 404.1, activitySummary: 400),
        TruthCheck.Day(day: "2024-03-01", ours: 404, activitySummary: 400),
      ])
  }

  /// Attributes as numbers or strings; the later ActivitySummary of a date counts.
  @Test func exerciseAndStandHours() {
    var check = TruthCheck()
    check.add(Self.witness(1, 400, #"{"appleExerciseTime":"12","appleStandHours":"3"}"#))
    check.add(
      Self.witness(1, 400, #"{"activeEnergyBurned": "400", "appleExerciseTime": 30, "appleStandHours": "12"}"#))
    check.add([Self.summary(Self.exercise, 1, 30), Self.summary(SummaryKind.standHourType, 1, 11)])
    let results = check.comparisons()
    #expect(results.map(\.daysCompared) == [1, 1, 1])
    #expect(results.map(\.daysWithinOnePercent) == [0, 1, 0])
    #expect(results.map(\.unit) == ["kcal", "min", "count"])
    #expect(results[2].worst == [TruthCheck.Day(day: "2024-03-01", ours: 11, activitySummary: 12)])
  }

  @Test func theTenWorst() {
    var check = TruthCheck()
    for number in 1...20 {
      check.add(Self.witness(number, 100))
      check.add([Self.summary(Self.energy, number, 100 + Double(number))])
    }
    let result = check.comparisons()[0]
    #expect(result.daysWithinOnePercent == 1)
    #expect(result.worst.map(\.ours) == (11...20).reversed().map { 100 + Double($0) })
  }

  @Test func nothingToCompare() {
    let results = TruthCheck().comparisons()
    #expect(results.count == 3)
    #expect(results.allSatisfy { $0.share == nil && $0.daysCompared == 0 && $0.worst.isEmpty })
  }

  /// No attribute, broken JSON and texts are simply not there.
  @Test(arguments: ["", "{", "[1]", #"{"appleStandHours"}"#, #"{"appleStandHours":"x"}"#, #"{"appleStandHours":}"#])
  func unusableMetadata(text: String) {
    #expect(Self.witness(1, 1, text).standHours == nil)
  }

  @Test func nestedMembersAreNotMistaken() {
    let text = #"{"a": {"appleStandHours": 9}, "b": [1, {"c": "}\"]"}], "d": "x\"y", "appleStandHours": 4}"#
    #expect(Self.witness(1, 1, text).standHours == 4)
  }
}
