import PostgresClient
import PrivateCluster
import Testing

@testable import HK2PGCommand

@Suite struct FailureClusterTests {
  @Test(arguments: [
    (
      ClusterError.noBinaries(searched: "/usr/lib/postgresql"), ExitCode.refused,
      "no PostgreSQL server is installed (looked in /usr/lib/postgresql)", "apt-get install postgresql"
    ),
    (.incompleteBinaries(folder: "/b"), .usage, "/b lacks programs of the PostgreSQL server", "HK2PG_PG_BINDIR"),
    (
      .binariesTooOld(major: 13, folder: "/b"), .refused,
      "the newest PostgreSQL here is version 13 (/b), older than 15", "--database URL"
    ),
    (.commandMissing(program: "runuser"), .refused, "the program runuser cannot be run", "Install it"),
    (
      .noServerUser(name: "postgres"), .refused,
      "there is no system user “postgres” to run the PostgreSQL server as (root may not)", "postgresql-common"
    ),
    (
      .otherMajor(data: 15, installed: 17, folder: "/d"), .refused,
      "the private cluster in /d was made by PostgreSQL 15, but 17 is installed", "Install postgresql-15"
    ),
    (.diskFull(path: "/d"), .refused, "no space left for the private cluster in /d", "Free some space"),
    (
      .notPermitted(path: "/d", user: "postgres"), .refused,
      "the private cluster's folder /d may not be used by postgres", "HK2PG_DB_DIR"
    ),
    (
      .alienSocketFolder(path: "/s"), .refused,
      "the folder for the private cluster's socket, /s, belongs to somebody else", "XDG_RUNTIME_DIR"
    ),
    (.postgres(.transactionAborted), .refused, "the server rolled a transaction back", "Run the same command again"),
    (.alienFolder(path: "/d"), .refused, "/d holds something that is no PostgreSQL data", "Move it away"),
    (
      .socketPathTooLong(path: "/s"), .refused, "the socket's path is too long (107 bytes at most): /s",
      "XDG_RUNTIME_DIR"
    ),
    (
      .failed(program: "initdb", output: "o", log: "/l"), .refused, "initdb of the private cluster failed",
      "Its log: /l. "
    ),
    (
      .failed(program: "initdb", output: "o", log: nil), .refused, "initdb of the private cluster failed",
      "See why with --debug."
    ),
    (
      .notReady(seconds: 60, log: "/l"), .refused, "the private cluster was not ready after 60 s",
      "run the same command again"
    ),
  ])
  func sentence(_ error: ClusterError, _ code: ExitCode, _ what: String, _ next: String) {
    let failure = Failure(error)
    #expect(failure.code == code)
    #expect(failure.what == what)
    #expect(failure.next?.contains(next) == true)
  }

  @Test func anInterruptedStartIsAnInterruption() {
    #expect(Failure(ClusterError.interrupted).code == .interrupted)
  }
}
