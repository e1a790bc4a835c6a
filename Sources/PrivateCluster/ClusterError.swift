package import PostgresClient

/// Why the private cluster cannot be used.
package enum ClusterError: Error, Sendable, Equatable {
  /// No server is installed: the package to install is `postgresql`.
  case noBinaries(searched: String)
  /// HK2PG_PG_BINDIR names a folder without the server's programs.
  case incompleteBinaries(folder: String)
  /// DESIGN §2.1: PostgreSQL 15 or newer.
  case binariesTooOld(major: Int, folder: String)
  /// A program that should be there cannot be run.
  case commandMissing(program: String)
  /// Run as root, the server needs the user that the package `postgresql-common` makes.
  case noServerUser(name: String)
  /// The data was made by a major version that is not installed: install it, or move the data with pg_dump.
  case otherMajor(data: Int, installed: Int, folder: String)
  case diskFull(path: String)
  /// The folder may not be made, entered or written, by the server's user if hk2pg runs as root.
  case notPermitted(path: String, user: String)
  /// The folder holds something that is no PostgreSQL data.
  case alienFolder(path: String)
  /// Somebody else owns the folder of the socket.
  case alienSocketFolder(path: String)
  /// The path of a socket may have 107 bytes.
  case socketPathTooLong(path: String)
  /// initdb or the server failed: its own text, and where its log is.
  case failed(program: String, output: String, log: String?)
  /// Started, but not ready in time (a long crash recovery). It goes on: run again later.
  case notReady(seconds: Int, log: String)
  case interrupted
  /// The server runs, but refused what was asked.
  case postgres(PostgresError)
}
