import HealthModel
import ImportFlow

/// A line every few seconds, for logs: cron, CI, a container.
struct PlainRenderer: ProgressRenderer {
  private static let interval = 5.0

  private var model = ProgressModel()
  private var lastLine = 0.0

  mutating func text(for event: ProgressEvent, at now: Double, width: Int) -> String {
    let ended = model.apply(event, at: now)
    if let ended {
      lastLine = now
      return ended.closing(at: now).map { "hk2pg: \($0)\n" } ?? ""
    }
    if case .note(let note) = event { return "hk2pg: \(note)\n" }
    return tick(at: now, width: width)
  }

  mutating func tick(at now: Double, width: Int) -> String {
    guard let state = model.current, now - lastLine >= PlainRenderer.interval else { return "" }
    lastLine = now
    return PlainRenderer.line(state, at: now)
  }

  mutating func message(_ text: String) -> String { text }
  mutating func end() -> String { "" }

  private static func line(_ state: ProgressModel.PhaseState, at now: Double) -> String {
    var parts: [String] = []
    if let fraction = state.fraction { parts.append("\(Int(fraction * 100)) %") }
    if !state.amount.isEmpty { parts.append(state.amount) }
    if let noun = state.phase.records, let rate = state.recordsPerSecond, rate > 0 {
      parts.append("\(Words.rate(rate)) \(noun)/s")
    }
    if let day = state.dateReached { parts.append("at \(day)") }
    if let left = state.secondsLeft(at: now) { parts.append("\(Words.duration(left)) left") }
    if parts.isEmpty { parts.append(Words.duration(state.elapsed(at: now))) }
    return "hk2pg: \(state.phase.doing) \(parts.joined(separator: ", "))\n"
  }
}
