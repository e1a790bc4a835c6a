import HealthModel

/// The short name of a metric type, for people to type: `HKQuantityTypeIdentifierRestingHeartRate` is
/// `resting-heart-rate`, `HKWorkoutActivityTypeRunning` is `workout-running`.
enum ShortName {
  /// Names people use where the identifier's own words say something else, or more.
  static let preferred = [
    "HKQuantityTypeIdentifierStepCount": "steps",
    "HKQuantityTypeIdentifierHeartRateVariabilitySDNN": "hrv",
    "HKQuantityTypeIdentifierBodyMass": "weight",
    "HKCategoryTypeIdentifierSleepAnalysis": "sleep",
    "HKWorkoutTypeIdentifier": "workouts",
  ]

  /// What identifiers begin with, longest first among those with a common beginning.
  private static let prefixes = [
    ("HKQuantityTypeIdentifier", ""), ("HKCategoryTypeIdentifier", ""), ("HKCorrelationTypeIdentifier", ""),
    ("HKClinicalTypeIdentifier", ""), ("HKDataTypeIdentifier", ""), ("HKDataType", ""),
    ("HKCharacteristicTypeIdentifier", ""), ("HKScoredAssessmentTypeIdentifier", ""),
    ("HKMedicationDoseEventTypeIdentifier", ""), ("HKDocumentTypeIdentifier", ""),
    ("HKCategoryValueSleepAnalysis", ""), ("HKWorkoutActivityType", "workout-"),
  ]

  static func of(_ identifier: String) -> String { preferred[identifier] ?? plain(identifier) }

  /// The identifier's own words; also of a name without its prefix, such as `StepCount`.
  static func plain(_ identifier: String) -> String {
    for (prefix, replacement) in prefixes where identifier.hasPrefix(prefix) && identifier != prefix {
      return replacement + kebab(identifier.dropFirst(prefix.count))
    }
    if identifier.hasPrefix("HK"), identifier.hasSuffix("TypeIdentifier"), identifier.count > 16 {
      return kebab(identifier.dropFirst(2).dropLast(14))
    }
    return kebab(identifier[...])
  }

  /// `RestingHeartRate` → `resting-heart-rate`, `VO2Max` → `vo2-max`, `UVExposure` → `uv-exposure`. Blanks and
  /// underscores become dashes.
  private static func kebab(_ text: Substring) -> String {
    let letters = Array(text)
    var result = ""
    for (index, letter) in letters.enumerated() {
      if " _-.".contains(letter) {
        if !result.isEmpty, !result.hasSuffix("-") { result.append("-") }
        continue
      }
      if letter.isUppercase, index > 0, letters[index - 1].isLetter || letters[index - 1].isNumber {
        let endsWord = !letters[index - 1].isUppercase
        let beginsWord = index + 1 < letters.count && letters[index + 1].isLowercase
        if endsWord || beginsWord { result.append("-") }
      }
      result += letter.lowercased()
    }
    return result
  }
}
