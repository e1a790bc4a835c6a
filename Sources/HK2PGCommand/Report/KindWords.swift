import HealthModel

extension MetricKind {
  /// As counted in a report: `58 quantity, 14 category`.
  var words: String {
    switch self {
    case .quantity: "quantity"
    case .category: "category"
    case .workout: "workout"
    case .workoutRoute: "workout route"
    case .activitySummary: "activity summary"
    case .correlation: "correlation"
    case .electrocardiogram: "electrocardiogram"
    case .audiogram: "audiogram"
    case .visionPrescription: "vision prescription"
    case .clinicalRecord: "clinical record"
    case .other: "other"
    }
  }
}
