import PostgresClient

/// What every step of a load shares: whose load it is, how to reach the server, and the right to write.
struct LoadContext {
  let server: ServerFacts
  let userID: String
  let options: LoadOptions
  let lease: Lease
  /// The main thread's connection; other threads `connect`.
  let connection: PostgresConnection
  let isInterrupted: @Sendable () -> Bool
  let onEvent: @Sendable (LoadEvent) -> Void
}

/// The part of `LoadContext` that other threads may use.
struct WorkerContext: Sendable {
  let server: ServerFacts
  let lease: Lease
  let settings: ConnectionSettings
  let faults: FaultPoints
  let isInterrupted: @Sendable () -> Bool
  let onEvent: @Sendable (LoadEvent) -> Void

  func connect() throws -> PostgresConnection { try PostgresConnection(settings, isInterrupted: isInterrupted) }

  /// A transaction beside others of the same import.
  func transaction<T>(
    _ connection: PostgresConnection, _ more: [(name: String, value: String)] = [], _ body: () throws -> T
  ) throws -> T {
    try connection.transaction {
      try server.prepareTransaction(connection, more)
      try lease.enter(connection, .shared)
      return try body()
    }
  }
}

extension LoadContext {
  var worker: WorkerContext {
    WorkerContext(
      server: server, lease: lease, settings: connection.settings, faults: options.faults,
      isInterrupted: isInterrupted, onEvent: onEvent)
  }

  /// A transaction that nobody else of this user writes beside.
  func transaction<T>(_ more: [(name: String, value: String)] = [], _ body: () throws -> T) throws -> T {
    try connection.transaction {
      try server.prepareTransaction(connection, more)
      try lease.enter(connection, .alone)
      return try body()
    }
  }

  /// Reads only.
  func reading<T>(_ more: [(name: String, value: String)] = [], _ body: () throws -> T) throws -> T {
    try connection.transaction(TransactionOptions(isReadOnly: true)) {
      try server.prepareTransaction(connection, more)
      return try body()
    }
  }
}
