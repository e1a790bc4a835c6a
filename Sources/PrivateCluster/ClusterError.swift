/// Why the private cluster cannot be used.
package enum ClusterError: Error, Sendable, Equatable {
  /// No server is installed: the package to install is `postgresql`.
  case noBinaries(searched: String)
  /// HK2PG_PG_BINDIR names a folder without the server's programs.
  case incompleteBinaries(folder: String)
  case binariesTooOld(major: Int, folder: String)
  /// A program that should be there cannot be run.
  case commandMissing(program: String)
  /// Run as root, the server needs the user that the package `postgresql-common` makes.
  case noServerUser(name: String)
  /// The data was made by another major version: install that one, or move the data with pg_dump.
  case otherMajor(data: Int, binaries: Int, folder: String)
  case diskFull(path: String)
  case notPermitted(path: String)
  /// The folder holds something that is no PostgreSQL data.
  case alienFolder(path: String)
  /// The path of a socket may have 107 bytes.
  case socketPathTooLong(path: String)
  /// initdb or the server failed; its own text, and where its log is.
  case failed(program: String, output: String, log: String?)
  /// Started, but not ready in time (a long crash recovery): it goes on, run again later.
  case notReady(seconds: Int, log: String)
}
