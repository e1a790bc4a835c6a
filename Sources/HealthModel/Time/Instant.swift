/// A point in time: microseconds since 1970-01-01 00:00:00 UTC, negative before.
///
/// Exports print whole seconds, Postgres' `timestamptz` holds microseconds; this is the resolution of both.
/// The range is limited to what `timestamptz` can hold (4713 BC to 294276 AD); parsers reject the rest.
package struct Instant: Hashable, Comparable, BitwiseCopyable, Sendable {
  package var microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }
  package init(seconds: Int64) { self.microseconds = seconds * 1_000_000 }

  /// Whole seconds since 1970, rounded down: the exported instant of a row that was moved by a few microseconds.
  package var seconds: Int64 { microseconds.flooredQuotient(1_000_000) }
  package var milliseconds: Int64 { microseconds.flooredQuotient(1_000) }

  /// Postgres counts from 2000-01-01 00:00:00 UTC, also in microseconds.
  package static let postgresEpoch = Instant(seconds: 946_684_800)
  package var postgresMicroseconds: Int64 { microseconds - Instant.postgresEpoch.microseconds }
  package init(postgresMicroseconds: Int64) {
    self.microseconds = postgresMicroseconds + Instant.postgresEpoch.microseconds
  }

  package static func < (a: Instant, b: Instant) -> Bool { a.microseconds < b.microseconds }

  /// The day in UTC; local days need a `ZoneRules`.
  package var utcDay: CivilDay { CivilDay(daysSince1970: Int32(clamping: seconds.flooredQuotient(86_400))) }
}

extension FixedWidthInteger where Self: SignedInteger {
  /// Division that rounds towards negative infinity, so that times before 1970 fall into the right second and day.
  @inlinable package func flooredQuotient(_ divisor: Self) -> Self {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
