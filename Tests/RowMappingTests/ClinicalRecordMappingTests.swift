import HealthModel
import RowMapping
import Testing

@Suite struct ClinicalRecordMappingTests {
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
    #expect(row.flags.contains(.hasSideFile))
    #expect(mapped.problem(.unknownType) == (resource == "Patient" ? [1, 0] : nil))
  }
}
