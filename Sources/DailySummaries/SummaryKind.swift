import HealthModel

/// How the days of a metric type are summed: the rows of the table in DESIGN §4, and its special cases.
package enum SummaryKind: Equatable, Sendable {
  case cumulative, discrete, level, category, standHours, workout, sleep
  /// Correlations, routes, ActivitySummaries, ECGs, settings like the sleep goal: no summary.
  case none

  package static let sleepType = "HKCategoryTypeIdentifierSleepAnalysis"
  package static let standHourType = "HKCategoryTypeIdentifierAppleStandHour"
  package static let workoutType = "HKWorkoutTypeIdentifier"

  /// Types whose samples also give summaries of other names, and how those begin.
  package static let families = [
    (type: sleepType, prefix: "HKCategoryValueSleepAnalysis"), (type: workoutType, prefix: "HKWorkoutActivityType"),
  ]

  /// Sums depend on which source counts where several have data.
  package var dependsOnRanks: Bool { [.cumulative, .workout, .sleep].contains(self) }

  package init(metricType: String) {
    guard let listed = Catalogue.metricType(metricType) else {
      switch Catalogue.kind(ofType: metricType) {
      case .category: self = .category
      case .quantity, .other: self = .discrete
      default: self = .none
      }
      return
    }
    switch (listed.kind, listed.aggregation) {
    case (.quantity, .cumulative): self = .cumulative
    case (.quantity, .discreteEquivalentContinuousLevel): self = .level
    case (.quantity, _): self = .discrete
    case (.category, _) where metricType == Self.sleepType: self = .sleep
    case (.category, _) where metricType == Self.standHourType: self = .standHours
    case (.category, _): self = .category
    case (.workout, _): self = .workout
    default: self = .none
    }
  }
}
