import HealthModel
import TestSupport
import Testing

@Suite struct DecimalParserTests {
  private func parse(_ text: String) -> Double? {
    let bytes = Array(text.utf8)
    return DecimalParser.parse(0..<bytes.count, of: bytes.span)
  }

  @Test(arguments: [
    "0", "-0", "5", "+5", "72", "0.98", "71488.3", "100000", "-1.25", ".5", "5.", "1e5", "1E+5", "1.5e-7", "0.000123",
    "123456789012345", "1234567890123456", "12345678901234567890", "9007199254740993", "9007199254740992.5",
    "0.1000000000000000055511151231257827021181583404541015625", "72.54702780048052", "1e22", "1e23", "8.5e22",
    "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.2250738585072011e-308",
    "2.2250738585072014e-308", "1.7976931348623157e308", "1e-400", "0e999999999", "0.0000000000000000000000000000001",
    "17976931348623157000000000000000000000000000000000000", "3.14159265358979323846264338327950288419716939937510",
    "1.00000000000000011102230246251565404236316680908203125", "6631236846766476e-316", "000001.5", "1.50000000",
  ])
  func roundsCorrectly(text: String) throws {
    let expected = try #require(Double(text))
    let value = try #require(parse(text))
    #expect(value.bitPattern == expected.bitPattern)
  }

  @Test(arguments: [
    "", "-", "+", ".", "-.", "e5", "1e", "1e+", "1e5.5", "1.2.3", "1,5", " 1", "1 ", "nan", "NaN", "inf", "-inf",
    "Infinity", "0x10", "0x1p3", "1e400", "-1e400", "1_000", "１", "--1", "1-", "true", "1f", "\0", "1\0",
    "999999999999999999999e400",
  ])
  func refuses(text: String) { #expect(parse(text) == nil) }

  /// Any double, printed shortest, with six digits as exports do, or with more digits than it has, reads back rounded as
  /// the standard library rounds it.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func readsRandomDoubles(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      let short = try #require(parse(value.description), "\(value)")
      #expect(short.bitPattern == value.bitPattern)
      let digits = Int.random(in: 1...25, using: &random)
      var text = String((0..<digits).map { _ in Character(String(Int.random(in: 0...9, using: &random))) })
      let point = Int.random(in: 0...digits, using: &random)
      text.insert(".", at: text.index(text.startIndex, offsetBy: point))
      if Bool.random(using: &random) { text += "e\(Int.random(in: -40...40, using: &random))" }
      let long = try #require(parse(text), "\(text)")
      #expect(long.bitPattern == Double(text)?.bitPattern, "\(text)")
    }
  }
}
