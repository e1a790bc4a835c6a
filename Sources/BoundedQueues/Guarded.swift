import Foundation

/// A value that several threads use, one at a time.
///
/// A pthread lock rather than `Synchronization.Mutex`: ThreadSanitizer does not see the futex by which a contended
/// `Mutex` waits, and reports races that are none.
package final class Guarded<Value>: @unchecked Sendable {
  // @unchecked: `value` is only touched under `lock`, and moves in and out of it as `sending`.
  private let lock = NSLock()
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
  }

  /// `body` must not call back into the same value.
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
