internal import Foundation

/// Makes the folders and the data of a private cluster. Every step may be repeated after a crash in its middle.
struct ClusterSetup {
  let cluster: PrivateCluster
  private var layout: ClusterLayout { cluster.layout }
  private var owner: String { cluster.serverUser ?? NSUserName() }

  init(cluster: PrivateCluster) { self.cluster = cluster }

  /// The base folder belongs to the caller. Run as root, the server's user must pass through it.
  func prepareBase() throws(ClusterError) {
    if let user = cluster.serverUser, unsafe getpwnam(user) == nil { throw .noServerUser(name: user) }
    let isPassable = cluster.serverUser != nil
    if FileManager.default.fileExists(atPath: layout.base) {
      if isPassable { try makePassable(layout.base) }
      return
    }
    try makeFolder(layout.base, mode: isPassable ? 0o711 : 0o700, withParents: true)
  }

  /// Home and socket folder belong to the server's user alone.
  func prepareHome() throws(ClusterError) {
    try makeOwnFolder(layout.home)
    try makeOwnFolder(layout.socketFolder)
    try? FileManager.default.removeItem(atPath: layout.newDataFolder)
  }

  /// initdb into a folder that gets its name when it is complete and on disk.
  func createData() throws(ClusterError) {
    if let names = try? FileManager.default.contentsOfDirectory(atPath: layout.dataFolder), !names.isEmpty {
      throw .alienFolder(path: layout.dataFolder)
    }
    let outcome = try ServerCommand(
      [
        cluster.binaries.path("initdb"), "-D", layout.newDataFolder, "-U", cluster.role, "-A", "trust",
        "--encoding=UTF8", "--locale=C.UTF-8", "--lc-collate=C", "--no-instructions",
      ], as: cluster.serverUser
    ).run()
    if outcome.status != 0 { throw failure(program: "initdb", outcome.output, log: nil) }
    let folder = layout.newDataFolder
    try write(ClusterConfiguration.hostBasedAuthentication, to: folder + "/pg_hba.conf")
    let configuration = folder + "/postgresql.conf"
    let packaged = (try? String(contentsOfFile: configuration, encoding: .utf8)) ?? ""
    try write("\(packaged)\n\(ClusterConfiguration.includeLine)\n", to: configuration)
    try write("", to: folder + "/" + ClusterConfiguration.fileName)
    if unsafe rename(folder, layout.dataFolder) != 0 { throw fileFailure(layout.dataFolder) }
  }

  /// hk2pg.conf for the machine as it is today.
  func writeConfiguration() throws(ClusterError) {
    let configuration = ClusterConfiguration.detect(socketFolder: layout.socketFolder, hasLZ4: hasLZ4())
    try write(configuration.text, to: layout.dataFolder + "/" + ClusterConfiguration.fileName)
  }

  /// An error text of initdb or the server as the error that the user can act on.
  func failure(program: String, _ output: String, log: String?) -> ClusterError {
    if output.contains("No space left on device") || output.contains("Disk quota exceeded") {
      return .diskFull(path: layout.home)
    }
    if output.contains("Permission denied") || output.contains("Read-only file system") {
      return .notPermitted(path: layout.home, user: owner)
    }
    return .failed(program: program, output: output, log: log)
  }

  /// `postgres -C` prints a setting, or refuses its value.
  private func hasLZ4() -> Bool {
    let outcome = try? ServerCommand(
      [
        cluster.binaries.path("postgres"), "-D", layout.dataFolder, "-c", "wal_compression=lz4", "-C",
        "wal_compression",
      ], as: cluster.serverUser
    ).run()
    return outcome?.status == 0
  }

  /// 0700 and of the server's user. A folder in /tmp may be somebody else's: then it is not used.
  private func makeOwnFolder(_ path: String) throws(ClusterError) {
    var status = stat()
    if unsafe lstat(path, &status) != 0 {
      try makeFolder(path, mode: 0o700, withParents: false)
      try giveToServer(path)
      return
    }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    guard isFolder, status.st_uid == ownerID || status.st_uid == geteuid() else {
      throw .alienSocketFolder(path: path)
    }
    if unsafe chmod(path, 0o700) != 0 { throw fileFailure(path) }
    try giveToServer(path)
  }

  private var ownerID: uid_t {
    guard let user = cluster.serverUser, let entry = unsafe getpwnam(user) else { return geteuid() }
    return unsafe entry.pointee.pw_uid
  }

  private func giveToServer(_ path: String) throws(ClusterError) {
    guard let user = cluster.serverUser, let entry = unsafe getpwnam(user) else { return }
    let (uid, gid) = unsafe (entry.pointee.pw_uid, entry.pointee.pw_gid)
    if unsafe chown(path, uid, gid) != 0 { throw fileFailure(path) }
  }

  private func makePassable(_ path: String) throws(ClusterError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw fileFailure(path) }
    if status.st_mode & 0o011 != 0o011, unsafe chmod(path, status.st_mode & 0o7777 | 0o011) != 0 {
      throw fileFailure(path)
    }
  }

  private func makeFolder(_ path: String, mode: mode_t, withParents: Bool) throws(ClusterError) {
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
    if withParents, !FileManager.default.fileExists(atPath: parent) {
      try makeFolder(parent, mode: mode, withParents: true)
    }
    if unsafe mkdir(path, mode) != 0 && errno != EEXIST { throw fileFailure(path) }
    if unsafe chmod(path, mode) != 0 { throw fileFailure(path) }
  }

  /// The file keeps its owner and mode, or becomes 0600 of the server's user; on disk when this returns.
  private func write(_ text: String, to path: String) throws(ClusterError) {
    let descriptor = unsafe open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor < 0 { throw fileFailure(path) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    var offset = 0
    while offset < bytes.count {
      let count = unsafe bytes[offset...].withUnsafeBytes {
        unsafe Foundation.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 { throw fileFailure(path) }
      offset += count
    }
    if fsync(descriptor) != 0 { throw fileFailure(path) }
    try giveToServer(path)
  }

  private func fileFailure(_ path: String) -> ClusterError { FileFailure(errno).error(path: path, user: owner) }
}
