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

  /// The export that failed last, and when it is tried again.
  private struct Failing {
    var candidate: Candidate
    var count: Int
    var retryAt: Double
  }

  /// Ends with `done` when a signal comes while nothing runs, else with the signal's code. Throws when the folder is not
  /// there at the start.
  func follow() throws -> ExitCode {
    var chooser = FolderChooser(folder: folder, timing: timing)
    var notifier = try? FolderNotifier(folder)
    var handled: Set<Candidate> = []
    var told: Set<Candidate> = []
    var failing: Failing?
    var isGone = false
    // A path that is wrong from the start is a mistake, not a folder that comes and goes.
    _ = try chooser.look()
    log.line("watching \(folder.shown(limit: 200))", .notice)

    while !interruption.isRequested {
      let choice = try? chooser.look()
      if (choice == nil) != isGone {
        isGone.toggle()
        let what = isGone ? "is not there any more; waiting for it" : "is there again"
        log.line("\(folder.shown(limit: 200)) \(what)", isGone ? .warning : .notice)
      }
      if notifier == nil, choice != nil {
        notifier = try? FolderNotifier(folder)
        // Once more, since files may have come in between.
        if notifier != nil { continue }
      }
      for stuck in choice?.stuck ?? [] where told.insert(stuck.candidate).inserted {
        log.failure(Failure(PipelineError.incomplete(path: stuck.candidate.path, stuck.error)), isDebug: false)
      }
      let now = FolderChooser.now
      if let best = choice?.best, !handled.contains(best),
        failing.map({ $0.candidate != best || $0.retryAt <= now }) ?? true
      {
        if attempt(best) {
          handled.insert(best)
          failing = nil
        } else if interruption.isRequested {
          return ExitCode.signal(interruption.signal ?? SIGTERM)
        } else {
          let count = (failing?.candidate == best ? failing?.count ?? 0 : 0) + 1
          let pause = timing.retryPause(afterFailures: count)
          failing = Failing(candidate: best, count: count, retryAt: FolderChooser.now + pause)
          log.line("trying \(best.name.shown()) again in \(Words.duration(pause))", .warning)
        }
        continue
      }
      let pause = [timing.poll, choice?.secondsToNext, failing.map { $0.retryAt - now }].compactMap(\.self).min()
      wait(max(0.1, pause ?? timing.poll), &notifier)
    }
    log.line("watch ended", .notice)
    return .done
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

  private func wait(_ seconds: Double, _ notifier: inout FolderNotifier?) {
    let isInterrupted = { [interruption] in interruption.isRequested }
    if let current = notifier {
      if current.wait(seconds: seconds, isInterrupted: isInterrupted) == .folderGone { notifier = nil }
      return
    }
    let end = FolderChooser.now + min(seconds, 1)
    while FolderChooser.now < end, !isInterrupted() { usleep(50_000) }
  }
}
