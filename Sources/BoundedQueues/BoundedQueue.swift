import Foundation

/// A queue between two stages: `send` waits while it is full, `receive` waits while it is empty.
///
/// Batches travel through it, never single records: a hop costs microseconds. Any number of threads may send and
/// receive. `finish()` ends the flow in order (what is queued is still received), `cancel()` ends it at once.
package final class BoundedQueue<Element: Sendable>: @unchecked Sendable {
  // @unchecked: every access to the fields below holds `condition`.
  private let condition = NSCondition()
  private let capacity: Int
  private var elements: [Element] = []
  private var isFinished = false
  private var isCancelled = false

  package init(capacity: Int) {
    precondition(capacity > 0)
    self.capacity = capacity
  }

  /// Waits for room. False when the queue was cancelled: the sender should stop.
  @discardableResult
  package func send(_ element: Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    precondition(!isFinished, "send after finish")
    while elements.count >= capacity && !isCancelled { condition.wait() }
    if isCancelled { return false }
    elements.append(element)
    condition.broadcast()
    return true
  }

  /// Waits for an element. Nil when the queue is finished and empty, or cancelled.
  package func receive() -> Element? {
    condition.lock()
    defer { condition.unlock() }
    while elements.isEmpty && !isFinished && !isCancelled { condition.wait() }
    if isCancelled || elements.isEmpty { return nil }
    let element = elements.removeFirst()
    condition.broadcast()
    return element
  }

  /// No more elements will come.
  package func finish() {
    condition.lock()
    defer { condition.unlock() }
    isFinished = true
    condition.broadcast()
  }

  /// Wakes every waiter; nothing more is sent or received.
  package func cancel() {
    condition.lock()
    defer { condition.unlock() }
    isCancelled = true
    elements.removeAll()
    condition.broadcast()
  }
}
