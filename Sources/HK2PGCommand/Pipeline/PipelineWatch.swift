import BoundedQueues
import Foundation
import Pipelines

/// `hk2pg run FILE --watch`: imports every new export of a folder, until a signal ends it.
///
/// inotify only wakes it; what there is to do follows from a look at the whole folder. So an event that was missed, an
/// overflowed queue, a folder that was removed and made again, and a network file system without events (the slow poll)
/// all come to the same.
struct PipelineWatch {
  let folder: String
  let timing: FolderTiming
  let log: WatchLog
  let interruption: Interruption
  let run: (_ export: String) throws -> PipelineOutcome
  let finish: (PipelineOutcome) throws -> Void

  /// What was done, so that nothing is done twice.
  private struct Memory {
    var handled: Set<Candidate> = []
    /// Exports that were said not to be whole.
    var told: Set<Candidate> = []
    /// The export that failed last, and when it is tried again.
    var failing: (candidate: Candidate, count: Int, retryAt: Double)?

    func isDue(_ candidate: Candidate, now: Double) -> Bool {
      if handled.contains(candidate) { return false }
      return failing.map { $0.candidate != candidate || $0.retryAt <= now } ?? true
    }

    /// Returns the pause until the next attempt.
    mutating func noteFailure(_ candidate: Candidate, _ timing: FolderTiming) -> Double {
      let count = (failing?.candidate == candidate ? failing?.count ?? 0 : 0) + 1
      let pause = timing.retryPause(afterFailures: count)
      failing = (candidate, count, FolderChooser.now + pause)
      return pause
    }
  }

  /// Ends with `done` when a signal comes while nothing runs, else with the signal's code. Throws when the folder is not
  /// there at the start.
  func follow() throws -> ExitCode {
    var chooser = FolderChooser(folder: folder, timing: timing)
    var notifier = try? FolderNotifier(folder)
    var memory = Memory()
    // A path that is wrong from the start is a mistake, not a folder that comes and goes.
    var choice: FolderChooser.Choice? = try chooser.look()
    log.line("watching \(folder.shown(limit: 200))", .notice)
    while !interruption.isRequested {
      tellStuck(choice, &memory)
      if let best = choice?.best, memory.isDue(best, now: FolderChooser.now) {
        if attempt(best) {
          memory.handled.insert(best)
          memory.failing = nil
        } else if interruption.isRequested {
          return ExitCode.signal(interruption.signal ?? SIGTERM)
        } else {
          let pause = memory.noteFailure(best, timing)
          log.line("trying \(best.name.shown()) again in \(Words.duration(pause))", .warning)
        }
      } else {
        let retry = memory.failing.map { $0.retryAt - FolderChooser.now }
        wait([timing.poll, choice?.secondsToNext, retry].compactMap(\.self).min() ?? timing.poll, &notifier)
      }
      choice = look(&chooser, choice, &notifier)
    }
    log.line("watch ended", .notice)
    return .done
  }

  /// Nil while the folder is not there.
  private func look(
    _ chooser: inout FolderChooser, _ before: FolderChooser.Choice?, _ notifier: inout FolderNotifier?
  ) -> FolderChooser.Choice? {
    // First the notifier: what comes after the look then wakes the watch.
    if notifier == nil { notifier = try? FolderNotifier(folder) }
    let choice = try? chooser.look()
    if (choice == nil) != (before == nil) {
      let what = choice == nil ? "is not there any more; waiting for it" : "is there again"
      log.line("\(folder.shown(limit: 200)) \(what)", choice == nil ? .warning : .notice)
    }
    return choice
  }

  private func tellStuck(_ choice: FolderChooser.Choice?, _ memory: inout Memory) {
    for stuck in choice?.stuck ?? [] where memory.told.insert(stuck.candidate).inserted {
      log.failure(Failure(PipelineError.incomplete(path: stuck.candidate.path, stuck.error)), isDebug: false)
    }
  }

  /// True when the export is done with, rejected samples or not.
  private func attempt(_ candidate: Candidate) -> Bool {
    do {
      let outcome = try run(candidate.path)
      let isDone = outcome.code == .done || outcome.code == .doneWithRejects
      log.line(outcome.line.trimmingWhitespace(), isDone ? .info : .warning)
      try finish(outcome)
      return isDone
    } catch {
      log.failure(Failure(error, signal: interruption.signal), isDebug: false)
      return false
    }
  }

  /// Until something happens, at most so long. Files come in crowds: one look is enough for all that come together.
  private func wait(_ seconds: Double, _ notifier: inout FolderNotifier?) {
    let isInterrupted = { [interruption] in interruption.isRequested }
    if let current = notifier {
      switch current.wait(seconds: max(0.1, seconds), isInterrupted: isInterrupted) {
      case .timeout: break
      case .changed: usleep(100_000)
      case .folderGone: notifier = nil
      }
      return
    }
    let end = FolderChooser.now + min(max(0.1, seconds), 1)
    while FolderChooser.now < end, !isInterrupted() { usleep(50_000) }
  }
}
