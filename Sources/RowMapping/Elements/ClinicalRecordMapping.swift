import HealthModel

extension RowMapper {
  /// ```
  /// <ClinicalRecord type="AllergyIntolerance" identifier="…" sourceName="…" sourceURL="…" fhirVersion="4.0.1"
  ///                 receivedDate="…" resourceFilePath="/clinical-records/AllergyIntolerance-….json"/>
  /// ```
  /// Its row names the `file` until `SideFileMetadata` puts the `resource` in its place.
  mutating func mapClinicalRecord(_ element: borrowing ExportElement, into buffer: inout SampleBuffer) {
    base.samplesRead += 1
    let common = CommonAttributes(node: 0, of: element)
    guard let resource = typeSymbol(common.type, of: element) else { return }
    let type = table.intern(ClinicalType.identifier(forResource: table.text(of: resource)))
    let received = element.piece(.receivedDate, of: 0)
    guard let start = startInstant(received.isEmpty ? common.startDate : received, of: element),
      var sample = beginSample(type, common, start: start, end: start, of: element)
    else { return }
    sample.record.flags.remove(.hasEnd)
    object.removeAll()
    let members: [(String, AttributeName)] = [
      ("identifier", .identifier), ("source_url", .sourceURL), ("fhir_version", .fhirVersion),
      ("file", .resourceFilePath),
    ]
    for (key, name) in members where !element.piece(name, of: 0).isEmpty {
      addText(key, element.piece(name, of: 0), of: element)
    }
    if !element.piece(.resourceFilePath, of: 0).isEmpty { sample.record.flags.insert(.hasSideFile) }
    countUnknownAttributes(
      of: 0, in: element, except: [.identifier, .sourceURL, .fhirVersion, .receivedDate, .resourceFilePath])
    finish(&sample, common, of: element, expecting: [.metadataEntry], into: &buffer)
  }
}

/// Metric types of FHIR resources (DESIGN §2.3).
package enum ClinicalType {
  /// `AllergyIntolerance` is `HKClinicalTypeIdentifierAllergyRecord`. Resources not listed go by their own name, a full
  /// identifier is kept.
  package static func identifier(forResource resource: String) -> String {
    let prefix = "HKClinicalTypeIdentifier"
    if resource.hasPrefix(prefix) { return resource }
    if resource.hasPrefix("Medication") { return prefix + "MedicationRecord" }
    return prefix + (records[resource] ?? resource)
  }

  private static let records = [
    "AllergyIntolerance": "AllergyRecord", "Condition": "ConditionRecord", "Immunization": "ImmunizationRecord",
    "Observation": "LabResultRecord", "DiagnosticReport": "LabResultRecord", "Procedure": "ProcedureRecord",
    "Coverage": "CoverageRecord", "DocumentReference": "ClinicalNoteRecord",
  ]
}
