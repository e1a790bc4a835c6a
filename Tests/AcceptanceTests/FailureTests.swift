import Foundation
import PostgresClient
import TestSupport
import Testing

/// Input and servers that cannot work: one clear message, the right exit code, unchanged tables (DESIGN §6, §7.2).
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct FailureTests {
  /// Runs an import that must fail, and checks that the database stays as it was.
  private func expectFailure(
    of export: String, status: Int32, saying words: String..., programs: Programs, arguments: [String] = [],
    variables: [String: String] = [:]
  ) throws {
    let database = try TestDatabase()
    let run = try programs.run(
      ["import", export, "--database", database.conninfo, "--user", "anna"] + arguments, adding: variables)
    #expect(run.status == status, "\(run.errors)")
    for word in words { #expect(run.errors.contains(word), "\(word) in: \(run.errors)") }
    #expect(run.errors.split(separator: "\n").filter { $0.hasPrefix("hk2pg: error") }.count == 1, "\(run.errors)")
    #expect(try database.value("SELECT to_regclass('healthkit_metrics') IS NULL") == "t")
    let leftovers = try FileManager.default.subpathsOfDirectory(atPath: programs.folder.path)
      .filter { $0.hasSuffix(".pgcopy.zst") || $0.hasSuffix(".partial") }
    #expect(leftovers == [])
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  @Test func anExportCutInTheMiddle() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let whole = try Data(contentsOf: URL(fileURLWithPath: programs.export("1MB", named: "export.xml")))
    let cut = programs.path("cut.xml")
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: cut))
    try expectFailure(of: cut, status: 1, saying: "cut.xml", "--salvage", programs: programs)
  }

  @Test func aZipCutInTheMiddle() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let whole = try Data(contentsOf: URL(fileURLWithPath: programs.export("1MB")))
    let cut = programs.path("cut.zip")
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: cut))
    try expectFailure(of: cut, status: 1, saying: "cut.zip", programs: programs)
  }

  @Test func anEmptyFile() throws {
    let programs = try Programs()
    defer { programs.remove() }
    try write("", to: programs.path("empty.xml"))
    try expectFailure(of: programs.path("empty.xml"), status: 1, saying: "empty", programs: programs)
  }

  @Test func aTextFile() throws {
    let programs = try Programs()
    defer { programs.remove() }
    try write("Dear diary,\ntoday I walked.\n", to: programs.path("notes.txt"))
    try expectFailure(of: programs.path("notes.txt"), status: 1, saying: "notes.txt", programs: programs)
  }

  @Test func aZipWithoutAnExport() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let script = "import zipfile,sys; zipfile.ZipFile(sys.argv[1],'w').writestr('a/readme.txt','hello')"
    #expect(try CommandRun("/usr/bin/env", ["python3", "-c", script, programs.path("other.zip")]).status == 0)
    try expectFailure(of: programs.path("other.zip"), status: 1, saying: "other.zip", programs: programs)
  }

  @Test func aPathThatDoesNotExist() throws {
    let programs = try Programs()
    defer { programs.remove() }
    try expectFailure(of: programs.path("gone.zip"), status: 2, saying: "gone.zip", programs: programs)
  }

  @Test func anUnreachableDatabase() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let export = try programs.export("0.2MB")
    let run = try programs.run(["import", export, "--database", "postgres://u:secret@127.0.0.1:1/nowhere"])
    #expect(run.status == 4, "\(run.errors)")
    #expect(run.errors.contains("127.0.0.1"))
    #expect(!run.errors.contains("secret"))
  }

  @Test func aWrongPassword() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let server = try TestServer(hba: ["local all postgres trust", "local all all scram-sha-256"])
    defer { try? server.stop() }
    let admin = try PostgresConnection(server.settings)
    _ = try admin.execute("CREATE ROLE anna LOGIN PASSWORD 'right'")
    let export = try programs.export("0.2MB")
    let host = server.settings.address.host
    let run = try programs.run([
      "import", export, "--database", "host=\(host) dbname=postgres user=anna password=wrong",
    ])
    #expect(run.status == 4, "\(run.errors)")
    #expect(run.errors.contains("password"))
    #expect(!run.errors.contains("wrong"))
  }

  @Test func aFullDiskForStaging() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let export = try programs.export("8MB")
    let small = programs.path("small")
    try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: true)
    let mounted = try CommandRun("/bin/mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", small]).status == 0
    try #require(mounted, "this test mounts a small tmpfs and so needs root")
    defer { _ = try? CommandRun("/bin/umount", [small]) }
    try expectFailure(
      of: export, status: 1, saying: "space", small, programs: programs, arguments: ["--staging", small + "/work"])
  }

  @Test func aFullDiskOfTheServer() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let export = try programs.export("10MB")
    let server = try TestServer()
    defer { try? server.stop() }
    let small = server.folder + "/small"
    try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: true)
    let mounted = try CommandRun("/bin/mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", small]).status == 0
    try #require(mounted, "this test mounts a small tmpfs and so needs root")
    defer {
      try? server.stop()
      _ = try? CommandRun("/bin/umount", [small])
    }
    if let user = TestServer.serverUser { #expect(try CommandRun("/bin/chown", [user, small]).status == 0) }
    let admin = try PostgresConnection(server.settings)
    try admin.execute("CREATE TABLESPACE small LOCATION '\(small)'")
    try admin.execute("CREATE DATABASE full_disk TEMPLATE template0 TABLESPACE small")
    let settings = server.settings.replacing(database: "full_disk")
    let arguments = ["import", export, "--database", settings.address.description, "--user", "anna"]
    let run = try programs.run(arguments)
    #expect(run.status == 4, "\(run.errors)")
    #expect(run.errors.contains("the database server has no space left"), "\(run.errors)")
    #expect(try PostgresConnection(settings).query("SELECT to_regclass('healthkit_metrics') IS NULL")[0].bool(0))
    // With more room, the same command goes on.
    #expect(try CommandRun("/bin/mount", ["-o", "remount,size=256m", small]).status == 0)
    let again = try programs.run(arguments)
    #expect(again.status == 0, "\(again.errors)")
    let clean = try TestDatabase()
    #expect(try programs.run(["import", export, "--database", clean.conninfo, "--user", "anna"]).status == 0)
    #expect(try Contents.all(of: PostgresConnection(settings)) == Contents.all(of: clean.connection))
  }
}
