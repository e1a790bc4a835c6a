internal import Foundation
package import PostgresClient

/// hk2pg's own PostgreSQL, for people who have none: made at first use, started on demand, left running for psql until
/// `hk2pg db stop` or a reboot.
package struct PrivateCluster: Sendable {
  package enum State: Sendable, Equatable {
    /// Never used.
    case absent
    case stopped
    case running(processID: Int32)
  }

  /// Told while `start` works, as making a cluster takes seconds and crash recovery may take minutes.
  package enum Event: Sendable, Equatable {
    case creating(folder: String)
    case starting
    case recovering
  }

  package static let databaseName = "hk2pg"
  static let readySeconds = 300

  package let layout: ClusterLayout
  /// Newest installed, or those of the version that made the data.
  package let binaries: ServerBinaries
  /// The database role: named like the operating system's user, and superuser.
  package let role: String
  /// The operating system's user that the server runs as, when that is not the caller.
  let serverUser: String?

  /// Finds folders and programs, and writes nothing.
  package init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(ClusterError) {
    layout = try ClusterLayout(environment: environment, userID: geteuid(), homeFolder: NSHomeDirectory())
    let made = PrivateCluster.major(of: layout.dataFolder)
    binaries = try ServerBinaries.find(major: made, environment: environment)
    if let made, made != binaries.major {
      throw .otherMajor(data: made, installed: binaries.major, folder: layout.dataFolder)
    }
    let name = NSUserName()
    role = name.isEmpty || name.hasPrefix("pg_") ? PrivateCluster.databaseName : name
    serverUser = geteuid() == 0 ? ServerCommand.serverUser : nil
  }

  /// Of the data folder's PG_VERSION; nil where no cluster was made.
  private static func major(of dataFolder: String) -> Int? {
    (try? String(contentsOfFile: dataFolder + "/PG_VERSION", encoding: .utf8))
      .flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  package var state: State {
    if let postmaster = Postmaster.running(on: layout.dataFolder) { return .running(processID: postmaster.processID) }
    return PrivateCluster.major(of: layout.dataFolder) == nil ? .absent : .stopped
  }

  /// Where the running server's socket is, or the next one's will be.
  private var socketFolder: String { Postmaster.running(on: layout.dataFolder)?.socketFolder ?? layout.socketFolder }

  /// How to connect, whether the server runs or not. PGHOSTADDR and PGPORT must not lead elsewhere.
  package var settings: ConnectionSettings {
    get throws(ClusterError) {
      do {
        return try ConnectionSettings(conninfo: url).replacing("hostaddr", "")
      } catch {
        throw .postgres(error)
      }
    }
  }

  /// `postgresql://anna@/hk2pg?host=%2Fhome%2Fanna%2F.local%2Fshare%2Fhk2pg%2Fpostgres%2Fsocket&port=5432`
  package var url: String {
    let user = PrivateCluster.percentEncoded(role)
    let host = PrivateCluster.percentEncoded(socketFolder)
    return "postgresql://\(user)@/\(PrivateCluster.databaseName)?host=\(host)&port=\(ClusterLayout.port)"
  }

  /// The command line that opens psql on the database, to be run in place of hk2pg.
  package func psqlCommand(_ arguments: [String] = []) throws(ClusterError) -> [String] {
    let programs = [binaries.path("psql"), "/usr/bin/psql"]
    guard let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw .commandMissing(program: "psql")
    }
    return [program, "--dbname=" + url] + arguments
  }

  /// Makes, starts, or waits for the server, as needed, and returns how to connect. A second starter waits for the
  /// first.
  @discardableResult
  package func start(
    isInterrupted: @escaping @Sendable () -> Bool = { false }, report: (Event) -> Void = { _ in }
  ) throws(ClusterError) -> ConnectionSettings {
    if case .running = state, (try? PostgresConnection(settings, isInterrupted: isInterrupted)) != nil {
      return try settings
    }
    let setup = ClusterSetup(cluster: self)
    try setup.prepareBase()
    let lock = try ClusterLock(layout.lockFile, isInterrupted: isInterrupted)
    try setup.prepareHome()
    if PrivateCluster.major(of: layout.dataFolder) == nil {
      report(.creating(folder: layout.dataFolder))
      try setup.createData()
    }
    try ClusterStart(cluster: self, setup: setup, isInterrupted: isInterrupted).run(report)
    try createDatabase(isInterrupted)
    _ = consume lock
    return try settings
  }

  /// Ends the server; sessions in it are broken off, committed data is safe. False if it did not run.
  @discardableResult
  package func stop(isInterrupted: () -> Bool = { false }) throws(ClusterError) -> Bool {
    if state == .absent { return false }
    let lock = try ClusterLock(layout.lockFile, isInterrupted: isInterrupted)
    guard case .running = state else { return false }
    try stopServer()
    _ = consume lock
    return true
  }

  /// With the lock held.
  func stopServer() throws(ClusterError) {
    let outcome = try ServerCommand(
      [binaries.path("pg_ctl"), "-D", layout.dataFolder, "-m", "fast", "-t", "300", "-w", "stop"], as: serverUser
    ).run()
    if outcome.status != 0 && state != .stopped {
      throw .failed(program: "pg_ctl", output: outcome.output, log: layout.logFile)
    }
  }

  private func createDatabase(_ isInterrupted: @escaping @Sendable () -> Bool) throws(ClusterError) {
    do {
      let connection = try PostgresConnection(settings.replacing(database: "postgres"), isInterrupted: isInterrupted)
      let name = PrivateCluster.databaseName
      if try connection.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]).isEmpty {
        try connection.execute("CREATE DATABASE \(SQLText.identifier(name))")
      }
    } catch let error as ClusterError {
      throw error
    } catch let error as PostgresError {
      throw error == .interrupted ? .interrupted : .postgres(error)
    } catch {
      throw .failed(program: "hk2pg", output: String(describing: error), log: layout.logFile)
    }
  }

  private static func percentEncoded(_ text: String) -> String {
    let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
  }
}
