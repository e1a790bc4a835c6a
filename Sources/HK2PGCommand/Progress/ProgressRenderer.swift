import ImportFlow

/// Events and a clock in, text for standard error out: no terminal, no thread, no time of its own.
///
/// `now` is in seconds since the start of the run; `width` in columns.
protocol ProgressRenderer: Sendable {
  mutating func text(for event: ProgressEvent, at now: Double, width: Int) -> String
  /// Called a few times a second, so that a phase that sends nothing still shows that it lives.
  mutating func tick(at now: Double, width: Int) -> String
  /// A line for the user in between: an error, a warning. `text` ends with a newline.
  mutating func message(_ text: String) -> String
  /// Leaves the cursor at the start of a clean line.
  mutating func end() -> String
}

/// `--progress none`: notes alone.
struct SilentRenderer: ProgressRenderer {
  mutating func text(for event: ProgressEvent, at now: Double, width: Int) -> String {
    if case .note(let note) = event { return "hk2pg: \(note)\n" }
    return ""
  }
  mutating func tick(at now: Double, width: Int) -> String { "" }
  mutating func message(_ text: String) -> String { text }
  mutating func end() -> String { "" }
}

extension ProgressModel.PhaseState {
  /// `read 2.5 GB, 5,100,000 samples in 23 s (220,000/s)`: what is left of a phase that has ended.
  ///
  /// Nil where that is not worth a line.
  func closing(at now: Double) -> String? {
    let seconds = elapsed(at: now)
    if phase.records == nil && done == 0 && seconds < 1 { return nil }
    var facts: [String] = []
    if phase.isInBytes { facts.append(Words.bytes(done)) }
    if let noun = phase.records, records > 0 || !phase.isInBytes { facts.append("\(Words.count(records)) \(noun)") }
    if phase == .index, done > 0 { facts.append(Words.count(Int(done), "index", "indexes")) }
    let rate =
      phase.records != nil && records > 0 && seconds >= 1 ? " (\(Words.rate(Double(records) / seconds))/s)" : ""
    let what = facts.isEmpty ? "" : " " + facts.joined(separator: ", ")
    return "\(phase.done)\(what) in \(Words.duration(seconds))\(rate)"
  }

  /// `1.2 of 2.5 GB`, `2 of 5`, `1,234,567`.
  var amount: String {
    if phase.isInBytes {
      guard let total, total > 0 else { return Words.bytes(done) }
      let ends = (Words.bytes(done).split(separator: " "), Words.bytes(total).split(separator: " "))
      return ends.0.last == ends.1.last
        ? "\(ends.0[0]) of \(Words.bytes(total))" : "\(Words.bytes(done)) of \(Words.bytes(total))"
    }
    guard let total, total > 0 else { return done > 0 ? Words.count(done) : "" }
    return "\(Words.count(done)) of \(Words.count(total))"
  }
}

extension ProgressEvent.Phase {
  /// When it is over.
  var done: String {
    switch self {
    case .read: "read"
    case .merge: "sorted"
    case .copy: "copied"
    case .index: "indexed"
    case .compare: "compared"
    case .publish: "published"
    case .vacuum: "vacuumed"
    case .dump: "read rows"
    case .verify: "verified"
    }
  }
}
