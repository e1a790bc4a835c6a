import HealthModel
import RowMapping
import TestSupport
import Testing

/// Elements through mapper and resolver: what an export as a whole may and may not change in its rows.
@Suite struct WholeExportTests {
  /// A small export whose dates are printed with an offset, saved at another time, by a phone with other names.
  private func export(offset: Int, creation: Int64 = 0, watch: String = "Watch", address: String = "0x1a2b") -> [String]
  {
    func date(_ seconds: Int64) -> String { printed(Instant(seconds: 1_714_550_400 + seconds), offset: offset) }
    func times(_ from: Int64, _ to: Int64) -> String {
      #"sourceName="\#(watch)" device="&lt;&lt;HKDevice: \#(address)>, name:Apple Watch, hardware:Watch7,2>" "#
        + #"creationDate="\#(date(creation))" startDate="\#(date(from))" endDate="\#(date(to))""#
    }
    func record(_ type: String, _ rest: String, _ from: Int64, _ to: Int64, _ children: String = "") -> String {
      #"<Record type="\#(type)" \#(rest) \#(times(from, to))>\#(children)</Record>"#
    }
    let food = #"<MetadataEntry key="HKFoodType" value="Apple"/>"#
    let protein = record("HKQuantityTypeIdentifierDietaryProtein", #"unit="g" value="5""#, 60, 60)
    let workout =
      #"<Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" durationUnit="min" \#(times(0, 1800))>"#
      + #"<WorkoutEvent type="HKWorkoutEventTypePause" date="\#(date(600))"/>"#
      + #"<WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" startDate="\#(date(0))" endDate="\#(date(1800))" sum="310" unit="Cal"/>"#
      + #"<WorkoutActivity uuid="u" startDate="\#(date(0))" endDate="\#(date(1800))"/>"#
      + #"<WorkoutRoute sourceName="\#(watch)" startDate="\#(date(5))" endDate="\#(date(1700))"><FileReference path="/workout-routes/r.gpx"/></WorkoutRoute>"#
      + record("HKQuantityTypeIdentifierWorkoutEffortScore", #"unit="appleEffortScore" value="7""#, 0, 1800)
      + "</Workout>"
    let beats =
      #"<HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="60" time="0:40:02,50"/></HeartRateVariabilityMetadataList>"#
    return [
      record("HKQuantityTypeIdentifierHeartRate", #"unit="count/min" value="62""#, 0, 0),
      record("HKQuantityTypeIdentifierHeartRate", #"unit="count/min" value="63""#, 0, 0),
      record("HKQuantityTypeIdentifierHeartRateVariabilitySDNN", #"unit="ms" value="41""#, 0, 60, beats),
      record("HKCategoryTypeIdentifierSleepAnalysis", #"value="HKCategoryValueSleepAnalysisAsleepREM""#, -9000, -8000),
      record("HKDataTypeSleepDurationGoal", #"unit="hr" value="8""#, -9000, -9000), protein,
      #"<Correlation type="HKCorrelationTypeIdentifierFood" \#(times(60, 60))>\#(food)\#(record("HKQuantityTypeIdentifierDietaryProtein", #"unit="g" value="5""#, 60, 60, food))</Correlation>"#,
      workout, record("HKQuantityTypeIdentifierWorkoutEffortScore", #"unit="appleEffortScore" value="7""#, 0, 1800),
      #"<ActivitySummary dateComponents="2024-05-01" activeEnergyBurned="300" activeEnergyBurnedUnit="kcal"/>"#,
      #"<Audiogram type="HKDataTypeIdentifierAudiogram" \#(times(0, 9))><SensitivityPoint frequencyValue="1000" frequencyUnit="Hz" leftEarValue="1" leftEarUnit="dBHL"/></Audiogram>"#,
      #"<VisionPrescription type="G" dateIssued="\#(date(0))" expirationDate="\#(date(99))"/>"#,
      #"<ClinicalRecord type="Condition" identifier="i" sourceName="\#(watch)" receivedDate="\#(date(0))" resourceFilePath="/c/i.json"/>"#,
      #"<NewThing type="HKNewThing" \#(times(0, 1)) made="\#(date(3))"/>"#,
    ]
  }

  private struct Row: Hashable {
    var id, type, value, unit, source, startedAt, endedAt, json: String
  }

  /// All rows in the order of their ids, without the source's name where `keepsSource` is false.
  private func rows(of elements: [String]) -> [Row] {
    let mapped = Mapped(elements)
    var rows: [Row] = []
    var repeats = 0
    for run in mapped.buffer.runs {
      var resolver = IdentityResolver(
        metricType: mapped.symbols.bytes(of: run.type), symbols: mapped.symbols.snapshot(),
        user: UserKey(userID: "u"), zone: .utc)
      var batch = ResolvedBatch()
      for records in Dictionary(grouping: run.records, by: \.start.seconds).values {
        var group = SampleGroup()
        group.records = records
        group.payload = mapped.buffer.payload
        resolver.resolve(&group, into: &batch)
      }
      repeats += batch.repeats + batch.superseded
      rows += batch.rows.map { row in
        Row(
          id: row.id.description, type: mapped.symbols.text(of: run.type), value: "\(row.record.numericValue as Any)",
          unit: mapped.symbols.text(of: row.unit), source: mapped.symbols.text(of: row.record.source),
          startedAt: iso(row.startedAt), endedAt: row.record.flags.contains(.hasEnd) ? iso(row.endedAt) : "",
          json: String(decoding: batch.payload[row.record.payloadRange], as: UTF8.self))
      }
    }
    #expect(rows.count + repeats == mapped.facts.samplesRead - mapped.facts.samplesRejected)
    return rows.sorted { $0.id < $1.id }
  }

  @Test(arguments: [-34_200, -28_800, -16_200, 0, 3600, 20_700, 45_900])
  func printedOffsetsDoNotMatter(offset: Int) {
    let expected = rows(of: export(offset: 7200))
    #expect(expected.count == 15)
    #expect(rows(of: export(offset: offset)) == expected)
  }

  @Test func addressesDoNotMatter() {
    #expect(rows(of: export(offset: 0, address: "0xffffffff12345678")) == rows(of: export(offset: 0)))
  }

  @Test func aRestoredPhoneGivesTheSameRows() {
    // An unknown thing has every attribute in its metadata, the creation date included; its id stays all the same.
    let (before, after) = (rows(of: export(offset: 0)), rows(of: export(offset: 0, creation: 90_000_000)))
    #expect(before.map(\.id) == after.map(\.id))
    #expect(Set(after).subtracting(before).allSatisfy { $0.json.contains("creationDate") })
  }

  @Test func aRenamedSourceKeepsItsIDs() {
    #expect(rows(of: export(offset: 0, watch: "Tom’s Watch")).map(\.id) == rows(of: export(offset: 0)).map(\.id))
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func shuffledElementsGiveTheSameRows(seed: UInt64) {
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    let elements = export(offset: 0) + export(offset: 3600, watch: "Phone") + export(offset: 0)
    let expected = rows(of: elements)
    for _ in 0..<10 { #expect(rows(of: elements.shuffled(using: &random)) == expected) }
  }

  @Test func aCopyAtTopLevelIsOneRowWithBothMetadata() {
    let protein = rows(of: export(offset: 0)).filter { $0.type == "HKQuantityTypeIdentifierDietaryProtein" }
    #expect(protein.map(\.json) == [#"{"HKFoodType":"Apple"}"#])
    let scores = rows(of: export(offset: 0)).filter { $0.type == "HKQuantityTypeIdentifierWorkoutEffortScore" }
    #expect(scores.count == 1)
  }
}
