import HealthModel

/// A sum that carries its rounding error along (Neumaier), so that ten times 0.1 is 1 and the order of addition does
/// not show.
struct RunningSum {
  private var sum = 0.0
  private var lost = 0.0

  mutating func add(_ value: Double) {
    let next = sum + value
    lost += abs(sum) >= abs(value) ? (sum - next) + value : (value - next) + sum
    sum = next
  }

  /// An overflow stays what it is; its correction would be NaN.
  var total: Double { sum.isFinite ? sum + lost : sum }

  mutating func scale(by factor: Double) {
    sum *= factor
    lost *= factor
  }
}

/// Count, sum and limits of the samples of one day.
struct SampleTotals {
  private(set) var count = 0
  private(set) var minimum = Double.infinity
  private(set) var maximum = -Double.infinity
  private var running = RunningSum()

  mutating func add(_ value: Double) {
    count += 1
    running.add(value)
    if value < minimum { minimum = value }
    if value > maximum { maximum = value }
  }

  var sum: Double { running.total }
  var average: Double? { count == 0 ? nil : running.total / Double(count) }
}

/// A day of one summary before it gets its type and unit.
struct DayRow {
  var day: CivilDay
  var average: Double?
  var minimum: Double?
  var maximum: Double?
  var sum: Double?
  var count: Int

  init(day: CivilDay, totals: SampleTotals, sum: Double) {
    self.day = day
    self.sum = sum
    count = totals.count
    average = totals.average
    minimum = totals.count == 0 ? nil : totals.minimum
    maximum = totals.count == 0 ? nil : totals.maximum
  }
}

/// What the folds need of a `SampleRecord`, with its source as a slot of `SourceSlots`.
struct FoldSample: BitwiseCopyable {
  /// Microseconds since 1970.
  var start: Int64
  var end: Int64
  var value: Double
  var slot: Int32
  var isUserEntered: Bool
  var subtype: Symbol
  var unit: Symbol

  static let none = FoldSample(
    start: 0, end: 0, value: 0, slot: 0, isUserEntered: false, subtype: .empty, unit: .empty)

  /// No measurement lasts longer: HealthKit takes steps of up to four days, an end in the year 4001 means "not known".
  /// A longer sample is taken as one of no length, else it would hide all other sources for years.
  static let longestMicroseconds: Int64 = 366 * 86_400_000_000

  /// Rows of a database may lie farther away than arithmetic on microseconds goes: they count as of the year 293,500.
  static func limited(_ instant: Instant) -> Int64 {
    min(max(instant.microseconds, -9_200_000_000_000_000_000), 9_200_000_000_000_000_000)
  }

  /// Where the sample ceases to cover time.
  var coveredEnd: Int64 {
    let (length, hasOverflow) = end.subtractingReportingOverflow(start)
    return hasOverflow || length > FoldSample.longestMicroseconds ? start : end
  }

  var minutes: Double { (Double(end) - Double(start)) / 60_000_000 }
}
