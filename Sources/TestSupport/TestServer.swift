internal import Foundation
package import PostgresClient
package import PrivateCluster

/// A PostgreSQL server for tests, thrown away afterwards: no TCP, trust, nothing synced.
///
/// It ends with the test process however that dies: a shell holds the reading end of a pipe and cleans up when the
/// writing end closes.
package final class TestServer: Sendable {
  /// Names a server that is there already, and a superuser on it.
  package static let variable = "HK2PG_TEST_POSTGRES_URL"

  /// The server of this process, started at first use.
  package static let shared: Result<ConnectionSettings, TestServerError> = {
    if let conninfo = ProcessInfo.processInfo.environment[variable], !conninfo.isEmpty {
      return Result { try ConnectionSettings(conninfo: conninfo) }.mapError { .notStarted("\(variable): \($0)") }
    }
    return Result { () throws(TestServerError) in
      let server = try TestServer()
      // Held for ever: the pipe in it must stay open until the process ends.
      unsafe _ = Unmanaged.passRetained(server)
      return server.settings
    }
  }()

  /// Data, socket and log; short, because the socket's path is limited.
  package let folder: String
  package let settings: ConnectionSettings
  package let binaries: ServerBinaries
  private let lifeline: Lifeline

  /// Starts another server. `hba` are lines for the top of pg_hba.conf, `configuration` lines for postgresql.conf.
  package init(hba: [String] = [], configuration: [String] = []) throws(TestServerError) {
    do {
      binaries = try ServerBinaries.find()
      folder = try TestServer.makeFolder()
      lifeline = try Lifeline(command: TestServer.cleaning(folder, binaries))
      settings = try ConnectionSettings(conninfo: "host=\(folder) port=5432 user=postgres dbname=postgres")
      try initialise(hba: hba, configuration: configuration)
      try start()
    } catch let error as TestServerError {
      throw error
    } catch {
      throw .notStarted(String(describing: error))
    }
  }

  /// The user that the server runs as, when that is not the caller.
  package static var serverUser: String? { getuid() == 0 ? ServerCommand.serverUser : nil }

  package var dataFolder: String { folder + "/data" }

  package func start() throws {
    let options = "-k \(folder) -c listen_addresses="
    try run([
      binaries.path("pg_ctl"), "-D", dataFolder, "-l", folder + "/log", "-o", options, "-t", "60", "-w", "start",
    ])
  }

  /// Without any goodbye: `immediate` leaves crash recovery to the next start.
  package func stop(mode: String = "immediate") throws {
    try run([binaries.path("pg_ctl"), "-D", dataFolder, "-m", mode, "-w", "stop"])
  }

  private func initialise(hba: [String], configuration: [String]) throws {
    try run([
      binaries.path("initdb"), "-D", dataFolder, "-A", "trust", "-U", "postgres", "--no-sync", "--no-instructions",
      "--encoding=UTF8", "--locale=C.UTF-8", "--lc-collate=C",
    ])
    let settings =
      [
        "fsync = off", "full_page_writes = off", "synchronous_commit = off", "max_connections = 200",
        "shared_buffers = 128MB", "max_wal_size = 2GB", "log_min_messages = fatal",
      ] + configuration
    try append(settings, to: dataFolder + "/postgresql.conf", atTop: false)
    if !hba.isEmpty { try append(hba, to: dataFolder + "/pg_hba.conf", atTop: true) }
  }

  private func append(_ lines: [String], to path: String, atTop: Bool) throws {
    let text = lines.joined(separator: "\n") + "\n"
    let old = try String(contentsOfFile: path, encoding: .utf8)
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.write(contentsOf: Data((atTop ? text + old : old + text).utf8))
    try handle.close()
  }

  private func run(_ arguments: [String]) throws {
    let outcome = try ServerCommand(arguments, as: TestServer.serverUser).run()
    if outcome.status != 0 {
      let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
      throw TestServerError.notStarted(outcome.output + log)
    }
  }

  private static func makeFolder() throws -> String {
    let folder = "/tmp/hk2pg-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    if let user = serverUser {
      let outcome = try ServerCommand(["/bin/chown", user, folder]).run()
      if outcome.status != 0 { throw TestServerError.notStarted(outcome.output) }
    }
    return folder
  }

  private static func cleaning(_ folder: String, _ binaries: ServerBinaries) -> String {
    let stop = "\(binaries.path("pg_ctl")) -D \(folder)/data -m immediate -w stop"
    let asServer = serverUser.map { "/usr/sbin/runuser -u \($0) -- \(stop)" } ?? stop
    return "\(asServer) >/dev/null 2>&1; rm -rf \(folder)"
  }
}

package enum TestServerError: Error, Equatable {
  case notStarted(String)
}
