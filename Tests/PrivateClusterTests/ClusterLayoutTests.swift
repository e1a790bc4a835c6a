import PrivateCluster
import Testing

struct ClusterLayoutTests {
  private func layout(
    _ environment: [String: String] = [:], user: UInt32 = 1000, home: String = "/home/anna"
  ) throws -> ClusterLayout {
    try ClusterLayout(environment: environment, userID: user, homeFolder: home)
  }

  @Test func usersHaveItInTheirDataFolder() throws {
    #expect(try layout().base == "/home/anna/.local/share/hk2pg")
    #expect(try layout(["XDG_DATA_HOME": "/data/"]).base == "/data/hk2pg")
    #expect(try layout(["XDG_DATA_HOME": "relative"]).base == "/home/anna/.local/share/hk2pg")
    #expect(try layout(["XDG_DATA_HOME": ""]).base == "/home/anna/.local/share/hk2pg")
  }

  @Test func rootHasItWhereTheServersUserMayGo() throws {
    #expect(try layout(["XDG_DATA_HOME": "/root/.local/share"], user: 0, home: "/root").base == "/var/lib/hk2pg")
  }

  @Test func aNamedFolderWins() throws {
    #expect(try layout(["HK2PG_DB_DIR": "/srv/health", "XDG_DATA_HOME": "/data"]).base == "/srv/health")
    #expect(try layout(["HK2PG_DB_DIR": "/srv/health"], user: 0).base == "/srv/health")
  }

  @Test func allPathsLieBelowTheBase() throws {
    let layout = try layout()
    #expect(layout.dataFolder == "/home/anna/.local/share/hk2pg/postgres/data")
    #expect(layout.socketFolder == "/home/anna/.local/share/hk2pg/postgres/socket")
    #expect(layout.logFile == "/home/anna/.local/share/hk2pg/postgres/server.log")
    #expect(layout.lockFile == "/home/anna/.local/share/hk2pg/postgres.lock")
  }

  /// `/postgres/socket` and `/.s.PGSQL.5432` are 30 bytes: a base of 77 just fits into 107.
  @Test func socketPathsNeverExceedTheLimit() throws {
    for length in 10...200 {
      let base = "/" + String(repeating: "d", count: length - 1)
      let folder = try layout(["HK2PG_DB_DIR": base]).socketFolder
      #expect(ClusterLayout.socketFile(in: folder).utf8.count <= 107)
      #expect(folder.hasPrefix(base) == (length <= 77))
    }
  }

  @Test func longPathsUseTheRuntimeFolderThenTmp() throws {
    let long = "/" + String(repeating: "d", count: 150)
    let runtime = try layout(["HK2PG_DB_DIR": long, "XDG_RUNTIME_DIR": "/run/user/1000"]).socketFolder
    #expect(runtime.hasPrefix("/run/user/1000/hk2pg-"))
    let temporary = try layout(["HK2PG_DB_DIR": long]).socketFolder
    #expect(temporary.hasPrefix("/tmp/hk2pg-1000-"))
    #expect(try layout(["HK2PG_DB_DIR": long]).socketFolder == temporary)
    #expect(try layout(["HK2PG_DB_DIR": long + "x"]).socketFolder != temporary)
    let root = try layout(["HK2PG_DB_DIR": long, "XDG_RUNTIME_DIR": "/run/user/0"], user: 0).socketFolder
    #expect(root.hasPrefix("/tmp/hk2pg-0-"))
  }

  @Test func bytesCountNotCharacters() throws {
    let base = "/" + String(repeating: "ü", count: 60)
    #expect(try layout(["HK2PG_DB_DIR": base]).socketFolder.hasPrefix("/tmp/"))
  }
}
