import Synchronization

/// The wish to stop (SIGINT, SIGTERM), seen by every stage. Set once, never taken back.
package final class Interruption: Sendable {
  private let signalNumber = Atomic<Int32>(0)

  package init() {}

  package func request(signal: Int32) {
    _ = signalNumber.compareExchange(expected: 0, desired: signal, ordering: .relaxed)
  }

  package var isRequested: Bool { signalNumber.load(ordering: .relaxed) != 0 }

  /// The signal that asked, for the exit code (128 + number).
  package var signal: Int32? {
    let number = signalNumber.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// Throws `Interrupted` when a stop was asked for.
  package func check() throws {
    if isRequested { throw Interrupted() }
  }
}

package struct Interrupted: Error {
  package init() {}
}
