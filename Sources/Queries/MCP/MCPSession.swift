import BoundedQueues
import Foundation
import PostgresClient
import Synchronization

/// A client on standard input and output: JSON-RPC, one message a line (MCP's stdio transport).
///
/// ```
/// this thread: read a line ─► MCPProtocol ─┬─► answer                      ┐
///                                          ├─► queue ─► worker: run a tool ├─► one line out
///                                          └─► cancel what waits or runs   ┘
/// ```
package final class MCPSession: Sendable {
  package struct Surroundings: Sendable {
    /// Opens a reader whose connection asks the closure whether to stop.
    package var open: @Sendable (_ isInterrupted: @escaping @Sendable () -> Bool) throws -> HealthReader
    /// An error in words for the assistant, without values, names and secrets.
    package var describe: @Sendable (any Error) -> String
    /// Writes a line; false when nobody reads any more.
    package var send: @Sendable (String) -> Bool
    package var shouldStop: @Sendable () -> Bool

    package init(
      open: @escaping @Sendable (_ isInterrupted: @escaping @Sendable () -> Bool) throws -> HealthReader,
      describe: @escaping @Sendable (any Error) -> String, send: @escaping @Sendable (String) -> Bool,
      shouldStop: @escaping @Sendable () -> Bool
    ) {
      self.open = open
      self.describe = describe
      self.send = send
      self.shouldStop = shouldStop
    }
  }

  /// Calls that a client may have waiting; more wait in its pipe.
  private static let capacity = 4_096

  private struct Calls {
    var running: JSONValue?
    var isRunningCancelled = false
    var waiting: Set<JSONValue> = []
    var cancelled: Set<JSONValue> = []
  }

  private let surroundings: Surroundings
  private let info: MCPServerInfo
  private let calls = Guarded(Calls())
  private let output = Guarded(true)
  private let isClosed = Atomic<Bool>(false)
  private let queue = BoundedQueue<MCPProtocol.Job>(capacity: MCPSession.capacity)

  package init(_ info: MCPServerInfo, _ surroundings: Surroundings) {
    self.info = info
    self.surroundings = surroundings
  }

  /// Serves until the input ends or a stop is asked for. Calls that wait when the input ends are still answered.
  package func run(descriptor: Int32) throws {
    try runStages([{ self.serve(descriptor) }, { self.work() }], onFailure: { self.queue.cancel() })
  }

  private var mustStop: Bool { isClosed.load(ordering: .relaxed) || surroundings.shouldStop() }

  // MARK: Reading

  private func serve(_ descriptor: Int32) {
    var talk = MCPProtocol(info: info, tools: HealthTools.all)
    var lines = LineReader(descriptor: descriptor) { self.mustStop }
    while let line = lines.next() {
      let effects: [MCPProtocol.Effect] =
        switch line {
        case .line(let bytes): talk.receive(bytes)
        case .tooLong: [.send(RPCError.invalidRequest("a line of more than 1 MB").reply(to: .null))]
        }
      for effect in effects { carryOut(effect) }
    }
    if mustStop { queue.cancel() } else { queue.finish() }
  }

  private func carryOut(_ effect: MCPProtocol.Effect) {
    switch effect {
    case .send(let message): send(message)
    case .run(let job):
      calls.withLock { calls in
        for case .call(let call) in job.items { calls.waiting.insert(call.id) }
      }
      queue.send(job)
    case .cancel(let id):
      calls.withLock { calls in
        if calls.running == id {
          calls.isRunningCancelled = true
        } else if calls.waiting.contains(id) {
          calls.cancelled.insert(id)
        }
      }
    }
  }

  private func send(_ message: JSONValue) {
    let line = message.text + "\n"
    let isRead = output.withLock { isOpen in
      isOpen = isOpen && surroundings.send(line)
      return isOpen
    }
    if !isRead { isClosed.store(true, ordering: .relaxed) }
  }

  // MARK: Working

  private func work() {
    let isStopped: @Sendable () -> Bool = { self.mustStop || self.calls.withLock { $0.isRunningCancelled } }
    let surroundings = self.surroundings
    let runner = ToolRunner(
      open: { try surroundings.open(isStopped) }, describe: surroundings.describe, isCancelled: isStopped)
    defer { runner.close() }
    let talk = MCPProtocol(info: info, tools: HealthTools.all)
    while let job = queue.receive() {
      var answers: [JSONValue] = []
      for item in job.items {
        switch item {
        case .answer(let answer): answers.append(answer)
        case .call(let call): if let answer = answer(call, runner, talk) { answers.append(answer) }
        }
        if mustStop { return }
      }
      if job.isBatch {
        if !answers.isEmpty { send(.array(answers)) }
      } else {
        for answer in answers { send(answer) }
      }
    }
  }

  /// nil: the call was cancelled, and gets no answer.
  private func answer(_ call: MCPProtocol.ToolCall, _ runner: ToolRunner, _ talk: MCPProtocol) -> JSONValue? {
    let isWanted = calls.withLock { calls in
      calls.waiting.remove(call.id)
      guard calls.cancelled.remove(call.id) == nil else { return false }
      calls.running = call.id
      calls.isRunningCancelled = false
      return true
    }
    guard isWanted, let tool = talk.tools.first(where: { $0.name == call.tool }) else { return nil }
    let outcome = runner.run(tool, call.arguments)
    let isCancelled = calls.withLock { calls in
      calls.running = nil
      defer { calls.isRunningCancelled = false }
      return calls.isRunningCancelled
    }
    if isCancelled { return nil }
    switch outcome {
    case .cancelled: return nil
    case .failed(let words):
      return talk.reply(to: call.id, ["content": MCPSession.content(words), "isError": true], call.revision)
    case .result(let value):
      var members: [String: JSONValue] = ["content": MCPSession.content(value.text), "isError": false]
      if call.revision.hasStructuredResults { members["structuredContent"] = value }
      return talk.reply(to: call.id, members, call.revision)
    }
  }

  private static func content(_ text: String) -> JSONValue { [["type": "text", "text": .string(text)]] }
}
