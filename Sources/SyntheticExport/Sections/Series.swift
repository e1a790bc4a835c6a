/// A type whose records need no story: so many a day, in a window, within a range.
struct Series {
  enum Window { case day, night, wholeDay, runs }

  let name: String
  let unit: String?
  let value: RecordType.Value
  /// Of the heavy user.
  let perDay: Double
  let window: Window
  let source: Source
  /// Mantissas, both ends included; for categories indexes into the names.
  let range: ClosedRange<Int>
  /// Seconds; 0 is an instant. What lasts longer than a day ends in the window, everything else starts in it.
  let lasting: ClosedRange<Int>
  let notes: [String]

  private init(
    _ name: String, _ unit: String?, _ value: RecordType.Value, _ perDay: Double, _ window: Window,
    _ source: Source, _ range: ClosedRange<Int>, _ lasting: ClosedRange<Int>, _ notes: [String]
  ) {
    self.name = name
    self.unit = unit
    self.value = value
    self.perDay = perDay
    self.window = window
    self.source = source
    self.range = range
    self.lasting = lasting
    self.notes = notes
  }

  private static func quantity(
    _ name: String, _ unit: String, decimals: Int, _ range: ClosedRange<Int>, perDay: Double,
    _ window: Window = .day, _ source: Source = .watch, lasting: ClosedRange<Int> = 0...0, notes: [String] = []
  ) -> Series {
    Series(
      "HKQuantityTypeIdentifier" + name, unit, .number(decimals: decimals), perDay, window, source, range, lasting,
      notes)
  }

  private static func category(
    _ name: String, _ values: [String], perDay: Double, _ window: Window = .day, _ source: Source = .watch,
    lasting: ClosedRange<Int> = 0...0, notes: [String] = []
  ) -> Series {
    let range = values.isEmpty ? -1...(-1) : 0...values.count - 1
    return Series(
      "HKCategoryTypeIdentifier" + name, nil, .names(values.map { Array("HKCategoryValue\($0)".utf8) }), perDay, window,
      source, range, lasting, notes)
  }

  // MARK: Tables, in the order of the file

  static let body: [Series] = [
    .quantity(
      "BodyMassIndex", "count", decimals: 1, 221...238, perDay: 0.4, .day, .scale,
      notes: [metadataLine("Scale User Identifier", "a&b \"2\""), metadataLine("HKWasUserEntered", "1")]),
    .quantity("Height", "cm", decimals: 0, 176...176, perDay: 0.002, .day, .handEntry),
    .quantity(
      "BodyMass", "kg", decimals: 2, 7010...7740, perDay: 0.4, .day, .scale,
      notes: [metadataLine("Scale User Identifier", "a&b \"2\"")]),
    .quantity("BodyFatPercentage", "%", decimals: 4, 1650...2090, perDay: 0.4, .day, .scale),
    .quantity("LeanBodyMass", "kg", decimals: 2, 5800...6150, perDay: 0.2, .day, .scale),
    .quantity(
      "OxygenSaturation", "%", decimals: 2, 93...100, perDay: 14, .wholeDay, .watch, lasting: 15...15,
      notes: [metadataLine("HKMetadataKeyBarometricPressure", "99.7021 kPa")]),
    .quantity("RespiratoryRate", "count/min", decimals: 1, 110...190, perDay: 26, .night, .watch),
    .quantity(
      "BodyTemperature", "degC", decimals: 1, 358...384, perDay: 0.02, .day, .handEntry,
      notes: [metadataLine("HKBodyTemperatureSensorLocation", "9") + metadataLine("HKWasUserEntered", "1")]),
    .quantity(
      "BloodGlucose", "mmol<180.1558800000541>/L", decimals: 1, 41...98, perDay: 3.5, .day, .glucoseMeter,
      notes: [
        metadataLine("HKBloodGlucoseMealTime", "1") + metadataLine("Meal", "lunch") + metadataLine("meal", "2"),
        metadataLine("HKBloodGlucoseMealTime", "2"),
      ]),
  ]

  static let activity: [Series] = [
    .quantity("AppleStandTime", "min", decimals: 0, 1...5, perDay: 58, .day, .watch, lasting: 300...300),
    .quantity(
      "RestingHeartRate", "count/min", decimals: 0, 49...63, perDay: 1, .wholeDay, .watch, lasting: 40_000...70_000),
    .quantity(
      "VO2Max", "mL/min·kg", decimals: 2, 3890...4610, perDay: 0.15, .day, .watch,
      notes: [metadataLine("HKVO2MaxTestType", "2")]),
    .quantity(
      "WalkingHeartRateAverage", "count/min", decimals: 1, 880...1090, perDay: 1, .day, .watch, lasting: 20_000...40_000
    ),
    .quantity(
      "EnvironmentalAudioExposure", "dBASPL", decimals: 4, 380_000...890_000, perDay: 46, .day, .watch,
      lasting: 300...1800),
    .quantity(
      "HeadphoneAudioExposure", "dBASPL", decimals: 4, 480_000...860_000, perDay: 20, .day, .phone, lasting: 60...1800,
      notes: [metadataLine("HKMetadataKeyHeadphoneGain", "3.25 dBASPL")]),
    .quantity(
      "EnvironmentalSoundReduction", "dBASPL", decimals: 3, 2000...24_000, perDay: 3, .day, .phone, lasting: 60...600),
    .quantity(
      "SixMinuteWalkTestDistance", "m", decimals: 0, 455...500, perDay: 0.14, .day, .watch,
      notes: [metadataLine("HKMetadataKeyAppleDeviceCalibrated", "1")]),
    .quantity(
      "AppleWalkingSteadiness", "%", decimals: 6, 880_000...1_000_000, perDay: 0.14, .day, .phone,
      lasting: 600_000...604_000),
    .quantity(
      "WalkingDoubleSupportPercentage", "%", decimals: 3, 261...318, perDay: 44, .day, .phone, lasting: 10...40,
      notes: [metadataLine("HKMetadataKeyDevicePlacementSide", "2")]),
    .quantity(
      "WalkingSpeed", "km/hr", decimals: 4, 36_000...57_600, perDay: 62, .day, .phone, lasting: 10...40,
      notes: [metadataLine("HKMetadataKeyDevicePlacementSide", "1")]),
    .quantity(
      "WalkingStepLength", "cm", decimals: 0, 61...79, perDay: 62, .day, .phone, lasting: 10...40,
      notes: [metadataLine("HKMetadataKeyDevicePlacementSide", "1")]),
    .quantity(
      "WalkingAsymmetryPercentage", "%", decimals: 2, 0...34, perDay: 20, .day, .phone, lasting: 10...60,
      notes: [metadataLine("HKMetadataKeyDevicePlacementSide", "0")]),
    .quantity("StairAscentSpeed", "m/s", decimals: 6, 261_000...381_000, perDay: 6, .day, .watch, lasting: 5...12),
    .quantity("StairDescentSpeed", "m/s", decimals: 6, 291_000...452_000, perDay: 6, .day, .watch, lasting: 5...12),
    .quantity("RunningSpeed", "km/hr", decimals: 4, 84_000...131_000, perDay: 10, .runs, .watch, lasting: 2...5),
    .quantity("RunningPower", "W", decimals: 0, 195...282, perDay: 10, .runs, .watch, lasting: 2...5),
    .quantity("RunningStrideLength", "m", decimals: 2, 88...121, perDay: 8, .runs, .watch, lasting: 2...5),
    .quantity("RunningVerticalOscillation", "cm", decimals: 1, 74...102, perDay: 6, .runs, .watch, lasting: 2...5),
    .quantity("RunningGroundContactTime", "ms", decimals: 0, 231...284, perDay: 6, .runs, .watch, lasting: 2...5),
    .quantity(
      "HeartRateRecoveryOneMinute", "count/min", decimals: 4, 180_000...410_000, perDay: 0.3, .day, .watch,
      notes: [
        metadataLine("HKMetadataKeyHeartRateRecoveryTestType", "2")
          + metadataLine("HKMetadataKeyHeartRateRecoveryActivityDuration", "1834.27 s")
          + metadataLine("HKMetadataKeyHeartRateRecoveryActivityType", "37")
      ]),
    .quantity(
      "AppleSleepingWristTemperature", "degC", decimals: 4, 342_000...361_000, perDay: 0.9, .night, .watch,
      lasting: 18_000...24_000, notes: [metadataLine("HKAlgorithmVersion", "2")]),
    .quantity(
      "AppleSleepingBreathingDisturbances", "count", decimals: 4, 900...64_000, perDay: 0.9, .night, .watch,
      lasting: 18_000...24_000),
    .quantity(
      "PhysicalEffort", "kcal/hr·kg", decimals: 1, 11...92, perDay: 118, .day, .watch, lasting: 60...240,
      notes: [
        metadataLine("HKPhysicalEffortEstimationType", "2"),
        metadataLine("HKPhysicalEffortEstimationType", "1") + metadataLine("HKActivityType", "52"),
      ]),
    .quantity(
      "TimeInDaylight", "min", decimals: 0, 1...5, perDay: 14, .day, .watch, lasting: 300...300,
      notes: [metadataLine("HKMetadataKeyMaximumLightIntensity", "4523.5 lx")]),
    .quantity(
      "DietaryWater", "mL", decimals: 0, 150...500, perDay: 2, .day, .foodLog,
      notes: [metadataLine("HKWasUserEntered", "1")]),
    .quantity("DietaryCaffeine", "mg", decimals: 0, 40...120, perDay: 1, .day, .foodLog),
  ]

  static let events: [Series] = [
    .category("MindfulSession", [], perDay: 0.5, .day, .mindfulnessApp, lasting: 180...1200),
    .category("HandwashingEvent", ["NotApplicable"], perDay: 4, .day, .watch, lasting: 12...34),
    .category("ToothbrushingEvent", [], perDay: 0.3, .day, .handEntry, lasting: 110...140),
    .category(
      "HighHeartRateEvent", [], perDay: 0.05, .day, .watch, lasting: 600...600,
      notes: [metadataLine("HKHeartRateEventThreshold", "120 count/min")]),
    .category(
      "LowHeartRateEvent", [], perDay: 0.05, .night, .watch, lasting: 600...600,
      notes: [metadataLine("HKHeartRateEventThreshold", "40 count/min")]),
    .category(
      "AudioExposureEvent", ["EnvironmentalAudioExposureEventMomentaryLimit"], perDay: 0.2, .day, .watch,
      lasting: 180...180, notes: [metadataLine("HKMetadataKeyAudioExposureLevel", "91.5 dBASPL")]),
    .category(
      "HeadphoneAudioExposureEvent", ["HeadphoneAudioExposureEventSevenDayLimit"], perDay: 0.02, .day, .phone,
      lasting: 604_800...604_800,
      notes: [
        metadataLine("HKMetadataKeyAudioExposureLevel", "83.0 dBASPL")
          + metadataLine("HKMetadataKeyAudioExposureDuration", "71488.3 s")
      ]),
    .category(
      "Headache", ["SeverityMild", "SeverityModerate", "SeveritySevere"], perDay: 0.05, .day, .handEntry,
      lasting: 3600...14_400, notes: [metadataLine("HKWasUserEntered", "1")]),
  ]
}
