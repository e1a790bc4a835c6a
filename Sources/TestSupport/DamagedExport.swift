/// A small export with a sample of each kind, and what may happen to its bytes. Nobody in it exists.
package enum DamagedExport {
  /// One of each kind.
  package static let export = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE HealthData [<!-- HealthKit Export Version: 14 --><!ELEMENT HealthData ANY>]>
    <HealthData locale="en_GB">
     <ExportDate value="2024-06-01 12:00:00 +0100"/>
     <Me HKCharacteristicTypeIdentifierDateOfBirth="1990-01-01" HKCharacteristicTypeIdentifierBloodType="HKBloodTypeNotSet"/>
     <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Ada’s Apple Watch" sourceVersion="10.1" \
    device="&lt;&lt;HKDevice: 0x2801, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2&gt;" \
    unit="count" creationDate="2024-05-01 10:00:10 +0100" startDate="2024-05-01 09:59:00 +0100" \
    endDate="2024-05-01 10:00:00 +0100" value="120"/>
     <Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" sourceName="Watch" unit="ms" \
    startDate="2024-05-01 10:00:00 +0100" endDate="2024-05-01 10:01:00 +0100" value="51.25">
      <MetadataEntry key="HKAlgorithmVersion" value="2"/>
      <HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="60" time="9:00:00.12 AM"/>\
    </HeartRateVariabilityMetadataList>
     </Record>
     <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Watch" startDate="2024-05-01 01:00:00 +0100" \
    endDate="2024-05-01 02:00:00 +0100" value="HKCategoryValueSleepAnalysisAsleepDeep"/>
     <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Cuff &amp; Co" \
    startDate="2024-05-02 08:00:00 +0100" endDate="2024-05-02 08:00:00 +0100">
      <Record type="HKQuantityTypeIdentifierBloodPressureSystolic" sourceName="Cuff &amp; Co" unit="mmHg" \
    startDate="2024-05-02 08:00:00 +0100" endDate="2024-05-02 08:00:00 +0100" value="121"/>
     </Correlation>
     <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30.5" durationUnit="min" sourceName="Watch" \
    startDate="2024-05-03 08:00:00 +0100" endDate="2024-05-03 08:31:00 +0100">
      <WorkoutEvent type="HKWorkoutEventTypePause" date="2024-05-03 08:10:00 +0100"/>
      <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" startDate="2024-05-03 08:00:00 +0100" \
    endDate="2024-05-03 08:31:00 +0100" sum="5.1" unit="km"/>
      <WorkoutRoute sourceName="Watch" startDate="2024-05-03 08:00:00 +0100" endDate="2024-05-03 08:31:00 +0100">
       <FileReference path="/workout-routes/route_2024-05-03_8.31am.gpx"/>
      </WorkoutRoute>
     </Workout>
     <ActivitySummary dateComponents="2024-05-01" activeEnergyBurned="512" activeEnergyBurnedUnit="kcal" appleExerciseTime="31"/>
     <ClinicalRecord type="Condition" identifier="c1" sourceName="Clinic" fhirVersion="4.0.1" \
    receivedDate="2024-05-04 08:00:00 +0100" resourceFilePath="/clinical-records/Condition-1.json"/>
     <Audiogram type="HKDataTypeIdentifierAudiogram" sourceName="Ear" startDate="2024-05-05 08:00:00 +0100" \
    endDate="2024-05-05 08:05:00 +0100"><SensitivityPoint frequencyValue="1000" frequencyUnit="Hz" leftEarValue="5" \
    leftEarUnit="dBHL"/></Audiogram>
    </HealthData>
    """

  private static let pieces: [[UInt8]] =
    [
      "<", ">", "/", "\"", "=", "&", ";", "&#0;", "<!--", "]]>", "</", "/>", "</HealthData>", "<Record ",
      "value=\"1e999\"",
      "startDate=\"2024-13-45\"", "type=\"\"", "\u{1F600}", "-0", "9999-12-31 23:59:59 +1400", "<Workout>", "NaN",
    ].map { Array($0.utf8) } + [[0], [0x0B], [0xC3], [0xED, 0xA0, 0x80], [0xFF]]

  /// The export with one to four injuries; the same seed, the same injuries.
  package static func damaged(seed: UInt64) -> [UInt8] {
    var random = SplitMix(seed: seed)
    var bytes = Array(export.utf8)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let position = Int.random(in: 0..<bytes.count, using: &random)
      let length = min(bytes.count - position, Int.random(in: 1...30, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes.removeSubrange(position..<position + length)
      case 1: bytes.insert(contentsOf: Array(bytes[position..<position + length]), at: position)
      case 2: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: position)
      case 3: bytes.replaceSubrange(position..<position + length, with: pieces.randomElement(using: &random) ?? [])
      case 4 where length > 25: bytes.removeSubrange(position...)
      default: bytes[position] = UInt8.random(in: 0...255, using: &random)
      }
      if bytes.isEmpty { bytes = [0x3C] }
    }
    return bytes
  }
}
