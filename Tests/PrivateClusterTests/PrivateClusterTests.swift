import Foundation
import PostgresClient
import PrivateCluster
import Synchronization
import TestSupport
import Testing

private let hasServer = (try? ServerBinaries.find()) != nil

/// Real clusters in folders of their own, as the user that runs the tests and, if that is root, as another user too.
@Suite(.enabled(if: hasServer, Comment(rawValue: TestDatabase.missing)))
struct PrivateClusterTests {
  /// Its life from first use to the end, in one test: making a cluster is what takes time.
  @Test func aClusterLivesAndRecovers() throws {
    let home = try ClusterHome()
    let cluster = try home.cluster()
    #expect(cluster.state == .absent)
    #expect(try cluster.stop() == false)

    // Two starters at once: one makes it, the other waits.
    let failures = Mutex<[String]>([])
    let threads = (0..<2).map { _ in
      Thread {
        do { try cluster.start() } catch { failures.withLock { $0.append("\(error)") } }
      }
    }
    for thread in threads { thread.start() }
    for thread in threads { while !thread.isFinished { usleep(10_000) } }
    #expect(failures.withLock { $0 } == [])

    var events: [PrivateCluster.Event] = []
    let connection = try PostgresConnection(cluster.start(report: { events.append($0) }))
    #expect(events.isEmpty)
    try checkSettings(connection, cluster)
    try connection.execute("CREATE TABLE kept(a int); INSERT INTO kept VALUES (7)")

    // A crash: the next start recovers, and no committed row is lost.
    guard case .running(let processID) = cluster.state else {
      Issue.record("\(cluster.state)")
      return
    }
    try home.kill(processID)
    #expect(cluster.state == .stopped)
    // A session may answer once more before it sees that its postmaster is gone.
    #expect(throws: PostgresError.self) {
      for _ in 0..<200 {
        try connection.execute("SELECT 1")
        usleep(50_000)
      }
    }
    let again = try PostgresConnection(cluster.start(report: { events.append($0) }))
    #expect(events.first == .starting)
    #expect(try again.query("SELECT a FROM kept")[0].int(0) == 7)

    // As after a reboot: the file is there, and its number is some other process's.
    #expect(try cluster.stop())
    #expect(cluster.state == .stopped)
    let file = cluster.layout.dataFolder + "/postmaster.pid"
    try "\(getpid())\n\(cluster.layout.dataFolder)\n1\n5432\n\n\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    try home.giveToServer(file)
    try cluster.start()

    // A socket that somebody removed: the server is started anew.
    try FileManager.default.removeItem(atPath: ClusterLayout.socketFile(in: cluster.layout.socketFolder))
    #expect(try PostgresConnection(cluster.start()).query("SELECT a FROM kept")[0].int(0) == 7)
    #expect(try cluster.stop())

    // The data of a version that is not installed.
    let version = cluster.layout.dataFolder + "/PG_VERSION"
    try "14\n".write(toFile: version, atomically: false, encoding: .utf8)
    #expect(
      throws: ClusterError.otherMajor(data: 14, installed: cluster.binaries.major, folder: cluster.layout.dataFolder)
    ) { try home.cluster() }
  }

  private func checkSettings(_ connection: PostgresConnection, _ cluster: PrivateCluster) throws {
    let row = try connection.query(
      """
      SELECT current_database(), current_user, current_setting('fsync'), current_setting('listen_addresses'),
        datcollate, pg_encoding_to_char(encoding), inet_server_addr(), current_setting('wal_level')
      FROM pg_database WHERE datname = current_database()
      """)[0]
    let values = try (0..<8).map { try row.optionalText(.index($0)) }
    #expect(values == ["hk2pg", NSUserName(), "on", "", "C", "UTF8", nil, "minimal"])
    let attributes = try FileManager.default.attributesOfItem(atPath: cluster.layout.socketFolder)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    let command = try cluster.psqlCommand(["-XAtc", "SELECT 'from ' || 'psql'"])
    #expect(try ServerCommand(command).run().output == "from psql\n")
  }

  @Test func whatIsNoDataIsLeftAlone() throws {
    let home = try ClusterHome()
    let cluster = try home.cluster()
    let file = cluster.layout.dataFolder + "/letter.txt"
    try FileManager.default.createDirectory(atPath: cluster.layout.dataFolder, withIntermediateDirectories: true)
    try "dear".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(throws: ClusterError.alienFolder(path: cluster.layout.dataFolder)) { try cluster.start() }
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test func interruptionEndsTheWaitForAnotherStarter() throws {
    let home = try ClusterHome()
    let cluster = try home.cluster()
    let holder = unsafe open(cluster.layout.lockFile, O_CREAT | O_RDWR, 0o600)
    defer { close(holder) }
    #expect(flock(holder, LOCK_EX) == 0)
    #expect(throws: ClusterError.interrupted) { try cluster.start(isInterrupted: { true }) }
    #expect(cluster.state == .absent)
  }

  /// In a process of its own that becomes an ordinary user.
  @Test(.enabled(if: getuid() == 0, "only root can become another user"))
  func itWorksWithoutRoot() async {
    await #expect(processExitsWith: .success) {
      let home = try ClusterHome(owner: "nobody")
      defer { home.remove() }
      try home.becomeOwner()
      let cluster = try home.cluster()
      let connection = try PostgresConnection(cluster.start())
      let row = try connection.query("SELECT current_user, current_setting('data_directory')")[0]
      try require(row.text(0) == "nobody", "role")
      try require(row.text(1) == cluster.layout.dataFolder, "folder")
      try require(cluster.stop(), "stop")
      try require(cluster.state == .stopped, "state")
    }
  }

  @Test(.enabled(if: getuid() == 0, "only root can become another user"))
  func aForbiddenFolderIsNamed() async {
    await #expect(processExitsWith: .success) {
      let home = try ClusterHome(owner: "nobody")
      defer { home.remove() }
      try home.becomeOwner()
      try require(unsafe chmod(home.folder, 0o555) == 0, "chmod")
      do {
        try home.cluster("below").start()
        try require(false, "started")
      } catch ClusterError.notPermitted(let path, let user) {
        try require(path == home.folder + "/below" && user == "nobody", "\(path) \(user)")
      }
    }
  }
}

private struct Unmet: Error { var what: String }

/// In a process of its own there is nobody to record an issue.
private func require(_ condition: Bool, _ what: String) throws { if !condition { throw Unmet(what: what) } }

/// A folder for one cluster, which is stopped and removed at the end, also when the test fails.
private final class ClusterHome {
  let folder: String
  private let owner: String

  init(owner: String = NSUserName()) throws {
    self.owner = owner
    folder = "/tmp/hk2pg-cluster-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    if let entry = unsafe getpwnam(owner), getuid() == 0 {
      _ = unsafe chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid)
    }
  }

  func cluster(_ name: String? = nil) throws -> PrivateCluster {
    try PrivateCluster(environment: ["HK2PG_DB_DIR": name.map { "\(folder)/\($0)" } ?? folder])
  }

  func becomeOwner() throws {
    guard let entry = unsafe getpwnam(owner) else { throw Unmet(what: "user") }
    let (uid, gid) = unsafe (entry.pointee.pw_uid, entry.pointee.pw_gid)
    try require(setgid(gid) == 0 && setuid(uid) == 0, "setuid")
  }

  /// SIGKILL, and waits until it is gone.
  func kill(_ processID: Int32) throws {
    try require(Foundation.kill(processID, SIGKILL) == 0, "kill")
    while FileManager.default.fileExists(atPath: "/proc/\(processID)/exe") { usleep(10_000) }
  }

  func giveToServer(_ path: String) throws {
    guard getuid() == 0, let entry = unsafe getpwnam(ServerCommand.serverUser) else { return }
    _ = unsafe chown(path, entry.pointee.pw_uid, entry.pointee.pw_gid)
  }

  func remove() {
    _ = try? cluster().stop()
    _ = unsafe chmod(folder, 0o755)
    try? FileManager.default.removeItem(atPath: folder)
  }

  deinit { remove() }
}
