/// Conversion of a value from one unit into another of the same dimension.
///
/// `(value + shift) * numerator / denominator - shiftAfter`, with whole numbers wherever the units allow, and steps that
/// change nothing left out: one rounding where the ratio is whole either way (km to m, cm to m, count/s to count/min),
/// none between equal units, so a value whose unit is canonical keeps its bits.
package struct UnitConversion: Equatable, BitwiseCopyable, Sendable {
  private var shift: Double = 0
  private var numerator: Double = 1
  private var denominator: Double = 1
  private var shiftAfter: Double = 0

  package static let identity = UnitConversion()

  package var isIdentity: Bool { self == .identity }

  package func callAsFunction(_ value: Double) -> Double {
    var result = value
    if shift != 0 { result += shift }
    if numerator != 1 { result *= numerator }
    if denominator != 1 { result /= denominator }
    if shiftAfter != 0 { result -= shiftAfter }
    return result
  }
}

extension Catalogue {
  /// The conversion between two units, nil when one is unknown or their dimensions differ. Case matters: 1 Cal is
  /// 1000 cal. A unit, listed or not, converts into itself.
  package static func conversion(from source: String, to target: String) -> UnitConversion? {
    if source == target { return .identity }
    guard let a = unit(source), let b = unit(target), a.dimension == b.dimension else { return nil }
    return UnitConversion(from: a, to: b)
  }

  /// A unit's dimension, nil when the unit is unknown.
  package static func dimension(ofUnit name: String) -> String? { unit(name)?.dimension }

  static func unit(_ name: String) -> Unit? { units[name] ?? Unit(molarConcentration: name) }

  private static let units = Dictionary(
    uniqueKeysWithValues: lines(CatalogueText.units).map { fields in
      (
        String(fields[0]),
        Unit(
          dimension: String(fields[1]), numerator: Double(fields[2]) ?? 1, denominator: Double(fields[3]) ?? 1,
          shift: Double(fields[4]) ?? 0)
      )
    })
}

/// A unit: `(value + shift) * numerator / denominator` is the value in its dimension's reference unit.
struct Unit: Equatable {
  var dimension: String
  var numerator: Double
  var denominator: Double
  var shift: Double
}

extension Unit {
  /// `mmol<180.15588>/L`, `mol<180.15588>/L`: the number is the molar mass in g/mol, a tenth of it the mg/dL of
  /// 1 mmol/L. The digits differ between exports, so they are read, not matched.
  init?(molarConcentration name: String) {
    let isMilli = name.hasPrefix("mmol<")
    guard isMilli || name.hasPrefix("mol<"), name.hasSuffix(">/L"),
      let mass = Double(name.dropFirst(isMilli ? 5 : 4).dropLast(3)), mass.isFinite, mass > 0
    else { return nil }
    self.init(dimension: "mass_concentration", numerator: isMilli ? mass : mass * 100, denominator: 1, shift: 0)
    if isMilli { denominator = 10 }
  }
}

extension UnitConversion {
  fileprivate init(from a: Unit, to b: Unit) {
    shift = a.shift
    shiftAfter = b.shift
    numerator = a.numerator * b.denominator
    denominator = a.denominator * b.numerator
    // Whole numbers are reduced. Where the products are too large to be exact, the larger common part is taken out
    // first; molar masses are no whole numbers and stay as they are.
    if let (p, q) = UnitConversion.reduced(a, b) {
      numerator = p
      denominator = q
    }
    if numerator == denominator { (numerator, denominator) = (1, 1) }
    if shift == shiftAfter, numerator == 1, denominator == 1 { (shift, shiftAfter) = (0, 0) }
  }

  private static func reduced(_ a: Unit, _ b: Unit) -> (Double, Double)? {
    guard let an = Int(exactly: a.numerator), let ad = Int(exactly: a.denominator),
      let bn = Int(exactly: b.numerator), let bd = Int(exactly: b.denominator)
    else { return nil }
    // (an / ad) / (bn / bd) with cross factors cancelled, so that the products stay small.
    let (g, h) = (greatestCommonDivisor(an, bn), greatestCommonDivisor(bd, ad))
    let (p, pOverflows) = (an / g).multipliedReportingOverflow(by: bd / h)
    let (q, qOverflows) = (ad / h).multipliedReportingOverflow(by: bn / g)
    guard !pOverflows, !qOverflows else { return nil }
    let common = greatestCommonDivisor(p, q)
    return (Double(p / common), Double(q / common))
  }

  private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : greatestCommonDivisor(b, a % b) }
}
