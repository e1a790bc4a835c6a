internal import Foundation

/// Where the private cluster keeps its things:
///
///     /var/lib/hk2pg/               base: of hk2pg
///       postgres.lock               held while starting or stopping
///       postgres/                   home: 0700, of the user that the server runs as
///         data/                     made as data.new, renamed when complete
///         socket/                   0700; elsewhere if this path is too long for a socket
///         server.log
package struct ClusterLayout: Sendable, Equatable {
  /// Names the base folder to use instead of the default.
  package static let folderVariable = "HK2PG_DB_DIR"
  package static let port = 5432
  /// sockaddr_un.sun_path on Linux without its final NUL.
  static let socketPathLimit = 107

  package let base: String
  package let socketFolder: String

  package var lockFile: String { base + "/postgres.lock" }
  package var home: String { base + "/postgres" }
  package var dataFolder: String { home + "/data" }
  package var newDataFolder: String { home + "/data.new" }
  package var logFile: String { home + "/server.log" }

  /// HK2PG_DB_DIR, else `/var/lib/hk2pg` for root (whose own folders the server's user may not enter), else
  /// `$XDG_DATA_HOME/hk2pg`, else `~/.local/share/hk2pg`. Relative XDG paths are to be ignored, says their standard.
  package init(environment: [String: String], userID: UInt32, homeFolder: String) throws(ClusterError) {
    func absolute(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? ClusterLayout.withoutEndingSlash($0) : nil }
    }
    if let folder = absolute(ClusterLayout.folderVariable) {
      base = folder
    } else if userID == 0 {
      base = "/var/lib/hk2pg"
    } else {
      base = (absolute("XDG_DATA_HOME") ?? ClusterLayout.withoutEndingSlash(homeFolder) + "/.local/share") + "/hk2pg"
    }
    // A folder beside the data survives the emptying of /tmp and needs no protection against others. Where the path is
    // too long, the runtime folder or /tmp; a name of its own for each base, as several may exist.
    let digest = String(ClusterLayout.hash(base), radix: 36)
    let runtime = userID == 0 ? nil : absolute("XDG_RUNTIME_DIR")
    let candidates =
      [base + "/postgres/socket"] + [runtime.map { "\($0)/hk2pg-\(digest)" }].compactMap { $0 }
      + ["/tmp/hk2pg-\(userID)-\(digest)"]
    guard let folder = candidates.first(where: ClusterLayout.fits) else { throw .socketPathTooLong(path: base) }
    socketFolder = folder
  }

  package static func socketFile(in folder: String) -> String { "\(folder)/.s.PGSQL.\(port)" }

  private static func fits(_ folder: String) -> Bool { socketFile(in: folder).utf8.count <= socketPathLimit }

  private static func withoutEndingSlash(_ path: String) -> String {
    path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// FNV-1a: the same in every process, unlike Hasher.
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
