import Foundation
import HealthModel
import Staging
import TestSupport
import Testing

@testable import HK2PGCommand
@testable import ImportFlow

/// Every kind of sample with the files that belong to it: exact rows (DESIGN §2.3).
@Suite(.timeLimit(.minutes(20))) struct TortureKindsTests {
  /// A folder as the phone's zip unpacks to.
  private func stage(
    _ body: String, _ files: [String: String], _ change: (inout ImportSettings) -> Void = { _ in }
  ) throws -> StagedExport {
    let folder = try TemporaryFolder()
    _ = try folder.write("export/export.xml", Array(TortureText.export(body).utf8))
    for (name, text) in files { _ = try folder.write("export/\(name)", Array(text.utf8)) }
    return try StagedExport("\(folder.path)/export", in: folder, change)
  }

  private func json(_ row: String) throws -> [String: Any] {
    let text = row.split(separator: "|", maxSplits: 6).last ?? ""
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private let routeType = "HKWorkoutRouteTypeIdentifier"

  // MARK: Routes

  /// Names collide: two routes name one file, which covers the second and the end of the first.
  @Test func routesShareAFileAndHaveTheirOwnPoints() throws {
    let noTime = #"<trkpt lon="8" lat="50"><ele>1</ele></trkpt>"#
    let staged = try stage(
      TortureText.route("/workout-routes/a.gpx", from: "10:00:00", to: "10:01:00")
        + TortureText.route("workout-routes/a.gpx", from: "10:01:00", to: "10:02:00")
        + TortureText.route("/workout-routes/gone.gpx", from: "11:00:00", to: "11:01:00")
        + TortureText.route("/workout-routes/torn.gpx", from: "12:00:00", to: "12:01:00"),
      [
        "workout-routes/a.gpx": TortureText.gpx(seconds: [59, 60, 61, 121], extra: noTime),
        "workout-routes/torn.gpx": String(TortureText.gpx(seconds: [1]).dropLast(20)),
      ])
    let digest = try #require(try staged.pointDigests.first)
    // 0.001° of longitude at 50° north are 71.47 m on the mean sphere.
    let expected: [String] = [
      """
      HKWorkoutRouteTypeIdentifier|2|count|Watch|2024-05-01T08:00:00Z|2024-05-01T08:01:00Z|\
      {"bounds":[8.059,50,8.06,50],"distance_meters":71.47,"file":"/workout-routes/a.gpx","file_digest":"\(digest)"}
      """,
      """
      HKWorkoutRouteTypeIdentifier|2|count|Watch|2024-05-01T08:01:00Z|2024-05-01T08:02:00Z|\
      {"bounds":[8.06,50,8.061,50],"distance_meters":71.47,"file":"workout-routes/a.gpx","file_digest":"\(digest)"}
      """,
      #"HKWorkoutRouteTypeIdentifier||count|Watch|2024-05-01T09:00:00Z|2024-05-01T09:01:00Z|{"file":"/workout-routes/gone.gpx"}"#,
      #"HKWorkoutRouteTypeIdentifier||count|Watch|2024-05-01T10:00:00Z|2024-05-01T10:01:00Z|{"file":"/workout-routes/torn.gpx"}"#,
    ]
    #expect(staged.rows(of: routeType) == expected)
    #expect(
      try staged.routePoints == [
        "A|0|2024-05-01T08:00:59Z|8.059|50|101.5|2.5|", "A|1|2024-05-01T08:01:00Z|8.06|50|101.5|2.5|",
        "A|2|2024-05-01T08:01:01Z|8.061|50|101.5|2.5|", "A|3|2024-05-01T08:02:01Z|8.121|50|101.5|2.5|",
      ])
    #expect(staged.problems == [.missingSideFile: 1, .unreadableSideFile: 1, .pointWithoutTime: 1])
    #expect(staged.report.sideFiles?.routes == .init(found: 2, used: 1))
    #expect(staged.exitCode == .done)
    #expect(staged.text.contains("1  file that is named but not in the export"))
  }

  /// A GPX file has the date of the export in it; the points of the next export are the same nevertheless.
  @Test func theNextExportHasTheSamePoints() throws {
    let body = TortureText.route("/workout-routes/a.gpx", from: "10:00:00", to: "10:01:00")
    let old = try stage(body, ["workout-routes/a.gpx": TortureText.gpx(seconds: [1, 2])])
    let new = try stage(
      body, ["workout-routes/a.gpx": TortureText.gpx(seconds: [1, 2], exported: "2025-01-01T00:00:00Z")])
    #expect(try old.pointDigests == new.pointDigests && old.pointDigests.count == 1)
    #expect(old.rows == new.rows)
  }

  /// Files are named by the phone's clock: in another zone, with the other offset, the same routes have other names.
  @Test func anExportMadeInAnotherZoneHasTheSameRoutes() throws {
    let times = [("10:00:00", "10:01:00"), ("11:00:00", "11:01:00")]
    func export(_ names: [String], _ change: (String) -> String) throws -> StagedExport {
      let body = zip(names, times).map { TortureText.route("/workout-routes/\($0)", from: $1.0, to: $1.1) }.joined()
      let points = [TortureText.gpx(seconds: [1, 2]), TortureText.gpx(seconds: [3]).replacing("T08:", with: "T09:")]
      let files = zip(names, points).map { ("workout-routes/\($0)", $1) }
      return try stage(change(body), Dictionary(uniqueKeysWithValues: files))
    }
    let berlin = try export(["route_2024-05-01_10.01am.gpx", "route_2024-05-01_11.01am.gpx"]) { $0 }
    let london = try export(["route_2024-05-01_9.01am.gpx", "route_2024-05-01_10.01am.gpx"]) {
      $0.replacing("01 10:", with: "01 09:").replacing("01 11:", with: "01 10:").replacing("+0200", with: "+0100")
    }
    #expect(try berlin.ids.count == 4 && berlin.ids == london.ids)
    #expect(try berlin.routePoints.count == 3 && berlin.routePoints == london.routePoints)
    func withoutNames(_ staged: StagedExport) -> [String] {
      staged.rows.map { $0.replacing(/route_[0-9_.-]+am/, with: "route") }
    }
    #expect(withoutNames(berlin) == withoutNames(london) && berlin.rows != london.rows)
  }

  /// One interval and one number of points, but other points: no route is lost. Equal points are one route.
  @Test func routesOfOneIntervalAreToldApartByTheirPoints() throws {
    let bodies = ["a", "b", "c"].map {
      TortureText.route("/workout-routes/\($0).gpx", from: "10:00:00", to: "10:01:00")
    }
    let files = [
      "workout-routes/a.gpx": TortureText.gpx(seconds: [1, 2]),
      "workout-routes/b.gpx": TortureText.gpx(seconds: [3, 4]),
      "workout-routes/c.gpx": TortureText.gpx(seconds: [1, 2]),
    ]
    let staged = try stage(bodies.joined(), files)
    #expect(
      staged.rows(of: routeType).map { String($0.prefix { $0 != "{" }) } == [
        "HKWorkoutRouteTypeIdentifier|2|count|Watch|2024-05-01T08:00:00Z|2024-05-01T08:01:00Z|",
        "HKWorkoutRouteTypeIdentifier|2|count|Watch|2024-05-01T08:00:00.000001Z|2024-05-01T08:01:00Z|",
      ])
    // The third route and two of three equal workouts, whose metadata names other files.
    #expect(try staged.report.samples.repeats == 3 && staged.pointDigests.count == 2)
    #expect(try stage(bodies.reversed().joined(), files).rows == staged.rows)
  }

  /// iOS 12 wrote points into the XML. Their file in a later export is the same route.
  @Test func pointsInTheXMLAreStoredLikeThoseOfAFile() throws {
    func location(_ second: Int) -> String {
      #"<Location date="2024-05-01 10:00:0\#(second) +0200" latitude="50" longitude="8.00\#(second)" altitude="101.5" "#
        + #"horizontalAccuracy="3" verticalAccuracy="2" course="-1" speed="2.5"/>"#
    }
    let inline =
      #" <WorkoutRoute sourceName="Watch" startDate="2024-05-01 10:00:00 +0200" endDate="2024-05-01 10:01:00 +0200">"#
      + #"<MetadataEntry key="inline_points" value="mine"/>"# + location(1) + location(2)
      + #"<Location latitude="50" longitude="8"/></WorkoutRoute>"#
    let staged = try stage(
      inline + "\n" + TortureText.route("/workout-routes/a.gpx", from: "10:00:00", to: "10:01:00"),
      ["workout-routes/a.gpx": TortureText.gpx(seconds: [1, 2])])
    let digests = try staged.pointDigests
    #expect(digests.count == 1)
    let routes = staged.rows(of: routeType)
    #expect(routes.count == 1 && staged.report.samples.repeats == 1)
    #expect(
      try NSDictionary(dictionary: json(routes[0])) == [
        "bounds": [8.001, 50, 8.002, 50], "distance_meters": 71.47, "entry:inline_points": "mine",
        "file": "/workout-routes/a.gpx", "file_digest": digests.first ?? "?",
      ])
    #expect(
      try staged.routePoints.map { String($0.prefix(24)) } == ["A|0|2024-05-01T08:00:01Z", "A|1|2024-05-01T08:00:02Z"])
    #expect(staged.problems == [.pointWithoutTime: 1])
  }

  // MARK: Electrocardiograms

  @Test func electrocardiogramsAreRowsWithTheirVoltages() throws {
    let english =
      "Name,Robin Example\nDate of Birth,\"Jun 12, 1984\"\nRecorded Date,2024-05-04 07:00:00 +0200\n"
      + "Classification,Sinus Rhythm\nSymptoms,Dizziness\nSoftware Version,1.90\nDevice,\"Watch6,7\"\nSample Rate,4 hertz\n"
      + "Average Heart Rate,61 BPM\n"
    let staged = try stage(
      "",
      [
        "electrocardiograms/ecg_2024-05-03.csv": TortureText.germanECG,
        "electrocardiograms/ecg_2024-05-04.csv":
          english.replacing(
            "Sample Rate,4 hertz\nAverage Heart Rate,61 BPM\n", with: "Average Heart Rate,61 BPM\nSample Rate,4 hertz\n"
          )
          + "\n\nLead,Lead I\nUnit,µV\n\n1\n2\n3\n4\n5\n6\n",
        "electrocardiograms/ecg_2024-05-05.csv": english,
        "electrocardiograms/ecg_2024-05-06.csv": "Secret,not a date\n1\n2\n",
      ])
    // 4 samples at 512.5 Hz are 7,805 µs.
    let expected: [String] = [
      """
      HKDataTypeIdentifierElectrocardiogram|||Watch6,7|2024-05-03T05:00:00Z|2024-05-03T05:00:00.007805Z|\
      {"classification":"Sinusrhythmus","device":"Watch6,7","lead":"Ableitung I","sample_rate_hz":512.5,"software_version":"2.10"}
      """,
      """
      HKDataTypeIdentifierElectrocardiogram|61|count/min|Watch6,7|2024-05-04T05:00:00Z|2024-05-04T05:00:01.500000Z|\
      {"classification":"Sinus Rhythm","device":"Watch6,7","lead":"Lead I","sample_rate_hz":4,"software_version":"1.90",\
      "symptoms":"Dizziness"}
      """,
    ]
    #expect(staged.rows == expected)
    #expect(
      try staged.recordings == [
        "2024-05-03T05:00:00Z|512.5|Ableitung I|µV|4", "2024-05-04T05:00:00Z|4|Lead I|µV|6",
      ])
    #expect(staged.problems == [.rejectedUnreadableFile: 2] && staged.exitCode == .doneWithRejects)
    #expect(staged.report.samples.read == 4 && staged.report.samples.rejected == 2)
    #expect(staged.report.sideFiles?.electrocardiograms == .init(found: 4, used: 2))
    #expect(staged.text.contains("ecg_2024-05-05.csv was rejected: it has no voltages"))
    #expect(staged.text.contains("ecg_2024-05-06.csv was rejected: it has no date that can be read"))
    #expect(!staged.text.contains("Robin") && !staged.text.contains("Secret"))
  }

  /// The name of the file says nothing, the voltages do: equal ones are a repeat, others another recording.
  @Test func electrocardiogramsOfOneSecondAreToldApartByTheirVoltages() throws {
    let other = TortureText.germanECG.replacing("12,5\n", with: "12,6\n")
    let staged = try stage(
      "",
      [
        "electrocardiograms/ecg_2024-05-03.csv": TortureText.germanECG,
        "electrocardiograms/ecg_2024-05-03_1.csv": other,
        "electrocardiograms/ecg_2024-05-03_2.csv": TortureText.germanECG,
      ])
    #expect(
      staged.rows.map { String($0.prefix { $0 != "{" }) } == [
        "HKDataTypeIdentifierElectrocardiogram|||Watch6,7|2024-05-03T05:00:00Z|2024-05-03T05:00:00.007805Z|",
        "HKDataTypeIdentifierElectrocardiogram|||Watch6,7|2024-05-03T05:00:00.000001Z|2024-05-03T05:00:00.007805Z|",
      ])
    #expect(staged.report.samples.repeats == 1 && staged.exitCode == .done)
    #expect(
      try staged.recordings == Array(repeating: "2024-05-03T05:00:00Z|512.5|Ableitung I|µV|4", count: 2))
  }

  @Test func aRejectedElectrocardiogramStandsInTheRejectsFile() throws {
    let rejects = try TemporaryFolder()
    let path = "\(rejects.path)/r.jsonl"
    _ = try stage(TortureText.record, ["electrocardiograms/ecg_2024-05-06.csv": "Secret\n"]) { $0.rejectsPath = path }
    #expect(
      try String(contentsOfFile: path, encoding: .utf8)
        == #"{"file":"electrocardiograms\/ecg_2024-05-06.csv","reason":"rejectedUnreadableFile"}"#.replacing(
          "\\/", with: "/")
        + "\n")
  }

  // MARK: Clinical records

  @Test func clinicalRecordsHoldTheirResource() throws {
    let staged = try stage(
      TortureText.clinical("AllergyIntolerance", "a.json") + TortureText.clinical("Condition", "gone.json")
        + TortureText.clinical("Immunization", "text.json") + TortureText.clinical("Patient", "nul.json"),
      [
        "clinical-records/a.json": "{ \"resourceType\" : \"AllergyIntolerance\",\n \"n\" : 1.50 }\n",
        "clinical-records/text.json": "{ not \"json\" }",
        "clinical-records/nul.json": #"{"a":"\u0000"}"#,
      ])
    let expected: [String] = [
      """
      HKClinicalTypeIdentifierAllergyRecord|||Clinic|2024-05-02T07:00:00Z||{"fhir_version":"4.0.1","identifier":"a.json",\
      "resource":{ "resourceType" : "AllergyIntolerance",
       "n" : 1.50 },"source_url":"https://clinic.example/1"}
      """,
      """
      HKClinicalTypeIdentifierConditionRecord|||Clinic|2024-05-02T07:00:00Z||{"fhir_version":"4.0.1",\
      "file":"/clinical-records/gone.json","identifier":"gone.json","source_url":"https://clinic.example/1"}
      """,
      #"""
      HKClinicalTypeIdentifierImmunizationRecord|||Clinic|2024-05-02T07:00:00Z||{"fhir_version":"4.0.1",\#
      "identifier":"text.json","resource":"{ not \"json\" }","source_url":"https://clinic.example/1"}
      """#,
      #"""
      HKClinicalTypeIdentifierPatient|||Clinic|2024-05-02T07:00:00Z||{"fhir_version":"4.0.1","identifier":"nul.json",\#
      "resource":"{\"a\":\"\\u0000\"}","source_url":"https://clinic.example/1"}
      """#,
    ]
    #expect(staged.rows == expected)
    #expect(
      staged.problems == [.missingSideFile: 1, .unreadableSideFile: 1, .cleanedJSON: 1, .unknownType: 1])
    #expect(staged.report.sideFiles?.clinicalRecords == .init(found: 3, used: 3) && staged.exitCode == .done)
  }

  // MARK: Raw window

  /// Rows before the window are withheld, and so are their points and voltages.
  @Test func theRawWindowHoldsForPointsAndVoltages() throws {
    let body = TortureText.route("/workout-routes/a.gpx", from: "10:00:00", to: "10:01:00")
    let files = [
      "workout-routes/a.gpx": TortureText.gpx(seconds: [1, 2]),
      "electrocardiograms/ecg_2024-05-03.csv": TortureText.germanECG,
    ]
    // ExportDate is 2024-06-01: 30 days reach back to 2 May, 31 to 1 May.
    let thirty = try stage(body, files) { $0.rawWindowDays = 30 }
    #expect(try thirty.routePoints.isEmpty && thirty.recordings.count == 1)
    #expect(thirty.rows.count == 1 && thirty.report.samples.withheld == 2)
    let less = try stage(body, files) { $0.rawWindowDays = 20 }
    #expect(try less.rows.isEmpty && less.recordings.isEmpty && less.report.samples.withheld == 3)
    let more = try stage(body, files) { $0.rawWindowDays = 31 }
    #expect(try more.routePoints.count == 2 && more.rows.count == 3)
  }

  // MARK: Kinds without files

  @Test func kindsOfElementsBecomeTheirRows() throws {
    let times = TortureText.times
    let staged = try stage(
      """
       <Me HKCharacteristicTypeIdentifierBloodType="HKBloodTypeAPositive" HKCharacteristicTypeIdentifierDateOfBirth=""/>
       <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Watch" \(times) value="HKCategoryValueSleepAnalysisAsleepDeep"/>
       <Record type="HKCategoryTypeIdentifierMindfulSession" sourceName="App" \(times)/>
       <Record type="HKDataTypeSleepDurationGoal" sourceName="Health" unit="hr" \(times) value="8"/>
       <Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" sourceName="Watch" unit="ms" value="41" \
      startDate="2024-05-01 23:59:59 +0200" endDate="2024-05-02 00:01:00 +0200"><HeartRateVariabilityMetadataList>\
      <InstantaneousBeatsPerMinute bpm="60" time="11:59:59,50\u{202F}PM"/><InstantaneousBeatsPerMinute bpm="61" time="12:00:00,25\u{202F}AM"/>\
      </HeartRateVariabilityMetadataList></Record>
       <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Cuff" \(times)>\
      <Record type="HKQuantityTypeIdentifierBloodPressureSystolic" sourceName="Cuff" unit="mmHg" \(times) value="120"/></Correlation>
       <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="0.5" durationUnit="min" totalDistance="1" totalDistanceUnit="km" \
      totalEnergyBurned="100" totalEnergyBurnedUnit="Cal" sourceName="Watch" \(times)>\
      <WorkoutActivity uuid="U" startDate="2024-05-01 10:00:00 +0200"><WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" \(times) sum="9" unit="Cal"/></WorkoutActivity>\
      <WorkoutZoneGroup type="HKQuantityTypeIdentifierHeartRate" source="user" unit="count/min"><WorkoutZone maximum="120" duration="1" durationUnit="min"/></WorkoutZoneGroup>\
      <Record type="HKQuantityTypeIdentifierWorkoutEffortScore" sourceName="Watch" unit="appleEffortScore" \(times) value="7"/></Workout>
       <ActivitySummary dateComponents="2024-05-01" activeEnergyBurned="100" activeEnergyBurnedUnit="Cal" appleMoveMinutes="3" appleMoveMinutesGoal="4"/>
       <ActivitySummary dateComponents="2024-05-02" activeEnergyBurned="50" activeEnergyBurnedUnit="kcal" appleMoveTime="3" appleMoveTimeGoal="4"/>
       <Audiogram type="HKDataTypeIdentifierAudiogram" sourceName="Ears" \(times)><SensitivityPoint frequencyValue="1000" frequencyUnit="Hz" leftEarValue="10" leftEarUnit="dBHL"/></Audiogram>
       <VisionPrescription type="HKVisionPrescriptionTypeGlasses" dateIssued="2024-05-01 10:00:00 +0200"><RightEye sphere="-1.25" sphereUnit="D"/></VisionPrescription>
       <StateOfMind type="HKDataTypeStateOfMind" sourceName="Phone" mood="calm" \(times) value="0.5"><Word text="hm"/></StateOfMind>

      """, [:])
    let at = "2024-05-01T08:00:00Z|2024-05-01T08:01:00Z|"
    let expected = [
      "C:MindfulSession|0|category|App|\(at)",
      #"C:SleepAnalysis|4|category|Watch|\#(at){"sleep_stage":"HKCategoryValueSleepAnalysisAsleepDeep"}"#,
      "HKActivitySummaryTypeIdentifier|100|kcal||2024-04-30T22:00:00Z|2024-05-01T22:00:00Z|",
      "HKActivitySummaryTypeIdentifier|50|kcal||2024-05-01T22:00:00Z|2024-05-02T22:00:00Z|",
      "HKCorrelationTypeIdentifierBloodPressure|||Cuff|\(at)",
      #"HKDataTypeIdentifierAudiogram|||Ears|\#(at){"points":[{"frequency_hz":1000,"left_ear_dbhl":10}]}"#,
      "HKDataTypeSleepDurationGoal|8|hr|Health|\(at)",
      "HKDataTypeStateOfMind|0.5||Phone|\(at)",
      "Q:BloodPressureSystolic|120|mmHg|Cuff|\(at)",
      #"Q:HeartRateVariabilitySDNN|41|ms|Watch|2024-05-01T21:59:59Z|2024-05-01T22:01:00Z|{"beats":[[0.5,60],[1.25,61]]}"#,
      "Q:WorkoutEffortScore|7|appleEffortScore|Watch|\(at)",
      "HKVisionPrescriptionTypeIdentifier||||2024-05-01T08:00:00Z||",
      "HKWorkoutTypeIdentifier|30|seconds|Watch|\(at)",
    ]
    #expect(staged.rows.count == expected.count)
    for row in expected { #expect(staged.rows.contains { $0.hasPrefix(row) }, "\(row) is not in \(staged.rows)") }
    let workout = try json(staged.rows(of: "HKWorkoutTypeIdentifier")[0])
    #expect(workout["total_energy_burned_cal"] as? Double == 100 && workout["total_distance_meters"] as? Double == 1000)
    #expect((workout["activities"] as? [Any])?.count == 1 && (workout["zones"] as? [Any])?.count == 1)
    #expect(workout["statistics"] == nil)
    #expect(
      try staged.profile == [
        "HKCharacteristicTypeIdentifierBloodType=HKBloodTypeAPositive", "HKCharacteristicTypeIdentifierDateOfBirth=",
      ])
    #expect(staged.report.unknownNames.keys.contains { $0.contains("StateOfMind") })
    #expect(staged.exitCode == .done)
  }
}
