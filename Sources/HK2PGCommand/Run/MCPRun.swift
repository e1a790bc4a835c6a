import BoundedQueues
import Foundation
import ImportFlow
import PostgresClient
import Queries

/// `hk2pg mcp`: a server for one client on standard input and output. Nothing but the protocol goes to standard output.
struct MCPRun {
  let access: DatabaseAccess
  let output: OutputSettings
  let interruption: Interruption

  /// Ends with the input, or when a signal asks for it: both are a client's way to say that it is done.
  func run(_ user: QueryUser, _ choice: DatabaseChoice) throws {
    let isDebug = output.isDebug
    let session = MCPSession(
      MCPServerInfo(version: HK2PGVersion.current),
      MCPSession.Surroundings(
        open: { [access] isInterrupted in try access.reader(choice, user, isInterrupted: isInterrupted) },
        describe: { error in
          let failure = Failure(error)
          // The same words as on a terminal, for whoever looks into the client's log.
          Console.writeMessage(failure.text(isDebug: isDebug))
          return MCPRun.words(error, failure)
        },
        send: { Console.writeProtocol($0) }, shouldStop: { [interruption] in interruption.isRequested }))
    try session.run(descriptor: STDIN_FILENO)
  }

  /// For an assistant, which has tools where people have commands.
  static func words(_ error: any Error, _ failure: Failure) -> String {
    var next = failure.next
    if case .unknownMetric(_, let nearest) = error as? QueryError {
      next = (nearest.map { "Did you mean \($0)? " } ?? "") + "The tool list_metrics has all there is."
    }
    return ([failure.what.capitalisedFirst + "."] + [next].compactMap { $0 }).joined(separator: " ")
  }
}

extension String {
  fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
