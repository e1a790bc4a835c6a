import Foundation
import HealthModel
import ImportFlow

/// One JSON object per line, for programs: `began`, `progress` (at most twice a second), `ended`, `note`, `error`.
struct JSONRenderer: ProgressRenderer {
  private static let interval = 0.5

  private var model = ProgressModel()
  private var lastLine = -1.0

  /// The keys of all lines; what is not known is not there.
  struct Line: Encodable {
    var event: String
    var phase: String?
    /// Seconds since the start of the run.
    var seconds: Double?
    /// In the phase's measure: bytes for `read`, a number of indexes for `index`, else samples or rows.
    var done: Int64?
    var total: Int64?
    var records: Int64?
    var recordsPerSecond: Int64?
    var secondsLeft: Double?
    var dateReached: String?
    var text: String?
    var exitCode: Int32?
    var next: String?
    var detail: String?
  }

  mutating func text(for event: ProgressEvent, at now: Double, width: Int) -> String {
    let ended = model.apply(event, at: now)
    switch event {
    case .began(let phase, let total):
      lastLine = now
      return JSONRenderer.line(
        Line(event: "began", phase: phase.rawValue, seconds: JSONRenderer.rounded(now), total: total))
    case .ended:
      return ended.map { JSONRenderer.line(JSONRenderer.facts("ended", $0, at: now)) } ?? ""
    case .note(let note):
      return JSONRenderer.line(Line(event: "note", seconds: JSONRenderer.rounded(now), text: note))
    case .advanced:
      return tick(at: now, width: width)
    }
  }

  mutating func tick(at now: Double, width: Int) -> String {
    guard let state = model.current, now - lastLine >= JSONRenderer.interval else { return "" }
    lastLine = now
    return JSONRenderer.line(JSONRenderer.facts("progress", state, at: now))
  }

  mutating func message(_ text: String) -> String {
    JSONRenderer.line(Line(event: "note", text: text.trimmingWhitespace()))
  }

  mutating func end() -> String { "" }

  private static func facts(_ event: String, _ state: ProgressModel.PhaseState, at now: Double) -> Line {
    Line(
      event: event, phase: state.phase.rawValue, seconds: rounded(now), done: state.done, total: state.total,
      records: state.records, recordsPerSecond: state.recordsPerSecond.map { Int64($0.rounded()) },
      secondsLeft: event == "progress" ? state.secondsLeft(at: now).map(rounded) : nil,
      dateReached: state.dateReached?.description)
  }

  private static func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }

  static func line(_ line: Line) -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings and finite numbers always encode.
    guard let data = try? encoder.encode(line) else { return "" }
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}
