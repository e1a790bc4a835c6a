import HealthModel

/// A file beside export.xml on its way out.
struct SideFile: ~Copyable {
  var buffer = ByteBuffer(capacity: 1 << 17)
  private let sink: any ByteSink

  init(sink: any ByteSink) { self.sink = sink }

  mutating func makeRoom() throws(SyntheticExportError) {
    if buffer.room < 1024 { try flush() }
  }

  mutating func flush() throws(SyntheticExportError) {
    try unsafe buffer.withBytes { bytes throws(SyntheticExportError) in unsafe try sink.write(bytes) }
    buffer.removeAll()
  }
}

extension ByteBuffer {
  /// `2025-07-14T16:51:54Z`
  mutating func append(utc instant: Int) {
    let day = instant.flooredQuotient(86_400)
    append(text: CivilDay(daysSince1970: Int32(day)).description)
    append(0x54)
    append(clock: instant - day * 86_400)
    append(0x5A)
  }

  /// With all its decimals, as GPX and ECG files have them; `mark` is the decimal mark.
  mutating func append(fixed mantissa: Int, decimals: Int, mark: UInt8 = 0x2E) {
    if mantissa < 0 { append(0x2D) }
    var bound = 1
    for _ in 0..<decimals { bound *= 10 }
    let magnitude = abs(mantissa)
    append(integer: magnitude / bound)
    append(mark)
    var rest = magnitude % bound
    while bound > 1 {
      bound /= 10
      append(UInt8(0x30 + rest / bound))
      rest %= bound
    }
  }
}

/// 30 seconds of voltages in `electrocardiograms/ecg_YYYY-MM-DD.csv`; export.xml has no element for them.
struct Electrocardiogram {
  let recorded: Int
  let fileName: String
  private let seed: SplitMix64

  static let sampleCount = 15_360
  private static let classifications = ["Sinus Rhythm", "Sinus Rhythm", "Inconclusive", "Heart Rate Over 120"]

  static func recordings(_ layout: ExportLayout, _ day: Day) -> [Electrocardiogram] {
    // Each is 130 kB, so small exports have few.
    let rate = layout.detail == .full ? 1.0 / 21 : 1.0 / 60
    guard layout.occurrences(rate, on: day, stream: Stream.electrocardiograms) > 0 else { return [] }
    var random = layout.random(Stream.electrocardiograms, day.index)
    let recorded = day.midnight + 30_000 + random.below(40_000)
    return [Electrocardiogram(recorded: recorded, fileName: "ecg_\(day.civil).csv", seed: random)]
  }

  func write(to sink: any ByteSink, _ layout: ExportLayout) throws(SyntheticExportError) {
    var file = SideFile(sink: sink)
    var random = seed
    let mark: UInt8 = layout.zone.region == .continental ? 0x2C : 0x2E
    file.buffer.setOffset(layout.offset)
    file.buffer.append(text: "Name,Robin Example\nDate of Birth,\"Jun 12, 1984\"\nRecorded Date,")
    file.buffer.append(date: recorded)
    file.buffer.append(text: "\nClassification,\(Electrocardiogram.classifications[random.below(4)])\nSymptoms,\n")
    file.buffer.append(text: "Software Version,1.90\nDevice,\"Watch7,2\"\n")
    file.buffer.append(text: "Sample Rate,512 hertz\n\n\nLead,Lead I\nUnit,µV\n\n")
    let beat = random.between(380, 520)
    for index in 0..<Electrocardiogram.sampleCount {
      try file.makeRoom()
      let noise = random.between(-4, 4)
      file.buffer.append(fixed: (Electrocardiogram.voltage(index % beat, beat) + noise) * 125, decimals: 3, mark: mark)
      file.buffer.append(0x0A)
    }
    try file.flush()
  }

  /// Microvolts × 8 of a beat of `length` samples: a small wave, a spike with its dips, a broad wave.
  private static func voltage(_ phase: Int, _ length: Int) -> Int {
    switch phase * 100 / length {
    case 10..<20: 8 * 90 * sine((phase * 100 / length - 10) * 18) / 1000
    case 27: -8 * 120
    case 28: 8 * 980
    case 29: 8 * 400
    case 30: -8 * 260
    case 45..<65: 8 * 210 * sine((phase * 100 / length - 45) * 9) / 1000
    default: 0
    }
  }
}

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
