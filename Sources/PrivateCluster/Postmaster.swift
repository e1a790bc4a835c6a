internal import Foundation

/// What `postmaster.pid` of a data folder says:
///
///     12345                         process
///     /var/lib/hk2pg/postgres/data
///     1764518400                    start, seconds since 1970
///     5432
///     /var/lib/hk2pg/postgres/socket
///                                   listen address
///        12345678       0           shared memory key and id
///     ready
struct Postmaster: Equatable {
  var processID: Int32
  var socketFolder: String?
  var isReady: Bool

  init?(parsing text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.first, let number = Int32(first.trimmingCharacters(in: .whitespaces)), number > 0 else {
      return nil
    }
    processID = number
    socketFolder = lines.count > 4 && !lines[4].isEmpty ? String(lines[4]) : nil
    isReady = lines.count > 7 && lines[7].hasPrefix("ready")
  }

  static func file(of dataFolder: String) -> String { dataFolder + "/postmaster.pid" }

  /// The server that runs on `dataFolder`; nil if none does, whatever a file left behind by a crash may say.
  static func running(on dataFolder: String) -> Postmaster? {
    guard let recorded = recorded(in: dataFolder), recorded.serves(dataFolder) else { return nil }
    return recorded
  }

  static func recorded(in dataFolder: String) -> Postmaster? {
    (try? String(contentsOfFile: file(of: dataFolder), encoding: .utf8)).flatMap { Postmaster(parsing: $0) }
  }

  /// A server works in its data folder. After a reboot the number may belong to any other process.
  private func serves(_ dataFolder: String) -> Bool {
    guard let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(processID)/cwd") else {
      return false
    }
    return place == URL(fileURLWithPath: dataFolder).resolvingSymlinksInPath().path
  }

  /// Its socket was removed, by whatever empties /tmp: nobody can reach it any more.
  var isUnreachable: Bool {
    guard isReady, let socketFolder else { return false }
    return !FileManager.default.fileExists(atPath: ClusterLayout.socketFile(in: socketFolder))
  }

  /// Removes the file of a server that died with the machine when its number now belongs to another process: with that
  /// one alive, a new server would refuse to start. A file whose process is gone is the server's own business, as are
  /// orphaned backends, which it finds by their shared memory.
  static func removeStaleFile(of dataFolder: String) {
    guard let recorded = recorded(in: dataFolder), !recorded.serves(dataFolder) else { return }
    if kill(recorded.processID, 0) == 0 { _ = unsafe unlink(file(of: dataFolder)) }
  }
}
