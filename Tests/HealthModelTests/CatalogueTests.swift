import CatalogueGenerator
import Foundation
import HealthModel
import Testing

/// The package's folder, from this file's place in it.
private let packageRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().path

private func rows(_ table: String, _ columns: String...) throws -> [[String]] {
  let path = "\(packageRoot)/\(CatalogueGenerator.tableFolder)/\(table).tsv"
  return try TSVTable(name: table, text: String(contentsOfFile: path, encoding: .utf8)).rows(columns)
}

@Suite struct CatalogueTests {
  @Test func generatedSourceIsWhatTheTablesGive() throws {
    let checkedIn = try String(contentsOfFile: packageRoot + "/" + CatalogueGenerator.outputFile, encoding: .utf8)
    #expect(try CatalogueGenerator.source(tables: packageRoot + "/" + CatalogueGenerator.tableFolder) == checkedIn)
  }

  @Test(arguments: [
    ("quantity_types", "identifier", 121), ("category_types", "identifier", 72), ("category_values", "export_name", 65),
    ("workout_activity_types", "export_name", 84), ("metadata_keys", "export_key", 73), ("units", "unit", 120),
    ("other_types", "identifier", 32), ("other_enums", "export_name", 123),
    ("quantity_export_units", "identifier", 121),
  ])
  func keysAreUniqueAndFieldsFitTheLine(table: String, key: String, count: Int) throws {
    let keys = try rows(table, key).map { $0[0] }
    #expect(keys.count == count)
    #expect(Set(keys).count == count)
    #expect(!keys.contains("") && !keys.contains { $0.contains("|") })
  }

  @Test func tablesAgreeWithEachOther() throws {
    let enums = Set(try rows("category_values", "value_enum").map { $0[0] })
    for row in try rows("category_types", "identifier", "value_enum") { #expect(enums.contains(row[1]), "\(row[0])") }
    let units = Dictionary(
      uniqueKeysWithValues: try rows("units", "unit", "dimension").map { ($0[0], $0[1]) })
    for row in try rows("quantity_types", "identifier", "canonical_unit", "dimension") {
      #expect(units[row[1]] == row[2], "\(row[0])")
    }
    var canonical: [String: String] = [:]
    for row in try rows("units", "unit", "dimension", "factor", "offset", "canonical_unit") {
      #expect(canonical[row[1], default: row[4]] == row[4], "one canonical unit in \(row[1])")
      canonical[row[1]] = row[4]
      if row[0] == row[4] { #expect(row[2] == "1" && row[3] == "0") }
    }
    for (dimension, unit) in canonical { #expect(units[unit] == dimension) }
    #expect(
      Set(try rows("quantity_types", "identifier")) == Set(try rows("quantity_export_units", "identifier")))
  }

  @Test func everyTableEntryIsFound() throws {
    for row in try rows("quantity_types", "identifier", "aggregation_style", "canonical_unit", "dimension") {
      let type = try #require(Catalogue.metricType(row[0]))
      #expect(type.kind == .quantity && type.identifier == row[0] && type.aggregation?.rawValue == row[1])
      #expect(type.canonicalUnit == row[2] && type.dimension == row[3] && type.categoryEnum == nil)
    }
    for row in try rows("category_types", "identifier", "value_enum") {
      let type = try #require(Catalogue.metricType(row[0]))
      #expect(type.kind == .category && type.categoryEnum == row[1] && type.canonicalUnit == "category")
    }
    for row in try rows("category_values", "export_name", "raw_value", "value_enum") {
      let value = try #require(Catalogue.categoryValue(exportName: row[0]))
      #expect(value.rawValue == Int(row[1]) && value.enumName == row[2])
    }
    for row in try rows("workout_activity_types", "export_name", "raw_value") {
      #expect(Catalogue.workoutActivities[row[0]] == Int(row[1]))
    }
    for row in try rows("metadata_keys", "export_key", "value_kind") {
      let kind = row[1].hasPrefix("enum(") ? "enum" : row[1]
      #expect(Catalogue.metadataValueKind(row[0])?.rawValue == kind)
    }
    for row in try rows("units", "unit", "dimension") { #expect(Catalogue.dimension(ofUnit: row[0]) == row[1]) }
  }

  @Test(
    arguments: [
      ("HKWorkoutTypeIdentifier", MetricKind.workout, "seconds"),
      ("HKWorkoutRouteTypeIdentifier", .workoutRoute, "count"),
      ("HKActivitySummaryTypeIdentifier", .activitySummary, "kcal"),
      ("HKCorrelationTypeIdentifierFood", .correlation, nil), ("HKDataTypeIdentifierAudiogram", .audiogram, nil),
      ("HKDataTypeIdentifierElectrocardiogram", .electrocardiogram, nil),
      ("HKVisionPrescriptionTypeIdentifier", .visionPrescription, nil),
      ("HKClinicalTypeIdentifierAllergyRecord", .clinicalRecord, nil), ("HKDataTypeSleepDurationGoal", .other, nil),
    ] as [(String, MetricKind, String?)])
  func otherKinds(identifier: String, kind: MetricKind, unit: String?) {
    #expect(Catalogue.metricType(identifier)?.kind == kind)
    #expect(Catalogue.canonicalUnit(ofType: identifier) == unit)
  }

  @Test func unlistedTypesGoByTheirPrefix() {
    #expect(Catalogue.metricType("HKQuantityTypeIdentifierNew") == nil)
    #expect(Catalogue.kind(ofType: "HKQuantityTypeIdentifierNew") == .quantity)
    #expect(Catalogue.canonicalUnit(ofType: "HKQuantityTypeIdentifierNew") == nil)
    #expect(Catalogue.kind(ofType: "HKCategoryTypeIdentifierNew") == .category)
    #expect(Catalogue.canonicalUnit(ofType: "HKCategoryTypeIdentifierNew") == "category")
    #expect(Catalogue.kind(ofType: "HKClinicalTypeIdentifierPatient") == .clinicalRecord)
    #expect(Catalogue.kind(ofType: "HKDataTypeStateOfMindNew") == .other)
  }
}
