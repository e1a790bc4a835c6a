import HealthModel
import ImportFlow

/// One line of a terminal, drawn over and over, and one line that stays for each phase that has ended:
///
///     reading  [=========>          ]  47 %  1.2 of 2.5 GB  220,000 samples/s  2019-04-12  0:12 left
///
/// What does not fit the width is left out, least important first. Nothing of the terminal's state is changed, so an
/// abrupt end leaves at most a half line.
struct BarRenderer: ProgressRenderer {
  /// Seconds between two drawings.
  private static let interval = 0.1
  private static let clearLine = "\r\u{1B}[K"

  private var model = ProgressModel()
  private var lastDrawn = -1.0
  private var isDrawn = false

  mutating func text(for event: ProgressEvent, at now: Double, width: Int) -> String {
    let ended = model.apply(event, at: now)
    if let ended {
      return message(ended.closing(at: now).map { "hk2pg: \($0)\n" } ?? "") + redraw(at: now, width: width)
    }
    switch event {
    case .note(let note): return message("hk2pg: \(note)\n") + redraw(at: now, width: width)
    case .began: return redraw(at: now, width: width)
    default: return tick(at: now, width: width)
    }
  }

  mutating func tick(at now: Double, width: Int) -> String {
    now - lastDrawn >= BarRenderer.interval ? redraw(at: now, width: width) : ""
  }

  mutating func message(_ text: String) -> String { end() + text }

  mutating func end() -> String {
    defer { isDrawn = false }
    return isDrawn ? BarRenderer.clearLine : ""
  }

  private mutating func redraw(at now: Double, width: Int) -> String {
    guard let state = model.current else { return "" }
    lastDrawn = now
    isDrawn = true
    return BarRenderer.clearLine + BarRenderer.line(state, at: now, width: width)
  }

  /// One column stays free: a full line would make some terminals break it.
  static func line(_ state: ProgressModel.PhaseState, at now: Double, width: Int) -> String {
    let room = max(10, width - 1)
    var left = state.phase.doing.padded(to: 10)
    if let fraction = state.fraction {
      let bar = room >= 70 ? gauge(fraction, width: 20) + " " : ""
      left += bar + "\(Int(fraction * 100))".aligned(to: 3) + " %"
    } else {
      left += Words.clock(state.elapsed(at: now))
    }
    // In order of importance; shown in another order.
    var shown: [Int: String] = [:]
    for (place, part) in parts(state, at: now) {
      let length = shown.values.reduce(left.count + 2 + part.count) { $0 + $1.count + 2 }
      if !part.isEmpty && length <= room { shown[place] = part }
    }
    let text = ([left] + shown.sorted { $0.key < $1.key }.map(\.value)).joined(separator: "  ")
    return String(text.prefix(room))
  }

  /// Place in the line, and text; the most important first.
  private static func parts(_ state: ProgressModel.PhaseState, at now: Double) -> [(Int, String)] {
    let left = state.secondsLeft(at: now).map { Words.clock($0) + " left" } ?? ""
    let speed = state.phase.records.flatMap { noun in
      state.recordsPerSecond.flatMap { $0 > 0 ? "\(Words.rate($0)) \(noun)/s" : nil }
    }
    return [(3, left), (0, state.amount), (2, state.dateReached?.description ?? ""), (1, speed ?? "")]
  }

  private static func gauge(_ fraction: Double, width: Int) -> String {
    let filled = Int(fraction * Double(width))
    let tip = filled < width ? ">" : ""
    return "[" + (String(repeating: "=", count: filled) + tip).padded(to: width) + "]"
  }
}
