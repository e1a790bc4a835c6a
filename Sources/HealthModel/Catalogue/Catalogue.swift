/// The HealthKit catalogue: metric types, category values, workout activities, metadata keys, units.
///
/// Anything that is not listed still loads; look-ups then give nil. Tables are parsed on first use. Look-ups take
/// strings and are meant for once per type, unit or name, not once per record.
package enum Catalogue {
  /// The catalogue's entry for a type identifier, nil when it is not listed.
  package static func metricType(_ identifier: String) -> MetricType? { metricTypes[identifier] }

  /// The kind of a type identifier, also of one that is not listed: then its prefix tells.
  package static func kind(ofType identifier: String) -> MetricKind {
    if let type = metricTypes[identifier] { return type.kind }
    return kindsByPrefix.first { identifier.hasPrefix($0.prefix) }?.kind ?? .other
  }

  /// The unit rows of a type have when their value is known in it; also of unlisted categories and the like.
  package static func canonicalUnit(ofType identifier: String) -> String? {
    if let type = metricTypes[identifier] { return type.canonicalUnit }
    return kind(ofType: identifier) == .category ? "category" : nil
  }

  /// A category value by its exported name alone: old names of an enum resolve whatever the type
  /// (export-format §10.2).
  package static func categoryValue(exportName: String) -> CategoryValue? { categoryValuesByName[exportName] }

  /// Every category value, in the catalogue's order.
  package static let categoryValues = lines(CatalogueText.categoryValues).map { fields in
    CategoryValue(
      exportName: "HKCategoryValue" + fields[0], enumName: "HKCategoryValue" + fields[2], rawValue: Int(fields[1]))
  }

  /// Every metric type, by identifier.
  package static let metricTypes: [String: MetricType] = {
    let all = quantityTypes + categoryTypes + otherTypes
    return Dictionary(all.map { ($0.identifier, $0) }) { first, _ in first }
  }()

  /// Raw value of `HKWorkoutActivityType`, by exported name.
  package static let workoutActivities = Dictionary(
    uniqueKeysWithValues: lines(CatalogueText.workoutActivityTypes).map {
      ("HKWorkoutActivityType" + $0[0], Int($0[1]) ?? 0)
    })

  /// What the values of Apple's metadata keys are, by the key in the file.
  package static let metadataKeys = Dictionary(
    uniqueKeysWithValues: lines(CatalogueText.metadataKeys).map {
      (String($0[0]), MetadataValueKind(rawValue: String($0[1])) ?? .string)
    })

  /// What the value of a metadata key is; nil for keys that Apple does not define.
  package static func metadataValueKind(_ key: String) -> MetadataValueKind? { metadataKeys[key] }

  private static let categoryValuesByName = Dictionary(
    uniqueKeysWithValues: categoryValues.map { ($0.exportName, $0) })

  private static let quantityTypes = lines(CatalogueText.quantityTypes).map { fields in
    MetricType(
      "HKQuantityTypeIdentifier" + fields[0], .quantity, aggregation: AggregationStyle(rawValue: String(fields[1])),
      canonicalUnit: String(fields[2]), dimension: String(fields[3]))
  }

  private static let categoryTypes = lines(CatalogueText.categoryTypes).map { fields in
    MetricType(
      "HKCategoryTypeIdentifier" + fields[0], .category, canonicalUnit: "category",
      categoryEnum: "HKCategoryValue" + fields[1])
  }

  private static let otherTypes = lines(CatalogueText.otherTypes).map { fields in
    let kind = otherKinds[String(fields[1])] ?? .other
    return MetricType(String(fields[0]), kind, canonicalUnit: otherUnits[kind])
  }

  private static let otherKinds: [String: MetricKind] = [
    "correlation": .correlation, "workout": .workout, "workoutRoute": .workoutRoute,
    "activitySummary": .activitySummary, "audiogram": .audiogram, "electrocardiogram": .electrocardiogram,
    "visionPrescription": .visionPrescription, "clinicalRecord": .clinicalRecord,
  ]

  private static let otherUnits: [MetricKind: String] = [
    .workout: "seconds", .workoutRoute: "count", .activitySummary: "kcal",
  ]

  private static let kindsByPrefix: [(prefix: String, kind: MetricKind)] = [
    ("HKQuantityTypeIdentifier", .quantity), ("HKCategoryTypeIdentifier", .category),
    ("HKCorrelationTypeIdentifier", .correlation), ("HKClinicalTypeIdentifier", .clinicalRecord),
  ]

  static func lines(_ text: String) -> [[Substring]] {
    text.split(separator: "\n").map { $0.split(separator: "|", omittingEmptySubsequences: false) }
  }
}
