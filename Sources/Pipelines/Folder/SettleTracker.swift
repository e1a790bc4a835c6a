/// Tells which files of a folder have stopped changing. No clock and no file system of its own.
///
/// A file is settled when it looked the same for `settle` seconds, or when it has not been touched for so long at first
/// sight: its status change time cannot be set back, as `cp -p` and unpacking do with the modification time.
package struct SettleTracker: Sendable {
  private struct Sight: Sendable {
    var candidate: Candidate
    var since: Double
  }

  private let settle: Double
  private var sights: [String: Sight] = [:]

  package init(settle: Double) { self.settle = settle }

  /// - Parameters:
  ///   - now: seconds of a clock that never goes back.
  ///   - wallNanoseconds: nanoseconds since 1970.
  package mutating func update(_ candidates: [Candidate], now: Double, wallNanoseconds: Int64) {
    var next: [String: Sight] = [:]
    for candidate in candidates {
      if let sight = sights[candidate.path] {
        next[candidate.path] =
          sight.candidate == candidate ? sight : Sight(candidate: candidate, since: now)
      } else {
        let age = Double(wallNanoseconds - candidate.statusChanged) / 1e9
        next[candidate.path] = Sight(candidate: candidate, since: now - max(0, age))
      }
    }
    sights = next
  }

  package func isSettled(_ candidate: Candidate, now: Double) -> Bool { age(candidate, now: now) >= settle }

  /// Seconds since the file last changed, as far as was seen.
  package func age(_ candidate: Candidate, now: Double) -> Double {
    guard let sight = sights[candidate.path], sight.candidate == candidate else { return 0 }
    return now - sight.since
  }

  /// Seconds until the next file may be settled; nil when all are.
  package func secondsToNext(now: Double) -> Double? {
    sights.values.map { $0.since + settle - now }.filter { $0 > 0 }.min()
  }
}
