import HealthModel
import PostgresClient

/// The HealthKit catalogue as rows of `hk2pg.metric_types` and `hk2pg.category_values`.
enum CatalogueRows {
  static var statements: [String] { [metricTypes, categoryValues] }

  private static var metricTypes: String {
    let rows = Catalogue.metricTypes.values.sorted { $0.identifier < $1.identifier }.map { type in
      tuple([
        type.identifier, String(describing: type.kind), type.aggregation?.rawValue, type.canonicalUnit,
        type.categoryEnum,
      ])
    }
    return """
      INSERT INTO hk2pg.metric_types (metric_type, kind, aggregation_style, canonical_unit, category_enum)
      VALUES
      \(rows.joined(separator: ",\n"))
      ON CONFLICT (metric_type) DO UPDATE SET kind = excluded.kind, aggregation_style = excluded.aggregation_style,
        canonical_unit = excluded.canonical_unit, category_enum = excluded.category_enum
      """
  }

  private static var categoryValues: String {
    let rows = Catalogue.categoryValues.compactMap { value in
      value.rawValue.map { "(\(SQLText.literal(value.enumName)), \($0), \(SQLText.literal(value.exportName)))" }
    }
    return """
      INSERT INTO hk2pg.category_values (enum_name, value, name) VALUES
      \(rows.joined(separator: ",\n"))
      ON CONFLICT (enum_name, name) DO UPDATE SET value = excluded.value
      """
  }

  private static func tuple(_ values: [String?]) -> String {
    "(" + values.map { $0.map(SQLText.literal) ?? "NULL" }.joined(separator: ", ") + ")"
  }
}
