/// What follows the workouts: activity summaries, clinical records, audiograms, vision prescriptions.
extension ExportWriter {
  /// The rings, consistent with the records of the day. A changed goal leaves the date twice, the later row being right.
  mutating func writeActivitySummaries() throws(SyntheticExportError) {
    for (position, day) in days.enumerated() {
      if layout.occurrences(0.005, on: day, stream: Stream.summaries) > 0 {
        try writeActivitySummary(day, truth.days[position], goal: 480)
        truth.supersededSummaries += 1
      }
      try writeActivitySummary(day, truth.days[position], goal: 520)
    }
  }

  private mutating func writeActivitySummary(
    _ day: Day, _ truth: ExportTruth.DayTruth, goal: Int
  ) throws(SyntheticExportError) {
    try document.makeRoom()
    document.buffer.append(text: " <ActivitySummary dateComponents=\"\(day.civil)\"")
    document.write(attribute: "activeEnergyBurned", decimal: truth.activeMilliKilocalories, decimals: 3)
    document.write(attribute: "activeEnergyBurnedGoal", "\(goal)")
    document.write(attribute: "activeEnergyBurnedUnit", "kcal")
    document.write(attribute: "appleMoveTime", "0")
    document.write(attribute: "appleMoveTimeGoal", "0")
    document.write(attribute: "appleExerciseTime", "\(truth.exerciseMinutes)")
    document.write(attribute: "appleExerciseTimeGoal", "30")
    document.write(attribute: "appleStandHours", "\(truth.standHours)")
    document.write(attribute: "appleStandHoursGoal", "12")
    document.buffer.append("/>\n")
    self.truth.activitySummaries += 1
  }

  mutating func writeClinicalRecords() throws(SyntheticExportError) {
    for day in days {
      for record in ClinicalRecord.records(layout, day) {
        try document.makeRoom()
        document.buffer.append(text: " <ClinicalRecord type=\"\(record.resourceType)\"")
        document.write(attribute: "identifier", record.identifier)
        document.write(attribute: "sourceName", "Northlake Clinic &amp; Labs")
        document.write(attribute: "sourceURL", record.sourceURL)
        document.write(attribute: "fhirVersion", record.fhirVersion)
        document.write(attribute: "receivedDate", date: record.received)
        document.write(attribute: "resourceFilePath", "/clinical-records/\(record.fileName)")
        document.buffer.append("/>\n")
        truth.clinicalRecords += 1
      }
    }
  }

  mutating func writeHearingAndVision() throws(SyntheticExportError) {
    for day in days where layout.occurrences(0.003, on: day, stream: Stream.hearing) > 0 {
      try writeAudiogram(day)
      try writeVisionPrescription(day)
    }
  }

  private mutating func writeAudiogram(_ day: Day) throws(SyntheticExportError) {
    var random = layout.random(Stream.hearing, day.index)
    let start = day.midnight + 36_000 + random.below(20_000)
    try document.makeRoom()
    document.beginAddresses(random)
    document.buffer.append(0x20)
    document.write(RecordType.head("<Audiogram type=\"HKDataTypeIdentifierAudiogram\"", .phone, day.era))
    document.writeDates(Sample(start: start, end: start + 240, created: start + 241, value: 0, source: .phone))
    document.buffer.append(">\n")
    document.write(metadata: "HKTimeZone", layout.zone.name, indent: 2)
    for frequency in [250, 500, 1000, 2000, 3000, 4000, 6000, 8000] {
      document.buffer.append(text: "  <SensitivityPoint frequencyValue=\"\(frequency)\" frequencyUnit=\"Hz\"")
      for ear in ["left", "right"] {
        document.write(attribute: "\(ear)EarValue", decimal: random.between(-20, 310), decimals: 1)
        document.write(attribute: "\(ear)EarUnit", "dBHL")
        document.write(attribute: "\(ear)EarMasked", "NO")
      }
      document.buffer.append("/>\n")
    }
    document.buffer.append(" </Audiogram>\n")
    truth.audiograms += 1
  }

  private mutating func writeVisionPrescription(_ day: Day) throws(SyntheticExportError) {
    var random = layout.random(Stream.hearing &* 3, day.index)
    try document.makeRoom()
    document.buffer.append(" <VisionPrescription type=\"HKVisionPrescriptionTypeIdentifier\"")
    let issued = day.midnight + 43_200
    document.write(attribute: "dateIssued", date: issued)
    if random.chance(1, of: 2) { document.write(attribute: "expirationDate", date: issued + 730 * 86_400) }
    document.write(attribute: "brand", "Klarblick")
    document.buffer.append(">\n")
    for eye in ["RightEye", "LeftEye"] {
      document.buffer.append(text: "  <\(eye)")
      document.write(attribute: "sphere", decimal: -25 * random.between(2, 14), decimals: 2)
      document.write(attribute: "sphereUnit", "D")
      document.write(attribute: "cylinder", decimal: -25 * random.between(0, 4), decimals: 2)
      document.write(attribute: "cylinderUnit", "D")
      document.write(attribute: "axis", "\(random.between(1, 180))")
      document.write(attribute: "axisUnit", "deg")
      document.buffer.append("/>\n")
    }
    document.write(metadata: "HKMetadataKeyGlassesPrescriptionDescription", "Distance, “everyday”", indent: 2)
    document.buffer.append(" </VisionPrescription>\n")
    truth.visionPrescriptions += 1
  }
}
