import HealthModel
import ImportFlow

/// What is known of the running phases: arithmetic over events and a clock, for every renderer.
///
/// Events come from several threads, so an `advanced` may overtake its `began`, and a smaller count may come after a
/// greater one.
struct ProgressModel: Sendable {
  struct PhaseState: Sendable {
    var phase: ProgressEvent.Phase
    var total: Int64?
    var startedAt: Double
    var done: Int64 = 0
    var records: Int64 = 0
    var dateReached: CivilDay?
    /// Measurements of the last seconds, oldest first: rates follow what happens now.
    fileprivate var window: [Measurement] = []
  }

  fileprivate struct Measurement: Sendable {
    var time: Double
    var done: Int64
    var records: Int64
  }

  private static let windowSeconds = 10.0
  private var open: [PhaseState] = []

  /// The phase that began last and has not ended.
  var current: PhaseState? { open.last }

  /// Returns the phase an `ended` closes, with its last figures.
  mutating func apply(_ event: ProgressEvent, at now: Double) -> PhaseState? {
    switch event {
    case .began(let phase, let total):
      let index = index(of: phase, at: now)
      open[index].total = total ?? open[index].total
    case .advanced(let phase, let advance):
      let index = index(of: phase, at: now)
      open[index].take(advance, at: now, window: ProgressModel.windowSeconds)
    case .ended(let phase):
      guard let index = open.firstIndex(where: { $0.phase == phase }) else { return nil }
      return open.remove(at: index)
    case .note: break
    }
    return nil
  }

  private mutating func index(of phase: ProgressEvent.Phase, at now: Double) -> Int {
    if let index = open.firstIndex(where: { $0.phase == phase }) { return index }
    var state = PhaseState(phase: phase, total: nil, startedAt: now)
    state.window = [Measurement(time: now, done: 0, records: 0)]
    open.append(state)
    return open.count - 1
  }
}

extension ProgressModel.PhaseState {
  fileprivate mutating func take(_ advance: ProgressEvent.Advance, at now: Double, window seconds: Double) {
    done = max(done, advance.done)
    records = max(records, advance.records)
    dateReached = advance.dateReached ?? dateReached
    let next = ProgressModel.Measurement(time: now, done: done, records: records)
    if let last = window.last, window.count > 1, now - last.time < 0.25 {
      window[window.count - 1] = .init(time: last.time, done: done, records: records)
    } else {
      window.append(next)
    }
    while window.count > 2, now - window[1].time > seconds { window.removeFirst() }
  }

  /// 0 to 1; nil when the total is unknown.
  var fraction: Double? {
    guard let total, total > 0 else { return nil }
    return min(1, Double(done) / Double(total))
  }

  func elapsed(at now: Double) -> Double { max(0, now - startedAt) }

  var recordsPerSecond: Double? { perSecond(\.records) }

  /// At the pace of the last seconds; nil while that cannot be told.
  func secondsLeft(at now: Double) -> Double? {
    guard let total, elapsed(at: now) >= 1, let pace = perSecond(\.done), pace > 0 else { return nil }
    return max(0, Double(total - done) / pace)
  }

  private func perSecond(_ field: KeyPath<ProgressModel.Measurement, Int64>) -> Double? {
    guard let first = window.first, let last = window.last, last.time - first.time >= 0.2 else { return nil }
    return Double(last[keyPath: field] - first[keyPath: field]) / (last.time - first.time)
  }
}

extension ProgressEvent.Phase {
  /// While it runs.
  var doing: String {
    switch self {
    case .read: "reading"
    case .merge: "sorting"
    case .copy: "copying"
    case .index: "indexing"
    case .compare: "comparing"
    case .publish: "publishing"
    case .vacuum: "vacuuming"
    case .dump: "reading rows"
    case .verify: "verifying"
    }
  }

  /// What the `done` of a phase counts.
  var isInBytes: Bool { self == .read }

  /// What the `records` of a phase are; nil where they say nothing that `done` does not.
  var records: String? {
    switch self {
    case .read, .merge: "samples"
    case .copy, .dump: "rows"
    case .index, .compare, .publish, .vacuum, .verify: nil
    }
  }
}
