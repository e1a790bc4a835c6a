import Foundation
import HealthModel
package import PostgresClient
package import Staging
import Synchronization

/// Loads staged exports of one user into one database.
///
/// ```
/// init      connects and checks: server, rights, shapes. Writes nothing, so a bad export leaves the database as it was
/// load      lease ─► plan ─► chunks into hk2pg.incoming_N ─► keys, indexes ─► one short transaction ─► VACUUM
/// ```
package final class Loader {
  package let userID: String
  private let settings: ConnectionSettings
  private let options: LoadOptions
  private let isInterrupted: @Sendable () -> Bool
  private let onEvent: @Sendable (LoadEvent) -> Void
  private(set) var connection: PostgresConnection
  private let server: ServerFacts
  private var readAhead: ReadAhead?

  /// Throws `PostgresError` when there is no connection, `LoadError` when server, rights or tables are not usable.
  package init(
    _ settings: ConnectionSettings, user: String, options: LoadOptions = LoadOptions(),
    isInterrupted: @escaping @Sendable () -> Bool = { false },
    onEvent: @escaping @Sendable (LoadEvent) -> Void = { _ in }
  ) throws {
    userID = user
    self.settings = settings
    self.options = options
    self.isInterrupted = isInterrupted
    self.onEvent = onEvent
    connection = try PostgresConnection(settings, isInterrupted: isInterrupted)
    server = try Loader.check(user, connection)
  }

  /// With `isNoWait`, throws `LoadError.busy` when another import of the user runs: before staging, not after.
  package func refuseIfBusy() throws {
    guard options.isNoWait else { return }
    if let holder = try Lease.holder(of: userID, connection) { throw LoadError.busy(holder) }
  }

  /// Starts reading what the table holds of the user, to be used by the next `load`: call it before staging. Returns at
  /// once.
  package func beginReadingTable() {
    readAhead = ReadAhead(settings, server, userID: userID, isInterrupted: isInterrupted)
  }

  /// For the stage between: which days the table was found to hold, as far as it is read by the time of the call. Days
  /// that the table holds exactly as the export does need no chunks; `load` makes sure that it still does.
  package var knownDays: @Sendable () -> KnownDays? {
    guard let readAhead else { return { nil } }
    return { readAhead.known }
  }

  package func close() { connection.close() }

  package var ledger: Ledger { Ledger(connection) }

  /// Staging, or reading another database, may take longer than a server or a pooler keeps an idle connection.
  func reconnectIfLost() throws {
    do {
      try connection.execute("SELECT 1")
    } catch  where error.isConnectionLost {
      connection = try PostgresConnection(settings, isInterrupted: isInterrupted)
    }
  }

  private static func check(_ userID: String, _ connection: PostgresConnection) throws -> ServerFacts {
    let server = try ServerFacts(connection)
    try server.checkRights(connection, user: userID)
    for table in PublishedTable.allCases {
      if let shape = try TableShape.read(table, connection), shape.hasUUIDUser, UUID(uuidString: userID) == nil {
        throw LoadError.userIsNoUUID
      }
    }
    return server
  }

  /// Loads a folder staged for this user. Safe to run again after any failure: the same call goes on where it stopped.
  package func load(_ folder: ChunkFolder) throws -> LoadOutcome {
    if folder.manifest.user != userID { throw LoadError.otherUser(staged: folder.manifest.user) }
    try reconnectIfLost()
    let found = readAhead
    readAhead = nil
    return try underLease { context in
      try ImportLoad(folder: folder, context: context, found: try found?.take(userID: userID, connection)).run()
    }
  }

  /// Checks the server again, makes or updates the schema `hk2pg`, and runs `body` as the user's one writer.
  func underLease<T>(_ body: (LoadContext) throws -> T) throws -> T {
    var server = try Loader.check(userID, connection)
    try connection.transaction {
      try server.prepareTransaction(connection)
      try Schema.prepareOwn(server, connection)
    }
    server = try ServerFacts(connection)
    let lease = try Lease.acquire(
      userID, server, connection, isNoWait: options.isNoWait, isInterrupted: isInterrupted
    ) { [onEvent] wait in
      switch wait {
      case .waiting(let holder): onEvent(.waiting(holder))
      case .tookOver(let holder): onEvent(.tookOver(holder))
      }
    }
    defer { lease.release(connection) }
    try options.faults.pass("after-lease")
    let context = LoadContext(
      server: server, userID: userID, options: options, lease: lease, connection: connection,
      isInterrupted: isInterrupted, onEvent: onEvent)
    return try body(context)
  }
}
