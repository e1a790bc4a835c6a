import Foundation
import HealthModel

/// Parts that the answers of several tools have.
extension ReadSession {
  func range(_ days: ClosedRange<CivilDay>) -> [String: JSONValue] {
    [
      "first_day": .string(days.lowerBound.description), "last_day": .string(days.upperBound.description),
      "zone": .string(zone.name),
    ]
  }

  func head(_ metric: Metric, _ days: ClosedRange<CivilDay>, _ points: [DailyPoint]) -> [String: JSONValue] {
    range(days).merging([
      "metric": .string(metric.shortName), "metric_type": .string(metric.identifier),
      "unit": .text(points.first?.unit ?? metric.unit), "value_type": .string(metric.measure.rawValue),
    ]) { $1 }
  }

  /// Days with a figure, in one unit.
  func figures(_ metric: Metric, _ days: ClosedRange<CivilDay>) throws -> [DailyPoint] {
    Unit.common(try daily(metric, days).filter { $0.value(metric.measure) != nil })
  }
}

extension JSONValue {
  /// How many days came from which tier.
  static func tier(_ points: [DailyPoint]) -> JSONValue {
    [
      "summary": .int(points.count { $0.tier == .summary }), "raw": .int(points.count { $0.tier == .raw }),
    ]
  }

  static func day(_ day: CivilDay?) -> JSONValue { .text(day?.description) }
  static func time(_ instant: Instant?) -> JSONValue { .text(instant?.iso8601) }

  static func merging(_ parts: [String: JSONValue]...) -> JSONValue {
    .object(parts.reduce(into: [:]) { $0.merge($1) { _, last in last } })
  }
}

/// Figures of a set of days.
struct DayStatistics {
  let values: [Double]

  init(_ values: [Double]) { self.values = values.sorted() }

  var mean: Double? { values.isEmpty ? nil : values.reduce(0, +) / Double(values.count) }

  /// Of these days, not an estimate for others.
  var standardDeviation: Double? {
    guard let mean else { return nil }
    return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
  }

  /// Between the two nearest days, in proportion.
  func percentile(_ percent: Double) -> Double? {
    guard let last = values.last else { return nil }
    let place = percent / 100 * Double(values.count - 1)
    let index = Int(place)
    guard index + 1 < values.count else { return last }
    return values[index] + (place - Double(index)) * (values[index + 1] - values[index])
  }
}
