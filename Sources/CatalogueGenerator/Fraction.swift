/// A unit's factor as a fraction of whole numbers, so that conversions multiply and divide by exact numbers.
///
/// ```
/// 0.0254              127 / 5000        a short decimal is what it says
/// 0.2777777777777778  5 / 18            a long one is the rounding of a fraction: the simplest that gives it
/// ```
package struct Fraction: Equatable {
  package var numerator: Int
  package var denominator: Int

  package init?(factorText text: String) {
    guard let value = Double(text), value > 0, value.isFinite else { return nil }
    let digits = text.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber).drop { $0 == "0" }
    if digits.count <= 15, !text.lowercased().contains("e"), let exact = Fraction(decimal: text) {
      self = exact
    } else {
      self.init(nearest: value)
    }
  }

  private init?(decimal text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard let mantissa = Int(parts.joined()) else { return nil }
    let scale = (0..<(parts.count > 1 ? parts[1].count : 0)).reduce(1) { power, _ in power * 10 }
    let divisor = Fraction.greatestCommonDivisor(mantissa, scale)
    numerator = mantissa / divisor
    denominator = scale / divisor
  }

  /// The first convergent of the continued fraction of `value` that rounds to `value`.
  private init(nearest value: Double) {
    var (previous, current) = ((p: 0, q: 1), (p: 1, q: 0))
    var rest = value
    while true {
      let whole = rest.rounded(.down)
      let next = (p: Int(whole) * current.p + previous.p, q: Int(whole) * current.q + previous.q)
      (previous, current) = (current, next)
      if Double(current.p) / Double(current.q) == value || rest == whole { break }
      rest = 1 / (rest - whole)
    }
    numerator = current.p
    denominator = current.q
  }

  package static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : greatestCommonDivisor(b, a % b) }
}
