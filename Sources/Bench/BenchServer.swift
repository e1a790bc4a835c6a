import Foundation
import PostgresClient
import TestSupport

/// A server of the bench's own, with the durability of a real one: what is measured is what users get.
struct BenchServer {
  private let server: TestServer
  let folder: URL

  init(folder: URL) throws {
    self.folder = folder
    server = try TestServer(configuration: [
      "fsync = on", "full_page_writes = on", "synchronous_commit = on", "shared_buffers = 1GB", "max_wal_size = 8GB",
      "wal_compression = on", "checkpoint_timeout = 30min", "max_parallel_maintenance_workers = 0",
    ])
  }

  func stop() { try? server.stop() }

  func conninfo(_ database: String) -> String { server.settings.replacing(database: database).address.description }

  func connect(_ database: String) throws -> PostgresConnection {
    try PostgresConnection(server.settings.replacing(database: database))
  }

  func version() throws -> String {
    try PostgresConnection(server.settings).query("SHOW server_version")[0].text(0)
  }

  /// A database of that name, new and empty, and nothing left to write for the disk.
  func recreate(_ database: String) throws {
    let connection = try PostgresConnection(server.settings)
    try connection.execute("DROP DATABASE IF EXISTS \(SQLText.identifier(database)) WITH (FORCE)")
    try connection.execute("CREATE DATABASE \(SQLText.identifier(database))")
    try connection.execute("CHECKPOINT")
  }

  /// Runs statements in sessions of their own, side by side: `workers` at a time, in order.
  func runSideBySide(_ statements: [String], database: String, workers: Int = 2) throws {
    let queue = StatementQueue(statements)
    let threads = DispatchGroup()
    for _ in 0..<workers {
      threads.enter()
      let connection = try connect(database)
      let session = Session(connection: connection)
      Thread.detachNewThread {
        defer { threads.leave() }
        while let statement = queue.next() {
          do { try session.connection.execute(statement) } catch { queue.record(error) }
        }
      }
    }
    threads.wait()
    if let error = queue.error { throw error }
  }

  /// @unchecked: handed to one thread, and used there alone.
  private struct Session: @unchecked Sendable { let connection: PostgresConnection }

  private final class StatementQueue: @unchecked Sendable {
    // @unchecked: all state is only touched under `lock`.
    private let lock = NSLock()
    private var waiting: [String]
    private var failure: (any Error)?

    init(_ statements: [String]) { waiting = statements }
    func next() -> String? { lock.withLock { waiting.isEmpty ? nil : waiting.removeFirst() } }
    func record(_ error: any Error) { lock.withLock { failure = failure ?? error } }
    var error: (any Error)? { lock.withLock { failure } }
  }
}
