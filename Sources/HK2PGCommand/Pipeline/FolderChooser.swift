import BoundedQueues
import ExportReader
import Foundation
import Pipelines

/// Finds the newest whole export in a folder that files arrive in.
struct FolderChooser {
  struct Choice {
    /// Newest of those that are whole and have stopped changing.
    var best: Candidate?
    /// Still changing, or not whole yet and still waited for.
    var pending: [Candidate] = []
    /// Newer than `best`, not whole, and not changing any more.
    var stuck: [(candidate: Candidate, error: ExportError)] = []
    /// Zips and XML files that are no exports.
    var foreignCount = 0
    /// When to look again, in seconds; nil: when something happens.
    var secondsToNext: Double?
  }

  let folder: String
  let timing: FolderTiming
  private var tracker: SettleTracker
  /// A file that looks the same is looked into once.
  private var findings: [Candidate: ExportProbe.Finding] = [:]

  init(folder: String, timing: FolderTiming) {
    self.folder = folder
    self.timing = timing
    tracker = SettleTracker(settle: timing.settle)
  }

  /// One look. Throws `PipelineError.folder`.
  mutating func look() throws -> Choice {
    let candidates: [Candidate]
    do { candidates = try FolderListing.candidates(in: folder) } catch {
      throw PipelineError.folder(path: folder, errno: error.errno)
    }
    let now = FolderChooser.now
    tracker.update(candidates, now: now, wallNanoseconds: Int64(Date().timeIntervalSince1970 * 1e9))
    let present = Set(candidates)
    findings = findings.filter { present.contains($0.key) }
    return choose(candidates, now)
  }

  private mutating func choose(_ candidates: [Candidate], _ now: Double) -> Choice {
    var choice = Choice(secondsToNext: tracker.secondsToNext(now: now))
    var best: (Candidate, date: Int64?)?
    for candidate in candidates {
      guard tracker.isSettled(candidate, now: now) else {
        choice.pending.append(candidate)
        continue
      }
      switch finding(candidate) {
      case .foreign: choice.foreignCount += 1
      case .complete(let date):
        if best.map({ NewestExport.isOlder($0, than: (candidate, date)) }) ?? true { best = (candidate, date) }
      case .incomplete(let error):
        let left = timing.giveUp - tracker.age(candidate, now: now)
        if left > 0 {
          choice.pending.append(candidate)
          choice.secondsToNext = min(choice.secondsToNext ?? left, left)
        } else {
          choice.stuck.append((candidate, error))
        }
      }
    }
    choice.best = best?.0
    if let best { choice.stuck.removeAll { $0.candidate.modified <= best.0.modified } }
    return choice
  }

  private mutating func finding(_ candidate: Candidate) -> ExportProbe.Finding {
    if let known = findings[candidate] { return known }
    let finding = ExportProbe.look(at: candidate.path)
    findings[candidate] = finding
    return finding
  }

  /// Looks until nothing is on its way any more: a run in a synced folder waits for the export that is just coming.
  mutating func waitForQuiet(_ interruption: Interruption, note: (String) -> Void) throws -> Choice {
    var hasTold = false
    while true {
      try interruption.check()
      let choice = try look()
      guard let first = choice.pending.first else { return choice }
      if !hasTold { note("waiting until \(first.name.shown()) is complete") }
      hasTold = true
      let end = FolderChooser.now + min(max(choice.secondsToNext ?? 1, 0.1), 1)
      while FolderChooser.now < end, !interruption.isRequested { usleep(50_000) }
    }
  }

  /// Seconds of a clock that never goes back.
  static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
