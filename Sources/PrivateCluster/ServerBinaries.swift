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

  /// The folder named by HK2PG_PG_BINDIR, else the newest below `root`.
  package static func find(
    environment: [String: String] = ProcessInfo.processInfo.environment, root: String = packagedRoot
  ) throws(ClusterError) -> ServerBinaries {
    if let folder = environment[folderVariable], !folder.isEmpty {
      guard isComplete(folder), let major = version(of: folder) else { throw .incompleteBinaries(folder: folder) }
      if major < oldestMajor { throw .binariesTooOld(major: major, folder: folder) }
      return ServerBinaries(folder: folder, major: major)
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    let majors = names.compactMap { Int($0) }.sorted(by: >)
    for major in majors where isComplete("\(root)/\(major)/bin") {
      let folder = "\(root)/\(major)/bin"
      if major < oldestMajor { throw .binariesTooOld(major: major, folder: folder) }
      return ServerBinaries(folder: folder, major: major)
    }
    throw .noBinaries(searched: root)
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
