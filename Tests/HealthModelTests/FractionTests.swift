import CatalogueGenerator
import Testing

@Suite struct FractionTests {
  @Test(arguments: [
    ("1", 1, 1), ("1000", 1000, 1), ("0.01", 1, 100), ("0.0254", 127, 5000), ("1609.344", 201_168, 125),
    ("0.2777777777777778", 5, 18), ("0.016666666666666666", 1, 60), ("1.1574074074074073e-05", 1, 86_400),
    ("0.5555555555555556", 5, 9), ("0.2390057361376673", 125, 523), ("0.000000000001", 1, 1_000_000_000_000),
  ])
  func readsFactors(text: String, numerator: Int, denominator: Int) throws {
    let fraction = try #require(Fraction(factorText: text))
    #expect(fraction.numerator == numerator && fraction.denominator == denominator)
  }

  @Test(arguments: ["", "x", "0", "-1", "nan", "inf"])
  func refuses(text: String) { #expect(Fraction(factorText: text) == nil) }
}
