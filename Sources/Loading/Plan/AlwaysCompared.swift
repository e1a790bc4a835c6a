import HealthModel

/// Types whose row may change while id and value stay: the content is in the metadata, or the row moves with the zone.
enum AlwaysCompared {
  static func contains(_ metricType: String) -> Bool {
    switch Catalogue.kind(ofType: metricType) {
    case .workout, .workoutRoute, .activitySummary, .correlation, .electrocardiogram, .audiogram, .visionPrescription,
      .clinicalRecord:
      true
    case .quantity, .category: false
    // Of an unknown kind nothing is known, not even that its value tells.
    case .other: true
    }
  }
}
