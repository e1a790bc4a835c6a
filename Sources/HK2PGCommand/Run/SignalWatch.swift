import BoundedQueues
import Dispatch
import Foundation

/// SIGINT and SIGTERM ask the run to stop; a second one ends the process at once. SIGPIPE is ignored: a reader that went
/// away shows up as a failed write.
///
/// Signals that were ignored at the start are honoured too: `kill -INT` of a background job is meant for it.
struct SignalWatch: ~Copyable {
  private let sources: [any DispatchSourceSignal]

  /// Nonisolated on purpose: a handler made at the top level of main.swift would be bound to the main actor, and trap.
  init(_ interruption: Interruption) {
    SignalWatch.ignore(SIGPIPE)
    sources = [SIGINT, SIGTERM].map { number in
      SignalWatch.ignore(number)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if interruption.isRequested { _exit(ExitCode.signal(number).rawValue) }
        interruption.request(signal: number)
      }
      // A signal that comes before the source is in place would be lost.
      let isInPlace = DispatchSemaphore(value: 0)
      source.setRegistrationHandler { isInPlace.signal() }
      source.resume()
      isInPlace.wait()
      return source
    }
  }

  deinit {
    for source in sources { source.cancel() }
  }

  /// For a program that takes this one's place and expects the usual.
  static func restoreDefaults() {
    for number in [SIGPIPE, SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  }

  private static func ignore(_ number: Int32) {
    signal(number, SIG_IGN)
  }
}
