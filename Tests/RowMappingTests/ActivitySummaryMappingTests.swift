import HealthModel
import RowMapping
import Testing

@Suite struct ActivitySummaryMappingTests {
  @Test func activitySummaryHasAllAttributesAndItsUTCDay() {
    let mapped = Mapped(
      #"<ActivitySummary dateComponents="2024-05-01" activeEnergyBurned="418.4" activeEnergyBurnedGoal="500" activeEnergyBurnedUnit="kJ" appleMoveTime="0" appleExerciseTime="31" appleExerciseTimeGoal="30" appleStandHours="12" appleStandHoursGoal="12"/>"#
    )
    let row = mapped.row
    #expect(row.type == "HKActivitySummaryTypeIdentifier" && row.value == 100 && row.unit == "kcal")
    #expect(row.start == "2024-05-01T00:00:00Z" && row.end == "2024-05-02T00:00:00Z" && row.source == "")
    #expect(
      row.json == #"{"activeEnergyBurned":418.4,"activeEnergyBurnedGoal":500,"activeEnergyBurnedUnit":"kJ","#
        + #""appleExerciseTime":31,"appleExerciseTimeGoal":30,"appleMoveTime":0,"appleStandHours":12,"#
        + #""appleStandHoursGoal":12,"dateComponents":"2024-05-01"}"#)
    #expect(mapped.facts.problems.entries.isEmpty && mapped.facts.sources.isEmpty)
  }

  @Test(
    arguments: [
      (#"<ActivitySummary activeEnergyBurned="1"/>"#, .rejectedNoStart),
      (#"<ActivitySummary dateComponents="2024-02-30"/>"#, .rejectedUnreadableStart),
      (#"<ActivitySummary dateComponents="2024-02-28" activeEnergyBurned="x"/>"#, .rejectedNotANumber),
    ] as [(String, ProblemKind)])
  func rejectsActivitySummaries(xml: String, kind: ProblemKind) {
    #expect(Mapped(xml).rejections.map(\.kind) == [kind])
  }

  @Test func activitySummaryWithoutEnergyIsNull() {
    #expect(Mapped(#"<ActivitySummary dateComponents="2024-02-29" appleMoveTime="60"/>"#).row.value == nil)
  }
}
