import HealthModel

/// Conversions of what stands beside a sample's value: durations into seconds, distances into metres, energy into
/// kilocalories. Looked up once per unit.
struct ConversionBook {
  private struct Key: Hashable {
    var unit: Symbol
    var target: String
  }

  private var known: [Key: UnitConversion?] = [:]
  private let table: SymbolTable

  init(_ table: SymbolTable) { self.table = table }

  /// nil: the unit is unknown, or of another dimension.
  mutating func conversion(from unit: Symbol, to target: String) -> UnitConversion? {
    let key = Key(unit: unit, target: target)
    if let conversion = known[key] { return conversion }
    let conversion = Catalogue.conversion(from: table.text(of: unit), to: target)
    known.updateValue(conversion, forKey: key)
    return conversion
  }
}
