internal import Foundation

/// A folder with the programs of one PostgreSQL server version: postgres, initdb, pg_ctl.
package struct ServerBinaries: Sendable, Equatable {
  /// Names the folder to use instead of the newest one found.
  package static let folderVariable = "HK2PG_PG_BINDIR"
  /// Where Debian and Ubuntu put one folder per major version.
  package static let packagedRoot = "/usr/lib/postgresql"
  /// DESIGN §2.1: older servers are refused.
  package static let oldestMajor = 15

  package let folder: String
  /// Major version, for instance 16.
  package let major: Int

  package func path(_ program: String) -> String { folder + "/" + program }

  /// The folder named by HK2PG_PG_BINDIR, else the newest below `root`, or that of `major` if one is given.
  package static func find(
    major wanted: Int? = nil, environment: [String: String] = ProcessInfo.processInfo.environment,
    root: String = packagedRoot
  ) throws(ClusterError) -> ServerBinaries {
    let found = try newest(environment: environment, root: root, wanted: wanted)
    if found.major < oldestMajor { throw .binariesTooOld(major: found.major, folder: found.folder) }
    return found
  }

  private static func newest(
    environment: [String: String], root: String, wanted: Int?
  ) throws(ClusterError) -> ServerBinaries {
    if let folder = environment[folderVariable], !folder.isEmpty {
      guard isComplete(folder), let major = version(of: folder) else { throw .incompleteBinaries(folder: folder) }
      return ServerBinaries(folder: folder, major: major)
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    let all = names.compactMap { Int($0) }.sorted(by: >)
      .map { ServerBinaries(folder: "\(root)/\($0)/bin", major: $0) }.filter { isComplete($0.folder) }
    guard let newest = all.first else { throw .noBinaries(searched: root) }
    return all.first { $0.major == wanted } ?? newest
  }

  private static func isComplete(_ folder: String) -> Bool {
    ["postgres", "initdb", "pg_ctl"].allSatisfy { FileManager.default.isExecutableFile(atPath: folder + "/" + $0) }
  }

  /// `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`
  private static func version(of folder: String) -> Int? {
    guard let outcome = try? ServerCommand([folder + "/postgres", "--version"]).run(), outcome.status == 0 else {
      return nil
    }
    return outcome.output.split(separator: " ").compactMap { Int($0.prefix { $0.isNumber }) }.first
  }
}
