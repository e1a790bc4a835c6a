import CatalogueGenerator
import Foundation
import HealthModel
import TestSupport
import Testing

@Suite struct UnitConversionTests {
  /// Values computed by hand; every one is the double nearest to the true result.
  @Test(arguments: [
    (5.21, "km", "m", 5210.0), (180, "cm", "m", 1.8), (1, "mi", "m", 1609.344), (6, "ft", "m", 1.8288),
    (8.1, "cm", "cm", 8.1), (0.35, "ft", "cm", 10.668), (150, "lb", "kg", 68.0388555), (11, "st", "kg", 69.85322498),
    (500, "mcg", "mg", 0.5), (2, "g", "mg", 2000), (1, "oz", "g", 28.349523125), (418.4, "kJ", "kcal", 100),
    (250, "Cal", "kcal", 250), (250_000, "cal", "kcal", 250), (98.6, "degF", "degC", 37), (32, "degF", "degC", 0),
    (310.15, "K", "degC", 37), (36, "km/hr", "m/s", 10), (10, "mi/hr", "m/s", 4.4704),
    (1.2, "count/s", "count/min", 72),
    (72, "bpm", "count/min", 72), (90, "rpm", "count/min", 90), (0.5, "hr", "min", 30), (90, "s", "min", 1.5),
    (250, "mL", "L", 0.25), (12, "fl_oz_us", "L", 0.35488235475), (16, "kPa", "mmHg", 120.00986),
    (0.98, "%", "%", 0.98), (1, "kJ/hr·kg", "kcal/hr·kg", 0.2390057361376673), (3.5, "L/min·kg", "mL/min·kg", 3500),
    (5, "mmol<180.1558800000541>/L", "mg/dL", 90.07794000002705),
    (5, "mmol<180.15588000005408>/L", "mg/dL", 90.07794000002704),
    (5, "mmol/L", "mg/dL", 90.07794000002706), (0.005, "mol<180.1558800000541>/L", "mg/dL", 90.07794000002705),
    (0.9, "g/L", "mg/dL", 90),
  ])
  func converts(value: Double, source: String, target: String, expected: Double) throws {
    let convert = try #require(Catalogue.conversion(from: source, to: target))
    let tolerance = source == "kPa" ? 1e-5 : expected.ulp * 2
    let converted = convert(value)
    #expect(abs(converted - expected) <= tolerance)
  }

  @Test(arguments: [
    ("kg", "m"), ("Cal", "cl"), ("KM", "m"), ("mmol<>/L", "mg/dL"), ("mmol<x>/L", "mg/dL"), ("mmol<-1>/L", "mg/dL"),
    ("mmol<inf>/L", "mg/dL"), ("", "m"), ("dBASPL", "dBHL"), ("count", "%"), ("cal", "Kcal"),
    ("kcal/hr-kg", "kcal/hr·kg"),
  ])
  func refuses(source: String, target: String) {
    #expect(Catalogue.conversion(from: source, to: target) == nil)
  }

  @Test func caseMatters() throws {
    let convert = try #require(Catalogue.conversion(from: "Cal", to: "cal"))
    #expect(convert(1) == 1000)
  }

  /// Equal units, listed or not, and aliases of equal factor keep every bit.
  @Test(arguments: [
    ("count/min", "count/min"), ("Foo", "Foo"), ("Cal", "kcal"), ("l", "L"), ("ug", "mcg"), ("km/h", "km/hr"),
    ("kcal/kg*hr", "kcal/hr·kg"), ("degC", "degC"),
  ])
  func keepsBits(source: String, target: String) throws {
    let convert = try #require(Catalogue.conversion(from: source, to: target))
    #expect(convert.isIdentity)
    for value in [0.1, 1 / 3, 2.5e-308, 1.7e308, -0.0] as [Double] {
      let converted = convert(value)
      #expect(converted.bitPattern == value.bitPattern)
    }
  }

  /// A whole ratio either way is one correctly rounded operation.
  @Test(arguments: [
    ("km", "m", 1000.0, true), ("cm", "m", 100, false), ("mg", "g", 1000, false),
    ("count/s", "count/min", 60, true), ("s", "ms", 1000, true), ("s", "min", 60, false),
  ])
  func wholeRatiosRoundOnce(source: String, target: String, ratio: Double, multiplies: Bool) throws {
    let convert = try #require(Catalogue.conversion(from: source, to: target))
    var random = SplitMix(seed: 20_240_501)
    for _ in 0..<1000 {
      let value = Double.random(in: 0..<1000, using: &random)
      let converted = convert(value)
      #expect(converted == (multiplies ? value * ratio : value / ratio))
    }
  }

  /// The fractions in the source are the factors of the table, to the last bit.
  @Test func everyUnitAgreesWithTheTable() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    let text = try String(contentsOfFile: "\(root)/\(CatalogueGenerator.tableFolder)/units.tsv", encoding: .utf8)
    let rows = try TSVTable(name: "units", text: text).rows(["unit", "factor", "offset", "canonical_unit"])
    for row in rows {
      let convert = try #require(Catalogue.conversion(from: row[0], to: row[3]), "\(row[0])")
      let (factor, offset) = (try #require(Double(row[1])), try #require(Double(row[2])))
      for value in [1, 7, 98.6] as [Double] {
        let expected = value * factor + offset
        let converted = convert(value)
        #expect(abs(converted - expected) <= max(abs(expected), abs(offset)) * 4e-16, "\(value) \(row[0])")
      }
      let back = try #require(Catalogue.conversion(from: row[3], to: row[0]))
      let returned = back(convert(7))
      #expect(abs(returned - 7) < 1e-12, "\(row[0]) and back")
    }
  }
}
