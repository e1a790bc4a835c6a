import Foundation

/// Runs stages side by side, each on a thread of its own (they block in libpq, read(2) and queues, so they must not
/// occupy a shared pool), and waits for all of them.
///
/// The first stage that throws decides: `onFailure` is called at once, so that it can cancel the queues the others wait
/// on, and its error is rethrown when all have ended.
package func runStages(_ stages: [@Sendable () throws -> Void], onFailure: @escaping @Sendable () -> Void) throws {
  let failure = FirstFailure()
  let threads = DispatchGroup()
  for stage in stages {
    threads.enter()
    let thread = Thread {
      do { try stage() } catch {
        failure.record(error)
        onFailure()
      }
      threads.leave()
    }
    thread.stackSize = 8 << 20
    thread.start()
  }
  threads.wait()
  if let error = failure.error { throw error }
}

private final class FirstFailure: @unchecked Sendable {
  // @unchecked: `error` is only touched under `lock`.
  private let lock = NSLock()
  private var stored: (any Error)?

  func record(_ error: any Error) {
    lock.withLock { stored = stored ?? error }
  }

  var error: (any Error)? { lock.withLock { stored } }
}
