import HealthModel
import RowMapping
import Testing

private func workout(_ attributes: String = "", children: String = "", activity: String = "Running") -> String {
  #"<Workout workoutActivityType="HKWorkoutActivityType\#(activity)" sourceName="Watch" "#
    + #"startDate="2024-05-01 12:00:00 +0200" endDate="2024-05-01 13:00:00 +0200" \#(attributes)>\#(children)</Workout>"#
}

private func statistic(_ type: String, _ values: String) -> String {
  #"<WorkoutStatistics type="HKQuantityTypeIdentifier\#(type)" startDate="2024-05-01 12:00:00 +0200" "#
    + #"endDate="2024-05-01 13:00:00 +0200" \#(values)/>"#
}

@Suite struct WorkoutMappingTests {
  private let prefix = #"{"duration_seconds":3600"#

  @Test func everythingAWorkoutCanHold() throws {
    let entry =
      #"<MetadataEntry key="HKIndoorWorkout" value="0"/><MetadataEntry key="HKTimeZone" value="Europe/Paris"/>"#
    let children =
      entry
      + #"<WorkoutEvent type="HKWorkoutEventTypeLap" date="2024-05-01 12:10:00 +0200" duration="1.5" durationUnit="min"><MetadataEntry key="HKSWOLFScore" value="40"/><MetadataEntry key="type" value="x"/></WorkoutEvent>"#
      + #"<WorkoutEvent type="HKWorkoutEventTypePause" date="2024-05-01 12:20:00 +0200"/>"#
      + statistic("HeartRate", #"average="2.5" minimum="1" maximum="3" unit="count/s""#)
      + statistic("DistanceWalkingRunning", #"sum="5.5" unit="km""#)
      + #"<WorkoutActivity uuid="A-1" startDate="2024-05-01 12:00:00 +0200" endDate="2024-05-01 12:30:00 +0200" duration="30" durationUnit="min"><WorkoutEvent type="HKWorkoutEventTypeMarker" date="2024-05-01 12:05:00 +0200"/>"#
      + statistic("ActiveEnergyBurned", #"sum="418.4" unit="kJ""#)
      + #"<MetadataEntry key="WOIntervalStepKeyPath" value="0.1"/></WorkoutActivity>"#
      + #"<WorkoutActivity uuid="A-2" startDate="2024-05-01 12:30:00 +0200" endDate="2024-05-01 13:00:00 +0200"/>"#
      + #"<WorkoutRoute sourceName="Watch" startDate="2024-05-01 12:01:00 +0200" endDate="2024-05-01 12:59:00 +0200"><FileReference path="/workout-routes/route_2024-05-01_12.59pm.gpx"/></WorkoutRoute>"#
      + #"<WorkoutZoneGroup type="HKQuantityTypeIdentifierHeartRate" source="user" unit="count/s"><WorkoutZone maximum="2" duration="10" durationUnit="min"/><WorkoutZone minimum="2" duration="30" durationUnit="s"/></WorkoutZoneGroup>"#
      + entry
    let mapped = Mapped(workout(#"duration="55.5" durationUnit="min""#, children: children))
    let row = try #require(mapped.rows("HKWorkoutTypeIdentifier").first)
    #expect(row.value == 3330 && row.unit == "seconds" && row.exportedUnit == "min")
    #expect(row.subtype == "HKWorkoutActivityTypeRunning" && row.naming != 0)
    #expect(row.start == "2024-05-01T10:00:00Z" && row.end == "2024-05-01T11:00:00Z")
    let expected =
      #"{"HKIndoorWorkout":0,"HKTimeZone":"Europe/Paris","#
      + #""activities":[{"duration_seconds":1800,"ended_at":"2024-05-01T10:30:00Z","#
      + #""events":[{"at":"2024-05-01T10:05:00Z","type":"HKWorkoutEventTypeMarker"}],"#
      + #""metadata":{"WOIntervalStepKeyPath":"0.1"},"started_at":"2024-05-01T10:00:00Z","#
      + #""statistics":{"HKQuantityTypeIdentifierActiveEnergyBurned":{"ended_at":"2024-05-01T11:00:00Z","#
      + #""started_at":"2024-05-01T10:00:00Z","sum":100,"unit":"kcal"}},"uuid":"A-1"},"#
      + #"{"duration_seconds":1800,"ended_at":"2024-05-01T11:00:00Z","started_at":"2024-05-01T10:30:00Z","uuid":"A-2"}],"#
      + #""duration_seconds":3330,"#
      + #""events":[{"at":"2024-05-01T10:10:00Z","duration_seconds":90,"metadata":{"HKSWOLFScore":40,"type":"x"},"#
      + #""type":"HKWorkoutEventTypeLap"},{"at":"2024-05-01T10:20:00Z","type":"HKWorkoutEventTypePause"}],"#
      + #""routes":[{"ended_at":"2024-05-01T10:59:00Z","file":"/workout-routes/route_2024-05-01_12.59pm.gpx","#
      + #""started_at":"2024-05-01T10:01:00Z"}],"#
      + #""statistics":{"HKQuantityTypeIdentifierDistanceWalkingRunning":{"ended_at":"2024-05-01T11:00:00Z","#
      + #""started_at":"2024-05-01T10:00:00Z","sum":5500,"unit":"m"},"#
      + #""HKQuantityTypeIdentifierHeartRate":{"average":150,"ended_at":"2024-05-01T11:00:00Z","maximum":180,"#
      + #""minimum":60,"started_at":"2024-05-01T10:00:00Z","unit":"count/min"}},"#
      + #""total_distance_meters":5500,"workout_type":"HKWorkoutActivityTypeRunning","#
      + #""zones":[{"source":"user","type":"HKQuantityTypeIdentifierHeartRate","unit":"count/min","#
      + #""zones":[{"duration_seconds":600,"maximum":120},{"duration_seconds":30,"minimum":120}]}]}"#
    #expect(row.json == expected)
    #expect(mapped.facts.samplesRead == 2 && mapped.facts.problems.entries.isEmpty)
    #expect(mapped.facts.newestZone?.name == "Europe/Paris")
  }

  @Test func totalsComeFromAttributesFirst() {
    let row = Mapped(
      workout(
        #"totalDistance="3.1" totalDistanceUnit="mi" totalEnergyBurned="418.4" totalEnergyBurnedUnit="kJ" totalSwimmingStrokeCount="400" totalFlightsClimbed="0""#,
        children: statistic("DistanceWalkingRunning", #"sum="9" unit="km""#)
          + statistic("ActiveEnergyBurned", #"sum="9" unit="kcal""#))
    ).row
    #expect(
      row.json.contains(
        #""total_distance_meters":4988.9664,"total_energy_burned_cal":100,"total_flights_climbed":0,"total_swimming_stroke_count":400,"#
      ))
  }

  @Test func totalsComeFromTheWorkoutsOwnStatisticsElse() {
    let activity =
      #"<WorkoutActivity uuid="A" startDate="2024-05-01 12:00:00 +0200">"#
      + statistic("ActiveEnergyBurned", #"sum="999" unit="kcal""#)
      + statistic("DistanceCycling", #"sum="99" unit="km""#)
      + "</WorkoutActivity>"
    let row = Mapped(
      workout(
        children: activity + statistic("ActiveEnergyBurned", #"sum="310.5" unit="Cal""#)
          + statistic("SwimmingStrokeCount", #"sum="42" unit="count""#)
          + statistic("FlightsClimbed", #"sum="3" unit="count""#))
    ).row
    #expect(
      row.json.contains(#""total_energy_burned_cal":310.5,"total_flights_climbed":3,"total_swimming_stroke_count":42,"#)
    )
    #expect(!row.json.contains("total_distance"))
  }

  @Test(
    arguments: [
      // The type that fits, else the only one, else the sum.
      ("Cycling", ["WalkingRunning": "1", "Cycling": "20"], 20_000),
      ("Running", ["WalkingRunning": "1", "Cycling": "20"], 1000),
      ("Swimming", ["Cycling": "20"], 20_000),
      ("SwimBikeRun", ["Swimming": "1", "Cycling": "20", "WalkingRunning": "5"], 26_000),
      ("WheelchairRunPace", ["Wheelchair": "3", "WalkingRunning": "5"], 3000), ("Other", ["WalkingRunning": "5"], 5000),
    ] as [(String, [String: String], Int)])
  func distanceFitsTheActivity(activity: String, distances: [String: String], metres: Int) {
    let children = distances.map { statistic("Distance" + $0.key, #"sum="\#($0.value)" unit="km""#) }.joined()
    let row = Mapped(workout(children: children, activity: activity)).row
    #expect(row.json.contains(#""total_distance_meters":\#(metres),"#))
  }

  @Test func durationIsEndMinusStartWhereAbsent() {
    #expect(Mapped(workout()).row.value == 3600)
    #expect(Mapped(workout(#"duration="""#)).row.value == 3600)
    #expect(Mapped(workout(#"duration="20""#)).row.value == 1200)
    #expect(Mapped(workout(#"duration="2" durationUnit="hr""#)).row.value == 7200)
    let odd = Mapped(workout(#"duration="2" durationUnit="fortnight""#))
    #expect(odd.row.value == 3600 && odd.problem(.unknownUnit) == [1, 0])
    #expect(Mapped(workout(#"duration="72.54702780048052" durationUnit="min""#)).row.value == 72.54702780048052 * 60)
  }

  @Test func secondStartOfAStatisticIsItsEnd() {
    let doubled =
      #"<WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" startDate="2024-05-01 12:00:00 +0200" "#
      + #"startDate="2024-05-01 12:30:00 +0200" average="100" unit="count/min"/>"#
    let row = Mapped(workout(children: doubled)).row
    #expect(
      row.json.contains(
        #"{"average":100,"ended_at":"2024-05-01T10:30:00Z","started_at":"2024-05-01T10:00:00Z","unit":"count/min"}"#))
  }

  @Test func unitsThatDoNotConvertStay() {
    let row = Mapped(
      workout(children: statistic("HeartRate", #"average="7" unit="furlong""#) + statistic("New", #"sum="x" unit="y""#))
    )
    #expect(row.row.json.contains(#""average":7,"#) && row.row.json.contains(#""unit":"furlong""#))
    #expect(row.row.json.contains(#""sum":"x","unit":"y""#) && row.problem(.cleanedJSON) == [1, 0])
  }

  @Test func recordsInAWorkoutAreRowsAndMayBeCopies() throws {
    let record =
      #"<Record type="HKQuantityTypeIdentifierWorkoutEffortScore" sourceName="Watch" unit="appleEffortScore" value="7" startDate="2024-05-01 12:00:00 +0200" endDate="2024-05-01 13:00:00 +0200"><MetadataEntry key="k" value="v"/></Record>"#
    let mapped = Mapped(workout(children: record))
    let row = try #require(mapped.rows("HKQuantityTypeIdentifierWorkoutEffortScore").first)
    #expect(row.value == 7 && row.flags.contains(.isCopy) && row.json == #"{"k":"v"}"#)
    #expect(
      mapped.rows("HKWorkoutTypeIdentifier")[0].json == prefix + #","workout_type":"HKWorkoutActivityTypeRunning"}"#)
    #expect(mapped.facts.samplesRead == 2)
  }

  @Test func naming() {
    let running = Mapped(workout()).row.naming
    #expect(Mapped(workout(activity: "Walking")).row.naming != running)
    #expect(Mapped(workout(#"duration="3" durationUnit="min""#)).row.naming == running)
    let named = workout(children: #"<MetadataEntry key="HKExternalUUID" value="u"/>"#)
    #expect(Mapped(named).row.naming != running)
  }

  @Test func whatIsInARejectedWorkoutIsKept() {
    let xml = workout(
      #"duration="nan""#,
      children: #"<WorkoutRoute sourceName="W"><FileReference path="/workout-routes/a.gpx"/></WorkoutRoute>"#
        + #"<Record type="HKQuantityTypeIdentifierStepCount" unit="count" value="7" startDate="2024-05-01 12:00:00 +0200" endDate="2024-05-01 13:00:00 +0200"/>"#
    )
    let mapped = Mapped(xml)
    #expect(mapped.rows.map(\.type).sorted() == ["HKQuantityTypeIdentifierStepCount", "HKWorkoutRouteTypeIdentifier"])
    #expect(mapped.facts.samplesRead == 3 && mapped.rejections.map(\.kind) == [.rejectedNotANumber])
  }

  @Test func unknownPartsAreCountedAndKept() {
    let route = #"<WorkoutRoute sourceName="W" hue="red"/>"#
    let mapped = Mapped(
      workout(
        #"mood="good""#,
        children: #"<WorkoutEvent type="T" hill="1"/><WorkoutEffort value="3"><Record/></WorkoutEffort>"#
          + #"<WorkoutZoneGroup type="T"><WorkoutZone hue="red"/></WorkoutZoneGroup>"# + route))
    #expect(
      mapped.facts.unknownNames == [
        "Workout/@mood": 1, "WorkoutEffort": 1, "WorkoutEvent/@hill": 1, "WorkoutZone/@hue": 1, "WorkoutRoute/@hue": 1,
      ])
    let row = mapped.rows("HKWorkoutTypeIdentifier")[0]
    #expect(
      row.json.contains(
        #""unknown":[{"attributes":{"mood":"good"},"element":"Workout"},{"attributes":{"hill":"1"},"element":"WorkoutEvent"},"#
          + #"{"attributes":{"hue":"red"},"element":"WorkoutZone"},{"attributes":{"value":"3"},"element":"WorkoutEffort"}]"#
      ), "\(row.json)")
    #expect(
      mapped.rows("HKWorkoutRouteTypeIdentifier")[0].json
        == #"{"unknown":[{"attributes":{"hue":"red"},"element":"WorkoutRoute"}]}"#)
  }
}
