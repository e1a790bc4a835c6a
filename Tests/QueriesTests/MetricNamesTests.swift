import HealthModel
import Testing

@testable import Queries

@Suite struct MetricNamesTests {
  @Test(arguments: [
    ("HKQuantityTypeIdentifierStepCount", "steps"), ("HKQuantityTypeIdentifierRestingHeartRate", "resting-heart-rate"),
    ("HKQuantityTypeIdentifierHeartRateVariabilitySDNN", "hrv"), ("HKQuantityTypeIdentifierVO2Max", "vo2-max"),
    ("HKQuantityTypeIdentifierUVExposure", "uv-exposure"),
    ("HKQuantityTypeIdentifierDietaryVitaminB12", "dietary-vitamin-b12"),
    ("HKCategoryTypeIdentifierSleepAnalysis", "sleep"), ("HKWorkoutTypeIdentifier", "workouts"),
    ("HKWorkoutActivityTypeRunning", "workout-running"), ("HKCategoryValueSleepAnalysisAsleepREM", "asleep-rem"),
    ("HKWorkoutRouteTypeIdentifier", "workout-route"), ("HKDataTypeIdentifierElectrocardiogram", "electrocardiogram"),
    ("SomeThing", "some-thing"),
  ])
  func shortName(_ identifier: String, _ expected: String) {
    #expect(MetricNames.shortName(of: identifier) == expected)
  }

  @Test(arguments: [
    "steps", "Steps", "step-count", "step_count", "StepCount", "step count", "HKQuantityTypeIdentifierStepCount",
    "hkquantitytypeidentifierstepcount",
  ])
  func stepsHaveManyNames(_ name: String) {
    #expect(MetricNames().identifier(of: name) == "HKQuantityTypeIdentifierStepCount")
  }

  @Test(arguments: [
    ("weight", "HKQuantityTypeIdentifierBodyMass"), ("exercise-time", "HKQuantityTypeIdentifierAppleExerciseTime"),
    ("deep-sleep", "HKCategoryValueSleepAnalysisAsleepDeep"), ("running", "HKWorkoutActivityTypeRunning"),
    ("stand-hours", "HKCategoryTypeIdentifierAppleStandHour"), ("spo2", "HKQuantityTypeIdentifierOxygenSaturation"),
  ])
  func aliases(_ name: String, _ expected: String) {
    #expect(MetricNames().identifier(of: name) == expected)
  }

  /// Nothing in the catalogue is out of reach, and no two types are shown under one name.
  @Test func everyShortNameLeadsBack() {
    let names = MetricNames()
    for identifier in Catalogue.metricTypes.keys.sorted() + Catalogue.workoutActivities.keys.sorted() {
      let name = MetricNames.shortName(of: identifier)
      #expect(names.identifier(of: name) == identifier, "\(name)")
      #expect(
        name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }, "\(name)")
    }
    for (alias, identifier) in MetricNames.aliases { #expect(names.identifier(of: alias) == identifier, "\(alias)") }
  }

  @Test(arguments: [
    ("stesp", "steps"), ("heart-rat", "heart-rate"), ("resting-hart-rate", "resting-heart-rate"),
    ("variability", "heart-rate-variability-sdnn"), ("qqqqqq", nil),
  ])
  func typos(_ typed: String, _ expected: String?) {
    #expect(MetricNames().identifier(of: typed) == nil)
    #expect(MetricNames().nearest(to: typed) == expected)
  }
}
