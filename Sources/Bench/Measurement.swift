import Foundation

/// One figure: seconds of repeated runs, and the most memory one of them held.
struct Measurement: Codable, Sendable {
  var name: String
  var seconds: [Double] = []
  /// Bytes; of the measured program alone.
  var peakMemory = 0

  var median: Double {
    let sorted = seconds.sorted()
    if sorted.isEmpty { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

/// A goal of DESIGN §8: a figure against a floor that was measured in the same run.
struct Goal: Codable, Sendable {
  var figure: String
  var measured: Double
  /// What `measured` may be at most (a ratio, bytes, seconds) or, for rates, has to be at least.
  var limit: Double
  var unit: String
  var isAtLeast = false

  var isMet: Bool { isAtLeast ? measured >= limit : measured <= limit }
}

extension Goal {
  /// For people.
  var line: String {
    let bound = "\(isAtLeast ? "at least" : "at most") \(FigureText.number(limit))"
    let name = FigureText.padded(figure, 36)
    return "  \(isMet ? "met   " : "MISSED") \(name) \(FigureText.number(measured)) \(unit) (\(bound))"
  }
}

enum FigureText {
  static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// One decimal, to the right.
  static func aligned(_ value: Double, _ width: Int) -> String {
    let text = String(format: "%.1f", value)
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }

  static func number(_ value: Double) -> String { String(format: value >= 1000 ? "%.0f" : "%.2f", value) }
}

/// Figures that more than one place asks for.
enum FigureName {
  static let floor = "libxml2, empty handlers, one core"
  static let stageXML = "stage .xml"
  static let importEmpty = "import into an empty database"
}

/// Keeps the repetitions of all figures; rounds are interleaved, so that a slow minute of the machine hits all alike.
struct MeasurementBook {
  private(set) var measurements: [Measurement] = []

  mutating func add(_ name: String, seconds: Double, peakMemory: Int = 0) {
    if !measurements.contains(where: { $0.name == name }) { measurements.append(Measurement(name: name)) }
    guard let index = measurements.firstIndex(where: { $0.name == name }) else { return }
    measurements[index].seconds.append(seconds)
    measurements[index].peakMemory = max(measurements[index].peakMemory, peakMemory)
  }

  func median(_ name: String) -> Double { measurements.first { $0.name == name }?.median ?? .nan }
  func ratio(_ name: String, to floor: String) -> Double { median(name) / median(floor) }
  var peakMemory: Int { measurements.map(\.peakMemory).max() ?? 0 }
}

/// Seconds that `body` takes.
func measure(_ body: () throws -> Void) rethrows -> Double {
  let start = DispatchTime.now().uptimeNanoseconds
  try body()
  return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
}
