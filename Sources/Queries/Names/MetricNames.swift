import DailySummaries
import HealthModel

/// Finds metric types by the names that people type: identifiers, short names, aliases, in any case, with dashes,
/// underscores or blanks.
package struct MetricNames: Sendable {
  /// Other names for what has a short name already.
  static let aliases = [
    "distance": "HKQuantityTypeIdentifierDistanceWalkingRunning",
    "walking-distance": "HKQuantityTypeIdentifierDistanceWalkingRunning",
    "energy": "HKQuantityTypeIdentifierActiveEnergyBurned",
    "active-energy": "HKQuantityTypeIdentifierActiveEnergyBurned",
    "calories": "HKQuantityTypeIdentifierActiveEnergyBurned",
    "resting-energy": "HKQuantityTypeIdentifierBasalEnergyBurned",
    "basal-energy": "HKQuantityTypeIdentifierBasalEnergyBurned",
    "exercise": "HKQuantityTypeIdentifierAppleExerciseTime",
    "exercise-minutes": "HKQuantityTypeIdentifierAppleExerciseTime",
    "stand-hours": SummaryKind.standHourType,
    "flights": "HKQuantityTypeIdentifierFlightsClimbed",
    "pulse": "HKQuantityTypeIdentifierHeartRate",
    "rhr": "HKQuantityTypeIdentifierRestingHeartRate",
    "walking-heart-rate": "HKQuantityTypeIdentifierWalkingHeartRateAverage",
    "heart-rate-recovery": "HKQuantityTypeIdentifierHeartRateRecoveryOneMinute",
    "vo2max": "HKQuantityTypeIdentifierVO2Max",
    "cardio-fitness": "HKQuantityTypeIdentifierVO2Max",
    "spo2": "HKQuantityTypeIdentifierOxygenSaturation",
    "blood-oxygen": "HKQuantityTypeIdentifierOxygenSaturation",
    "respiration": "HKQuantityTypeIdentifierRespiratoryRate",
    "bmi": "HKQuantityTypeIdentifierBodyMassIndex",
    "body-fat": "HKQuantityTypeIdentifierBodyFatPercentage",
    "systolic": "HKQuantityTypeIdentifierBloodPressureSystolic",
    "diastolic": "HKQuantityTypeIdentifierBloodPressureDiastolic",
    "glucose": "HKQuantityTypeIdentifierBloodGlucose",
    "wrist-temperature": "HKQuantityTypeIdentifierAppleSleepingWristTemperature",
    "daylight": "HKQuantityTypeIdentifierTimeInDaylight",
    "noise": "HKQuantityTypeIdentifierEnvironmentalAudioExposure",
    "headphones": "HKQuantityTypeIdentifierHeadphoneAudioExposure",
    "water": "HKQuantityTypeIdentifierDietaryWater",
    "caffeine": "HKQuantityTypeIdentifierDietaryCaffeine",
    "mindful-minutes": "HKCategoryTypeIdentifierMindfulSession",
    "mindfulness": "HKCategoryTypeIdentifierMindfulSession",
    "ecg": "HKDataTypeIdentifierElectrocardiogram",
    "workout": SummaryKind.workoutType,
    "asleep": SummaryKind.sleepType,
    "deep-sleep": SleepState.asleepDeep.exportName,
    "core-sleep": SleepState.asleepCore.exportName,
    "rem-sleep": SleepState.asleepREM.exportName,
  ]

  /// Everything the catalogue knows, with the rows that sleep and workouts have beside their own.
  private static let catalogue: [String] =
    Catalogue.metricTypes.keys.sorted() + SleepState.allCases.map(\.exportName)
    + Catalogue.workoutActivities.keys.sorted()

  private static let catalogueNames = MetricNames.names(of: catalogue)

  private var identifiers: [String: String]

  /// - Parameter stored: metric types that the tables hold; those that the catalogue does not know get names, too.
  package init(stored: [String] = []) {
    identifiers = MetricNames.catalogueNames
    for (name, identifier) in MetricNames.names(of: stored) where identifiers[name] == nil {
      identifiers[name] = identifier
    }
  }

  /// `resting-heart-rate` and the like; what `identifier(of:)` turns back.
  package static func shortName(of identifier: String) -> String { ShortName.of(identifier) }

  /// `HKWorkoutActivityTypeTraditionalStrengthTraining` → `traditional-strength-training`; an empty name is `unknown`.
  package static func activity(_ identifier: String) -> String {
    let name = ShortName.of(identifier)
    return name.isEmpty ? "unknown" : name.hasPrefix("workout-") ? String(name.dropFirst(8)) : name
  }

  /// The metric type that a name means; nil when nothing is called so.
  package func identifier(of name: String) -> String? {
    identifiers[name] ?? identifiers[name.lowercased()] ?? identifiers[ShortName.plain(name)]
  }

  /// The short name or alias that a mistyped name was probably meant to be.
  package func nearest(to name: String) -> String? {
    let typed = ShortName.plain(name)
    let known = identifiers.keys.filter { !$0.hasPrefix("hk") && !$0.hasPrefix("HK") }.sorted()
    return NearestWord.of(typed, among: known)
      ?? known.filter { typed.count > 3 && $0.contains(typed) }.min { ($0.count, $0) < ($1.count, $1) }
  }

  /// Identifiers themselves, short names, their own words, and aliases. Where two types have the same words, the
  /// first one has them.
  private static func names(of identifiers: [String]) -> [String: String] {
    var names: [String: String] = [:]
    func add(_ name: String, _ identifier: String) { if names[name] == nil { names[name] = identifier } }
    for identifier in identifiers { add(identifier, identifier) }
    for identifier in identifiers { add(identifier.lowercased(), identifier) }
    for identifier in identifiers { add(ShortName.of(identifier), identifier) }
    for (alias, identifier) in aliases where names[identifier] != nil { add(alias, identifier) }
    for identifier in identifiers {
      let words = ShortName.plain(identifier)
      add(words, identifier)
      for prefix in ["apple-", "workout-"] where words.hasPrefix(prefix) {
        add(String(words.dropFirst(prefix.count)), identifier)
      }
    }
    return names
  }
}
