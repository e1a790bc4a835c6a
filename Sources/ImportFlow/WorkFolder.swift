import Foundation
import Staging

/// Where an import keeps its sorted segments and chunks: `--staging DIR`, else a folder of its own under
/// `$XDG_CACHE_HOME/hk2pg` (0700).
///
/// The folder's name comes from the export (path, size, time of change), the user and the options, so that the same
/// command run again finds the chunks of an interrupted load. A lock beside it keeps two runs apart; a second run of
/// the same command takes the next number. Folders whose run died before they were complete are removed by the next
/// import.
final class WorkFolder {
  let path: String
  private let lock: FileLock

  private init(path: String, lock: FileLock) {
    self.path = path
    self.lock = lock
  }

  static func take(for settings: ImportSettings) throws -> WorkFolder {
    try take(named: "import-" + key(of: settings), orAt: settings.stagingPath)
  }

  /// The folder at `stagingPath`, else one of this name under the base folder.
  static func take(named name: String, orAt stagingPath: String?) throws -> WorkFolder {
    if let path = stagingPath {
      try makeFolder(parent(of: path))
      guard let lock = try FileLock(path + ".lock") else { throw FlowError.folderInUse(path: path) }
      return WorkFolder(path: path, lock: lock)
    }
    let base = try baseFolder()
    removeAbandoned(in: base, completeAfterSeconds: 7 * 86_400)
    for number in 1... {
      let path = "\(base)/\(name)-\(number)"
      if let lock = try FileLock(path + ".lock") { return WorkFolder(path: path, lock: lock) }
    }
    preconditionFailure("unreachable")
  }

  /// Complete chunks of an earlier run of the same command, checked to the last byte; nil when there are none.
  func stagedChunks() -> ChunkFolder? {
    guard let folder = try? ChunkFolder.open(at: path), (try? folder.verify()) != nil,
      folder.manifest.hk2pgVersion == HK2PGVersion.current,
      folder.manifest.mappingVersion == Manifest.currentMappingVersion
    else { return nil }
    return folder
  }

  /// An empty folder to stage into; what a former run left is gone.
  func begin() throws -> UnfinishedChunkFolder {
    if let old = try? ChunkFolder.open(at: path) { try old.remove() }
    return try ChunkFolder.create(at: path, isDurable: false)
  }

  /// Leaves the folder to the user.
  func unlock() { lock.remove() }

  func remove() {
    try? FileManager.default.removeItem(atPath: path)
    lock.remove()
  }

  // MARK: Names

  static func baseFolder() throws -> String {
    let environment = ProcessInfo.processInfo.environment
    let cache = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory() + "/.cache"
    let base = cache + "/hk2pg"
    try makeFolder(base)
    return base
  }

  private static func parent(of path: String) -> String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  private static func makeFolder(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch { throw FlowError.cannotWrite(path: path, errno: errno) }
  }

  private static func key(of settings: ImportSettings) -> String {
    var status = stat()
    let path = URL(fileURLWithPath: settings.exportPath).standardizedFileURL.path
    unsafe stat(path, &status)
    return digest(of: [
      path, "\(status.st_size)", "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)", "\(status.st_ino)",
      settings.user,
      settings.timezone ?? "", "\(settings.rawWindowDays ?? -1)", "\(settings.isSalvage)",
      settings.sourcePriority.map { "\($0.sorted { $0.key < $1.key })" } ?? "", HK2PGVersion.current,
    ])
  }

  static func digest(of facts: [String]) -> String {
    var digest = ContentDigest()
    digest.update(Array(facts.joined(separator: "\u{1}").utf8).span)
    return String(digest.text().prefix(16))
  }

  /// Folders nobody works in: without a manifest at once, complete ones when they are old enough. Returns their paths.
  @discardableResult
  static func removeAbandoned(in base: String, completeAfterSeconds age: Double) -> [String] {
    var removed: [String] = []
    let limit = Date(timeIntervalSinceNow: -age)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? [] where name.hasSuffix(".lock") {
      let path = "\(base)/\(name.dropLast(5))"
      guard let lock = try? FileLock("\(base)/\(name)") else { continue }
      let manifest = "\(path)/\(Manifest.fileName)"
      let date = try? FileManager.default.attributesOfItem(atPath: manifest)[.modificationDate] as? Date
      if (date ?? .distantPast) <= limit {
        if (try? FileManager.default.removeItem(atPath: path)) != nil { removed.append(path) }
        lock.remove()
      }
    }
    return removed.sorted()
  }
}

/// Work files that dead imports left on this machine.
package enum AbandonedWork {
  /// Removes them all, chunks that an interrupted load could go on with too (`hk2pg status --clean`). Returns the
  /// folders that went.
  package static func remove() throws -> [String] {
    WorkFolder.removeAbandoned(in: try WorkFolder.baseFolder(), completeAfterSeconds: 0)
  }
}

/// An advisory lock on a file, held until this value or the process ends.
package final class FileLock {
  private let path: String
  private let descriptor: Int32

  /// Nil when somebody else holds it.
  package init?(_ path: String) throws {
    self.path = path
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw FlowError.cannotWrite(path: path, errno: errno) }
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      close(descriptor)
      return nil
    }
    // The holder before may have removed the file after it was opened here.
    var ours = stat()
    var theirs = stat()
    unsafe fstat(descriptor, &ours)
    if unsafe stat(path, &theirs) != 0 || ours.st_ino != theirs.st_ino {
      close(descriptor)
      return nil
    }
  }

  deinit { close(descriptor) }

  /// Removes the file; the lock goes with it.
  package func remove() { unsafe unlink(path) }
}
