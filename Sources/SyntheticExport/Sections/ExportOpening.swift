/// The beginning of export.xml: declaration, document type, ExportDate, Me.
extension ExportWriter {
  mutating func writeOpening() throws(SyntheticExportError) {
    document.buffer.append(text: ExportOpening.declarations)
    let locale = layout.zone.region == .continental ? "en_DE" : "en_US"
    document.buffer.append(text: "<HealthData locale=\"\(locale)\">\n <ExportDate")
    document.write(attribute: "value", date: layout.exportInstant)
    document.buffer.append("/>\n")
    document.buffer.append(
      text: """
         <Me HKCharacteristicTypeIdentifierDateOfBirth="1984-06-12" \
        HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexNotSet" \
        HKCharacteristicTypeIdentifierBloodType="HKBloodTypeOPositive" \
        HKCharacteristicTypeIdentifierFitzpatrickSkinType="HKFitzpatrickSkinTypeII" \
        HKCharacteristicTypeIdentifierCardioFitnessMedicationsUse="None"/>

        """)
  }
}

enum ExportOpening {
  /// What every export since iOS 17 opens with: version 14 (later form) of the document type, export-format §4.2.
  static let declarations: String = {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE HealthData [
      <!-- HealthKit Export Version: 14 -->

      """
    for (element, model, attributes) in elements {
      text += "<!ELEMENT \(element) \(model)>\n"
      guard !attributes.isEmpty else { continue }
      text += "<!ATTLIST \(element)\n"
      for attribute in attributes {
        let isRequired = attribute.hasSuffix("!")
        text +=
          "  \(isRequired ? String(attribute.dropLast()) : attribute) CDATA \(isRequired ? "#REQUIRED" : "#IMPLIED")\n"
      }
      text += ">\n"
      if let note = notes[element] { text += "<!-- \(note) -->\n" }
    }
    return text + "]>\n"
  }()

  private static let notes = [
    "Correlation":
      "Note: Any Records that appear as children of a correlation also appear as top-level records in this document."
  ]

  private static let common = ["sourceName!", "sourceVersion", "device", "creationDate", "startDate!", "endDate!"]
  private static let characteristics = [
    "DateOfBirth", "BiologicalSex", "BloodType", "FitzpatrickSkinType", "CardioFitnessMedicationsUse",
  ].map { "HKCharacteristicTypeIdentifier\($0)!" }
  private static let ears = ["left", "right"]
  private static let lens = [
    "sphere", "cylinder", "axis", "add", "vertex", "prismAmount", "prismAngle", "farPD", "nearPD", "baseCurve",
    "diameter",
  ].flatMap { [$0, "\($0)Unit"] }

  /// Element, content model, attributes; `!` marks a required one.
  private static let elements: [(String, String, [String])] = [
    (
      "HealthData",
      "(ExportDate,Me,(Record|Correlation|Workout|ActivitySummary|ClinicalRecord|Audiogram|VisionPrescription)*)",
      ["locale!"]
    ),
    ("ExportDate", "EMPTY", ["value!"]),
    ("Me", "EMPTY", characteristics),
    ("Record", "((MetadataEntry|HeartRateVariabilityMetadataList)*)", ["type!", "unit", "value"] + common),
    ("Correlation", "((MetadataEntry|Record)*)", ["type!"] + common),
    (
      "Workout", "((MetadataEntry|WorkoutEvent|WorkoutRoute|WorkoutStatistics)*)",
      [
        "workoutActivityType!", "duration", "durationUnit", "totalDistance", "totalDistanceUnit", "totalEnergyBurned",
        "totalEnergyBurnedUnit",
      ] + common
    ),
    ("WorkoutActivity", "((MetadataEntry)*)", ["uuid!", "startDate!", "endDate", "duration", "durationUnit"]),
    ("WorkoutEvent", "((MetadataEntry)*)", ["type!", "date!", "duration", "durationUnit"]),
    (
      "WorkoutStatistics", "EMPTY",
      ["type!", "startDate!", "endDate!", "average", "minimum", "maximum", "sum", "unit"]
    ),
    ("WorkoutRoute", "((MetadataEntry|FileReference)*)", common),
    ("FileReference", "EMPTY", ["path!"]),
    (
      "ActivitySummary", "EMPTY",
      [
        "dateComponents", "activeEnergyBurned", "activeEnergyBurnedGoal", "activeEnergyBurnedUnit", "appleMoveTime",
        "appleMoveTimeGoal", "appleExerciseTime", "appleExerciseTimeGoal", "appleStandHours", "appleStandHoursGoal",
      ]
    ),
    ("MetadataEntry", "EMPTY", ["key!", "value!"]),
    ("HeartRateVariabilityMetadataList", "(InstantaneousBeatsPerMinute*)", []),
    ("InstantaneousBeatsPerMinute", "EMPTY", ["bpm!", "time!"]),
    (
      "ClinicalRecord", "EMPTY",
      [
        "type!", "identifier!", "sourceName!", "sourceURL!", "fhirVersion!", "receivedDate!", "resourceFilePath!",
      ]
    ),
    ("Audiogram", "((MetadataEntry|SensitivityPoint)*)", ["type!"] + common),
    (
      "SensitivityPoint", "EMPTY",
      ["frequencyValue!", "frequencyUnit!"]
        + ears.flatMap {
          [
            "\($0)EarValue", "\($0)EarUnit", "\($0)EarMasked", "\($0)EarClampingRangeLowerBound",
            "\($0)EarClampingRangeUpperBound",
          ]
        }
    ),
    (
      "VisionPrescription", "((RightEye|LeftEye|Attachment|MetadataEntry)*)",
      ["type!", "dateIssued!", "expirationDate", "brand"]
    ),
    ("RightEye", "EMPTY", lens),
    ("LeftEye", "EMPTY", lens),
    ("Attachment", "EMPTY", ["identifier"]),
  ]
}
