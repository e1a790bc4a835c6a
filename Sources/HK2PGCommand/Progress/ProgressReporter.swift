import BoundedQueues
import Dispatch
import Foundation
import ImportFlow

/// The front of the renderers: takes events from any thread, adds the time, and writes what comes out.
final class ProgressReporter: Sendable {
  private struct State {
    var renderer: any ProgressRenderer
    var hasEnded = false
  }

  private let state: Guarded<State>
  private let isQuiet: Bool
  private let write: @Sendable (String) -> Void
  private let columns: @Sendable () -> Int?
  private let seconds: @Sendable () -> Double
  private let stop = DispatchSemaphore(value: 0)

  init(
    _ renderer: any ProgressRenderer, isQuiet: Bool = false, write: @escaping @Sendable (String) -> Void,
    columns: @escaping @Sendable () -> Int?, seconds: @escaping @Sendable () -> Double
  ) {
    self.state = Guarded(State(renderer: renderer))
    self.isQuiet = isQuiet
    self.write = write
    self.columns = columns
    self.seconds = seconds
  }

  /// On this process's standard error, in the dress the settings ask for.
  static func onStandardError(_ output: OutputSettings, _ surroundings: Surroundings) -> ProgressReporter {
    let start = ContinuousClock.now
    return ProgressReporter(
      renderer(output, surroundings), isQuiet: output.isQuiet, write: Console.writeMessage,
      columns: { Console.columns },
      seconds: {
        let passed = (ContinuousClock.now - start).components
        return Double(passed.seconds) + Double(passed.attoseconds) / 1e18
      })
  }

  static func renderer(_ output: OutputSettings, _ surroundings: Surroundings) -> any ProgressRenderer {
    switch output.progress {
    case .json: return JSONRenderer()
    case .none: return SilentRenderer()
    case .bar: return BarRenderer()
    case .plain: return PlainRenderer()
    case .auto:
      let canRedraw = surroundings.isErrorTerminal && surroundings.variable("TERM").map { $0 != "dumb" } ?? false
      return canRedraw ? BarRenderer() : PlainRenderer()
    }
  }

  func receive(_ event: ProgressEvent) {
    if isQuiet { return }
    let width = columns() ?? 80
    state.withLock { state in
      if state.hasEnded { return }
      emit(state.renderer.text(for: event, at: seconds(), width: width))
    }
  }

  /// A message that is shown in any case; `text` ends with a newline.
  func message(_ text: String) {
    state.withLock { state in emit(state.renderer.message(text)) }
  }

  func failure(_ failure: Failure, isDebug: Bool) {
    state.withLock { state in
      emit(state.renderer.end())
      if state.renderer is JSONRenderer {
        emit(
          JSONRenderer.line(
            JSONRenderer.Line(
              event: "error", text: failure.what, exitCode: failure.code.rawValue, next: failure.next,
              detail: isDebug ? failure.detail : nil)))
      } else {
        emit(failure.text(isDebug: isDebug))
      }
    }
  }

  /// Runs `body` with a clock that keeps the bar alive between events; leaves the cursor on a clean line.
  func whileRunning<Result>(_ body: () throws -> Result) rethrows -> Result {
    let ticker = Thread { [self] in
      while stop.wait(timeout: .now() + .milliseconds(250)) == .timedOut { tick() }
    }
    if !isQuiet { ticker.start() }
    defer { end() }
    return try body()
  }

  private func tick() {
    let width = columns() ?? 80
    state.withLock { state in
      if !state.hasEnded { emit(state.renderer.tick(at: seconds(), width: width)) }
    }
  }

  private func end() {
    stop.signal()
    state.withLock { state in
      state.hasEnded = true
      emit(state.renderer.end())
    }
  }

  private func emit(_ text: String) {
    if !text.isEmpty { write(text) }
  }
}
