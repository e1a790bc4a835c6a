import Foundation
import TestSupport
import Testing

/// The command line as a contract: what goes to which stream, exit codes, signals, secrets (DESIGN §6).
@Suite(.timeLimit(.minutes(20))) struct CommandLineTests {
  @Test(arguments: [["--help"], ["help"], ["import", "--help"], ["help", "db"], ["--version"]])
  func helpGoesToStdout(_ words: [String]) throws {
    let programs = try Programs()
    defer { programs.remove() }
    let run = try programs.run(words)
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("hk2pg "))
    #expect(run.errors == "")
  }

  @Test(arguments: [
    ([], "no command given"), (["improt", "x"], "Did you mean: hk2pg import"),
    (["import", "x", "--timezon", "UTC"], "Did you mean --timezone?"),
    (["import", "x", "--timezone", "Europe/Berln"], "Did you mean Europe/Berlin?"),
    (["import", "x", "--report", "/no/such/folder/r.json"], "does not exist"),
    (["inspect", "/no/such/export.zip"], "/no/such/export.zip does not exist"),
    (["load", "/no/such/chunks"], "/no/such/chunks does not exist"),
    (["import", "x", "--database", "mysql://u:secret@h/d"], "--database is not understood"),
  ])
  func mistakesExitWithTwo(_ words: [String], _ sentence: String) throws {
    let programs = try Programs()
    defer { programs.remove() }
    let run = try programs.run(words)
    #expect(run.status == 2, "\(run.errors)")
    #expect(run.output == "")
    #expect(run.errors.contains(sentence), "\(run.errors)")
    #expect(!run.errors.contains("secret"))
  }

  @Test func anErrorIsJSONWhereProgressIs() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let run = try programs.run(["inspect", "/no/such/export.zip", "--progress", "json"])
    let line = try #require(run.errors.split(separator: "\n").last)
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    #expect(object?["event"] as? String == "error")
    #expect(object?["exit_code"] as? Int == 2)
  }

  /// A server that takes the connection and says nothing, for as long as the body runs.
  private func withSilentServer<Result>(_ body: (_ port: Int) throws -> Result) throws -> Result {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(listener, pointer, length) == 0 && listen(listener, 5) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    try #require(isBound)
    return try body(Int(UInt16(bigEndian: address.sin_port)))
  }

  @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
  func aSignalEndsTheRunWithItsCode(_ signal: Int32, _ status: Int32) throws {
    let programs = try Programs()
    defer { programs.remove() }
    try withSilentServer { port throws in
      let run = try programs.run(
        ["status", "--database", "postgres://u@127.0.0.1:\(port)/d"], killAfter: 1, signal: signal)
      #expect(run.status == status, "\(run.errors)")
      #expect(run.errors.contains("it is safe to run again"))
    }
  }

  @Test func aPasswordIsWipedFromTheProcessList() throws {
    let programs = try Programs()
    defer { programs.remove() }
    try withSilentServer { port throws in
      let marker = "127.0.0.1:\(port)/d"
      let script = """
        "$0" status --database "postgres://ann:s3cr3t@\(marker)?password=again" & pid=$!
        sleep 1; tr '\\0' ' ' < /proc/$pid/cmdline; kill -TERM $pid; wait $pid
        """
      let run = try CommandRun("/bin/sh", ["-c", script, Programs.hk2pg], environment: programs.environment)
      #expect(run.output.contains("postgres://ann:xxxxxx@\(marker)?password=xxxxx"), "\(run.output)")
      #expect(!run.errors.contains("s3cr3t"))
    }
  }

  @Test func aReaderThatWentAwayIsNoCrash() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let script = #"{ "$0" schema; echo "status $?" >&2; } | head -c 10"#
    let run = try CommandRun("/bin/sh", ["-c", script, Programs.hk2pg], environment: programs.environment)
    #expect(run.errors.contains("status 0"), "\(run.errors)")
  }
}
