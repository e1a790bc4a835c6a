import Foundation

/// Writes the HealthKit catalogue (`Sources/HealthModel/Catalogue/tsv/*.tsv`) as Swift source.
///
/// The tables become plain text in multi-line literals, one line per entry and fields parted by `|`: that compiles in
/// no time, needs no resource bundle, and is parsed once, on first use, by `Catalogue`. Common prefixes are dropped.
package enum CatalogueGenerator {
  package static let tableFolder = "Sources/HealthModel/Catalogue/tsv"
  package static let outputFile = "Sources/HealthModel/Catalogue/CatalogueText.Generated.swift"

  /// Rewrites the generated file of the package at `root`.
  package static func generate(packageRoot root: String) throws {
    let text = try source(tables: root + "/" + tableFolder)
    try text.write(toFile: root + "/" + outputFile, atomically: true, encoding: .utf8)
  }

  /// The generated file's text, from the `.tsv` files in the folder `tables`.
  package static func source(tables folder: String) throws -> String {
    func table(_ name: String) throws -> TSVTable {
      try TSVTable(name: name, text: String(contentsOfFile: "\(folder)/\(name).tsv", encoding: .utf8))
    }
    let literals = [
      literal(
        "quantityTypes", "identifier without its prefix|aggregation style|canonical unit|dimension",
        try table("quantity_types").rows(["identifier", "aggregation_style", "canonical_unit", "dimension"]).map {
          [$0[0].withoutPrefix("HKQuantityTypeIdentifier"), $0[1], $0[2], $0[3]]
        }),
      literal(
        "categoryTypes", "identifier without its prefix|enum without its prefix",
        try table("category_types").rows(["identifier", "value_enum"]).map {
          [$0[0].withoutPrefix("HKCategoryTypeIdentifier"), $0[1].withoutPrefix("HKCategoryValue")]
        }),
      literal(
        "categoryValues", "exported name without its prefix|raw value|enum without its prefix",
        try table("category_values").rows(["export_name", "raw_value", "value_enum"]).map {
          [$0[0].withoutPrefix("HKCategoryValue"), $0[1], $0[2].withoutPrefix("HKCategoryValue")]
        }),
      literal("otherTypes", "identifier|kind", try table("other_types").rows(["identifier", "kind"])),
      literal(
        "workoutActivityTypes", "exported name without its prefix|raw value",
        try table("workout_activity_types").rows(["export_name", "raw_value"]).map {
          [$0[0].withoutPrefix("HKWorkoutActivityType"), $0[1]]
        }),
      literal(
        "metadataKeys", "exported key|kind of value",
        try table("metadata_keys").rows(["export_key", "value_kind"]).map {
          [$0[0], $0[1].hasPrefix("enum(") ? "enum" : $0[1]]
        }),
      literal(
        "units", "unit|dimension|numerator|denominator|shift: reference = (value + shift) * numerator / denominator",
        try table("units").rows(["unit", "dimension", "factor", "offset"]).compactMap(unitLine)),
    ]
    return """
      // Generated from \(tableFolder) by `swift run generate-catalogue`. Change the tables, not this file.

      /// The catalogue's tables as text, parsed once by `Catalogue`.
      enum CatalogueText {
      \(literals.joined(separator: "\n\n"))
      }

      """
  }

  private static func literal(_ name: String, _ columns: String, _ lines: [[String]]) -> String {
    let body = lines.map { "    " + $0.joined(separator: "|") }.joined(separator: "\n")
    return "  /// \(columns)\n  static let \(name) = \"\"\"\n\(body)\n    \"\"\""
  }

  /// `mmol<N>/L` and its like are left out: `Catalogue` reads the molar mass from the unit itself.
  private static func unitLine(_ row: [String]) throws -> [String]? {
    if row[0].contains("<") { return nil }
    guard let factor = Fraction(factorText: row[2]), let offset = Double(row[3]), let value = Double(row[2]) else {
      throw CatalogueError.unreadableFactor(unit: row[0])
    }
    return [row[0], row[1], String(factor.numerator), String(factor.denominator), shift(offset / value)]
  }

  /// The offset before scaling, in the unit itself: -32 of degF, -273.15 of K. The table's factor and offset are
  /// rounded, the shift is a short decimal.
  private static func shift(_ value: Double) -> String {
    let rounded = (value * 10_000).rounded() / 10_000
    return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
  }
}

package enum CatalogueError: Error, Equatable {
  case missingColumn(table: String, column: String)
  case unreadableFactor(unit: String)
}

extension String {
  fileprivate func withoutPrefix(_ prefix: String) -> String {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
  }
}
