package import DailySummaries
import HealthModel

/// One thing that can be asked for day by day, and which of a day's figures answers.
package struct Metric: Hashable, Sendable {
  /// The figure of a day that says what people want to know.
  package enum Measure: String, Sendable {
    /// What samples add up to: steps, energy, minutes of sleep.
    case total
    /// The mean of the samples: heart rate, weight.
    case average
    /// A sound level: means are those of the energy, not of the decibels.
    case level
  }

  /// As `metric_type` in the daily summaries.
  package let identifier: String
  /// `metric_type` of the raw rows it comes from: stages come from sleep rows, activities from workouts.
  package let rawType: String

  package init(_ identifier: String) {
    self.identifier = identifier
    rawType = SummaryKind.families.first { identifier.hasPrefix($0.prefix) }?.type ?? identifier
  }

  package static let sleep = Metric(SummaryKind.sleepType)
  package static let workouts = Metric(SummaryKind.workoutType)
  package static let standHours = Metric(SummaryKind.standHourType)
  package static let steps = Metric("HKQuantityTypeIdentifierStepCount")
  package static let activeEnergy = Metric("HKQuantityTypeIdentifierActiveEnergyBurned")
  package static let exercise = Metric("HKQuantityTypeIdentifierAppleExerciseTime")
  package static let heartRate = Metric("HKQuantityTypeIdentifierHeartRate")
  package static let restingHeartRate = Metric("HKQuantityTypeIdentifierRestingHeartRate")
  package static let heartRateVariability = Metric("HKQuantityTypeIdentifierHeartRateVariabilitySDNN")
  package static let weight = Metric("HKQuantityTypeIdentifierBodyMass")

  package var shortName: String { MetricNames.shortName(of: identifier) }
  package var kind: SummaryKind { SummaryKind(metricType: rawType) }

  package var measure: Measure {
    switch kind {
    case .cumulative, .category, .standHours, .workout, .sleep: .total
    case .discrete, .none: .average
    case .level: .level
    }
  }

  /// Unit of the daily figures, where the catalogue knows it: minutes of everything that is a stretch of time.
  package var unit: String? {
    switch kind {
    case .cumulative, .discrete, .level: Catalogue.canonicalUnit(ofType: identifier)
    case .category, .workout, .sleep: "min"
    case .standHours: "count"
    case .none: Catalogue.canonicalUnit(ofType: identifier)
    }
  }

  /// The summaries that come from the same rows: of sleep its stages, of workouts their activities.
  package var familyPrefix: String? { SummaryKind.families.first { $0.type == rawType }?.prefix }
}
