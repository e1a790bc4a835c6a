import HealthModel
import RowMapping
import Testing

@Suite struct VisionPrescriptionMappingTests {
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
}
