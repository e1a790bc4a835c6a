import HealthModel
import RowMapping
import Testing

@Suite struct OtherKindsMappingTests {
  private let times =
    #"sourceName="App" startDate="2024-05-01 12:00:00 +0200" endDate="2024-05-01 12:00:01 +0200""#

  @Test func correlationListsItsMembers() throws {
    func member(_ type: String, _ rest: String) -> String {
      #"<Record type="HKQuantityTypeIdentifier\#(type)" \#(times) \#(rest)/>"#
    }
    let diastolic = member("BloodPressureDiastolic", #"unit="kPa" value="10.6658""#)
    let systolic = member("BloodPressureSystolic", #"unit="mmHg" value="120""#)
    func correlation(_ members: String) -> String {
      #"<Correlation type="HKCorrelationTypeIdentifierBloodPressure" \#(times)><MetadataEntry key="members" value="2"/>\#(members)</Correlation>"#
    }
    let mapped = Mapped(correlation(systolic + diastolic))
    let row = try #require(mapped.rows("HKCorrelationTypeIdentifierBloodPressure").first)
    let kilopascals = try #require(mapped.rows("HKQuantityTypeIdentifierBloodPressureDiastolic").first?.value)
    #expect(abs(kilopascals - 80) < 0.001)
    #expect(row.value == nil && row.unit == "" && row.flags == [.hasEnd])
    #expect(
      row.json == #"{"entry:members":"2","members":["#
        + #"{"metric_type":"HKQuantityTypeIdentifierBloodPressureDiastolic","started_at":"2024-05-01T10:00:00Z","unit":"mmHg","value":\#(kilopascals)},"#
        + #"{"metric_type":"HKQuantityTypeIdentifierBloodPressureSystolic","started_at":"2024-05-01T10:00:00Z","unit":"mmHg","value":120}]}"#
    )
    #expect(mapped.rows.filter { $0.flags.contains(.isCopy) }.count == 2 && mapped.facts.samplesRead == 3)
    // HealthKit keeps members in a set: their order in the file means nothing.
    #expect(
      Mapped(correlation(diastolic + systolic)).rows("HKCorrelationTypeIdentifierBloodPressure")[0].json == row.json)
  }

  @Test func membersOfARejectedCorrelationAreKept() {
    let mapped = Mapped(
      #"<Correlation type="HKCorrelationTypeIdentifierFood"><Record type="HKQuantityTypeIdentifierDietaryProtein" \#(times) unit="g" value="5"/><Record type="HKQuantityTypeIdentifierDietaryProtein" unit="g" value="5"/></Correlation>"#
    )
    #expect(mapped.rows.count == 1 && mapped.facts.samplesRead == 3 && mapped.facts.samplesRejected == 2)
  }

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

  @Test func audiogramHasItsPoints() {
    let mapped = Mapped(
      #"<Audiogram type="HKDataTypeIdentifierAudiogram" \#(times)><MetadataEntry key="points" value="2"/>"#
        + #"<SensitivityPoint frequencyValue="250" frequencyUnit="Hz" leftEarValue="10.5" leftEarUnit="dBHL" rightEarValue="-5" rightEarUnit="dBHL" leftEarMasked="NO" leftEarClampingRangeLowerBound="-10"/>"#
        + #"<SensitivityPoint frequencyValue="1000" frequencyUnit="Hz" leftEarValue="3" leftEarUnit="odd"/></Audiogram>"#
    )
    #expect(
      mapped.row.json == #"{"entry:points":"2","points":["#
        + #"{"frequency_hz":250,"leftEarClampingRangeLowerBound":-10,"leftEarMasked":"NO","left_ear_dbhl":10.5,"right_ear_dbhl":-5},"#
        + #"{"frequency_hz":1000,"leftEarUnit":"odd","leftEarValue":3}]}"#)
    #expect(mapped.row.value == nil && mapped.row.unit == "" && mapped.row.end == "2024-05-01T10:00:01Z")
    #expect(Mapped(#"<Audiogram \#(times)/>"#).row.type == "HKDataTypeIdentifierAudiogram")
  }

  @Test func visionPrescriptionHasBothEyes() {
    let mapped = Mapped(
      #"<VisionPrescription type="HKVisionPrescriptionTypeGlasses" dateIssued="2024-05-01 12:00:00 +0200" expirationDate="2026-05-01 12:00:00 +0200" brand="Acme"><RightEye sphere="-1.25" sphereUnit="D" axis="90" axisUnit="deg"/><LeftEye sphere="0" sphereUnit="D"/><Attachment identifier="scan"/></VisionPrescription>"#,
      #"<VisionPrescription type="HKVisionPrescriptionTypeContacts" dateIssued="2024-05-01 12:00:00 +0200"/>"#)
    let row = mapped.row
    #expect(row.type == "HKVisionPrescriptionTypeIdentifier" && row.value == nil && row.source == "")
    #expect(row.start == "2024-05-01T10:00:00Z" && row.end == "2026-05-01T10:00:00Z")
    #expect(
      row.json == #"{"attachments":["scan"],"brand":"Acme","expires_at":"2026-05-01T10:00:00Z","#
        + #""left_eye":{"sphere":0,"sphereUnit":"D"},"prescription_type":"HKVisionPrescriptionTypeGlasses","#
        + #""right_eye":{"axis":90,"axisUnit":"deg","sphere":-1.25,"sphereUnit":"D"}}"#)
    #expect(mapped.rows[1].end == nil && mapped.facts.problems.entries.isEmpty)
  }

  @Test(
    arguments: [
      ("AllergyIntolerance", "AllergyRecord"), ("Condition", "ConditionRecord"), ("Immunization", "ImmunizationRecord"),
      ("Observation", "LabResultRecord"), ("DiagnosticReport", "LabResultRecord"),
      ("MedicationOrder", "MedicationRecord"),
      ("MedicationStatement", "MedicationRecord"), ("Procedure", "ProcedureRecord"), ("Coverage", "CoverageRecord"),
      ("DocumentReference", "ClinicalNoteRecord"), ("Patient", "Patient"),
      ("HKClinicalTypeIdentifierVitalSignRecord", "VitalSignRecord"),
    ])
  func clinicalRecordIsNamedByItsResource(resource: String, record: String) {
    let mapped = Mapped(
      #"<ClinicalRecord type="\#(resource)" identifier="a/1" sourceName="Clinic" sourceURL="https://x/y" fhirVersion="4.0.1" receivedDate="2024-05-01 12:00:00 +0200" resourceFilePath="/clinical-records/\#(resource)-1.json"/>"#
    )
    let row = mapped.row
    #expect(row.type == "HKClinicalTypeIdentifier" + record)
    #expect(row.start == "2024-05-01T10:00:00Z" && row.end == nil && row.value == nil && row.source == "Clinic")
    #expect(
      row.json
        == #"{"fhir_version":"4.0.1","file":"/clinical-records/\#(resource)-1.json","identifier":"a/1","source_url":"https://x/y"}"#
    )
    #expect(mapped.facts.notLoaded == ["ClinicalRecord": 1])
    #expect(mapped.problem(.unknownType) == (resource == "Patient" ? [1, 0] : nil))
  }
}
