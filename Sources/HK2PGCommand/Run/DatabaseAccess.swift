import BoundedQueues
import ImportFlow
import PostgresClient
import PrivateCluster

/// Opens the database a command line chose; the private cluster is started on demand.
struct DatabaseAccess: Sendable {
  let interruption: Interruption
  /// A sentence for the user: making a cluster takes seconds, recovery may take minutes.
  let note: @Sendable (String) -> Void

  func settings(_ choice: DatabaseChoice) throws -> ConnectionSettings {
    if let conninfo = choice.conninfo { return try ConnectionSettings(conninfo: conninfo) }
    return try start(try PrivateCluster())
  }

  func connect(_ choice: DatabaseChoice) throws -> PostgresConnection {
    try PostgresConnection(try settings(choice), isInterrupted: isInterrupted)
  }

  func start(_ cluster: PrivateCluster) throws(ClusterError) -> ConnectionSettings {
    try cluster.start(isInterrupted: isInterrupted) { event in note(event.sentence)
    }
  }

  var isInterrupted: @Sendable () -> Bool { { [interruption] in interruption.isRequested } }
}
