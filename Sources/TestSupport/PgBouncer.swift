internal import Foundation
package import PostgresClient
internal import PrivateCluster

/// The real pgbouncer in transaction mode before a test database: one server session serves many clients, and a client
/// gets another one for every transaction. Whatever needs a session breaks here.
package final class PgBouncer {
  package static let missing = "pgbouncer is not installed"
  package static var isAvailable: Bool { program != nil && TestDatabase.isAvailable }

  private static var program: String? {
    ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// The database, through the pooler.
  package let settings: ConnectionSettings
  private let folder: String
  private let lifeline: Lifeline
  private let child: Int32

  /// `poolSize` server sessions for all clients together.
  package init(before database: TestDatabase, poolSize: Int = 2) throws {
    guard let program = PgBouncer.program else { throw TestServerError.notStarted(PgBouncer.missing) }
    folder = try TestServer.makeFolder()
    let target = database.settings.address
    let configuration = """
      [databases]
      \(database.name) = host=\(target.host) port=\(target.port)
      [pgbouncer]
      listen_addr =
      listen_port = 6432
      unix_socket_dir = \(folder)
      auth_type = trust
      auth_file = \(folder)/users
      pool_mode = transaction
      default_pool_size = \(poolSize)
      max_client_conn = 100
      logfile = \(folder)/log

      """
    try "\"\(target.user)\" \"\"\n".write(toFile: folder + "/users", atomically: false, encoding: .utf8)
    try configuration.write(toFile: folder + "/pgbouncer.ini", atomically: false, encoding: .utf8)
    child = try ServerCommand([program, "-q", folder + "/pgbouncer.ini"], as: TestServer.serverUser).start(output: nil)
    lifeline = try Lifeline(command: "kill \(child); rm -rf \(folder)")
    settings = try ConnectionSettings(
      conninfo: "host=\(folder) port=6432 dbname=\(database.name) user=\(target.user)")
    try waitUntilReady()
  }

  private func waitUntilReady() throws {
    for _ in 0..<100 {
      if FileManager.default.fileExists(atPath: folder + "/.s.PGSQL.6432") { return }
      if SpawnedProcess.exitStatus(child) != nil { break }
      usleep(50_000)
    }
    let log = try? String(contentsOfFile: folder + "/log", encoding: .utf8)
    throw TestServerError.notStarted("pgbouncer: \(log ?? "no log")")
  }

  deinit {
    kill(child, SIGKILL)
    _ = SpawnedProcess.wait(child)
  }
}
