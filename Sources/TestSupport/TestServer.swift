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

  /// The port on 127.0.0.1, of a server that was asked to have one.
  package let tcpPort: Int?
  /// Data, socket and log; short, because the socket's path is limited.
  package let folder: String
  package let settings: ConnectionSettings
  package let binaries: ServerBinaries
  private let lifeline: Lifeline

  /// Starts another server. `hba` are lines for the top of pg_hba.conf, `configuration` lines for postgresql.conf.
  package init(hba: [String] = [], configuration: [String] = [], overTCP: Bool = false) throws(TestServerError) {
    do {
      tcpPort = overTCP ? TestServer.freePort() : nil
      binaries = try ServerBinaries.find()
      folder = try TestServer.makeFolder()
      lifeline = try Lifeline(command: TestServer.cleaning(folder, binaries))
      settings = try ConnectionSettings(
        conninfo: "host=\(folder) port=\(tcpPort ?? 5432) user=postgres dbname=postgres")
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
    let network = tcpPort.map { "127.0.0.1 -c port=\($0)" } ?? ""
    let options = "-k \(folder) -c listen_addresses=\(network)"
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

  /// A TCP port that nobody listens on.
  package static func freePort() -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        _ = unsafe bind(descriptor, pointer, length)
        _ = unsafe getsockname(descriptor, pointer, &length)
      }
    }
    return Int(UInt16(bigEndian: address.sin_port))
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

  static func makeFolder() throws -> String {
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
    let prefix = serverUser.map { ServerCommand.prefix(for: $0).joined(separator: " ") } ?? ""
    return "\(prefix) \(stop) >/dev/null 2>&1; rm -rf \(folder)"
  }
}

package enum TestServerError: Error, Equatable {
  case notStarted(String)
}
