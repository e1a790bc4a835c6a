/// Samples that no summary holds.
package struct LeftOut: Equatable, Sendable {
  /// A quantity whose unit could not be converted.
  package var unconvertible = 0
  /// A quantity without a number, a sleep or stand hour sample whose state is unknown.
  package var withoutValue = 0
  /// Of an unknown type, in another unit than most samples of its day.
  package var otherUnit = 0

  package init() {}

  package var total: Int { unconvertible + withoutValue + otherUnit }

  package static func += (a: inout LeftOut, b: LeftOut) {
    a.unconvertible += b.unconvertible
    a.withoutValue += b.withoutValue
    a.otherUnit += b.otherUnit
  }
}
