import HealthModel

/// A FHIR resource in `clinical-records/` and the element that points at it.
struct ClinicalRecord {
  let resourceType: String
  let fhirVersion: String
  let identifier: String
  let received: Int
  private let effective: CivilDay
  private let value: Int

  var fileName: String { "\(resourceType)-\(identifier).json" }
  var sourceURL: String { "https://fhir.northlake.example/r4/\(resourceType)/\(identifier)" }

  private static let kinds = [
    "Observation", "DiagnosticReport", "Condition", "AllergyIntolerance", "Immunization", "MedicationRequest",
    "Procedure", "DocumentReference",
  ]

  static func records(_ layout: ExportLayout, _ day: Day) -> [ClinicalRecord] {
    let rate = max(1.0 / 20, 8.0 / Double(layout.dayCount))
    let count = layout.occurrences(rate, on: day, stream: Stream.clinical)
    var random = layout.random(Stream.clinical, day.index)
    return (0..<count).map { index in
      let kind = kinds[(Int(rate * Double(day.index)) + index) % kinds.count]
      return ClinicalRecord(
        resourceType: kind, fhirVersion: random.chance(1, of: 4) ? "1.0.2" : "4.0.1", identifier: random.uuid(),
        received: day.midnight + 36_000 + random.below(30_000), effective: day.civil.advanced(by: -random.below(20)),
        value: random.between(380, 620))
    }
  }

  func write(to sink: any ByteSink) throws(SyntheticExportError) {
    var file = SideFile(sink: sink)
    file.buffer.append(
      text: """
        {"resourceType":"\(resourceType)","id":"\(identifier)","status":"final",\
        "subject":{"reference":"Patient/synthetic-1","display":"Robin Example"},\
        "code":{"coding":[{"system":"http://loinc.org","code":"4548-4","display":"Hemoglobin A1c"}],\
        "text":"Hémoglobine glyquée \\"A1c\\""},\
        "effectiveDateTime":"\(effective)T08:30:00Z",\
        "valueQuantity":{"value":\(value / 100).\(value / 10 % 10),"unit":"%","system":"http://unitsofmeasure.org","code":"%"}}

        """)
    try file.flush()
  }
}

/// export_cda.xml: a second, poorer copy of the vitals that importers must tell from the real export.
enum ClinicalDocument {
  static func write(to sink: any ByteSink) throws(SyntheticExportError) {
    var file = SideFile(sink: sink)
    file.buffer.append(
      text: """
        <?xml version="1.0"?>
        <ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:sdtc="urn:hl7-org:sdtc">
         <realmCode code="US"/>
         <title>Health Data Export</title>
        </ClinicalDocument>
        <component>
         <section>
          <text><sourceName>Robin’s iPhone</sourceName><type>HKQuantityTypeIdentifierHeartRate</type></text>
         </section>
        </component>

        """)
    try file.flush()
  }
}
