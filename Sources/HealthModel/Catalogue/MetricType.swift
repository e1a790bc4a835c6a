/// What kind of thing a metric type measures: which element of an export holds it, and how its days are summed.
package enum MetricKind: UInt8, CaseIterable, BitwiseCopyable, Sendable {
  case quantity, category, workout, workoutRoute, activitySummary, correlation, electrocardiogram, audiogram
  case visionPrescription, clinicalRecord
  /// Listed in the catalogue as something else, or not listed at all.
  case other
}

/// `HKQuantityAggregationStyle`: whether samples add up or are averaged, and how (DESIGN §4).
package enum AggregationStyle: String, CaseIterable, BitwiseCopyable, Sendable {
  case cumulative, discreteArithmetic, discreteTemporallyWeighted, discreteEquivalentContinuousLevel
}

/// One entry of the HealthKit catalogue.
package struct MetricType: Equatable, Sendable {
  package let identifier: String
  package let kind: MetricKind
  /// Of quantities.
  package let aggregation: AggregationStyle?
  /// The unit rows of this type have: a quantity's metric unit, `category`, a workout's `seconds`, a route's `count`,
  /// an ActivitySummary's `kcal`; nil where rows have no value.
  package let canonicalUnit: String?
  /// Of quantities: units of one dimension convert into each other.
  package let dimension: String?
  /// Of categories: the enum its value names belong to.
  package let categoryEnum: String?

  init(
    _ identifier: String, _ kind: MetricKind, aggregation: AggregationStyle? = nil, canonicalUnit: String? = nil,
    dimension: String? = nil, categoryEnum: String? = nil
  ) {
    self.identifier = identifier
    self.kind = kind
    self.aggregation = aggregation
    self.canonicalUnit = canonicalUnit
    self.dimension = dimension
    self.categoryEnum = categoryEnum
  }
}

/// A name that a category sample's `value` can have.
package struct CategoryValue: Equatable, Sendable {
  package let exportName: String
  package let enumName: String
  /// nil: Apple has not published the number.
  package let rawValue: Int?
}

/// What a metadata value is, by its key. Numbers, booleans and enums are exported as numbers.
package enum MetadataValueKind: String, CaseIterable, BitwiseCopyable, Sendable {
  case quantity, number, string, bool, date, `enum`

  package var isNumeric: Bool { self == .number || self == .bool || self == .enum }
}
