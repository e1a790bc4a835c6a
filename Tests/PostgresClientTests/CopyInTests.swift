import Foundation
import PostgresClient
import TestSupport
import Testing

@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)))
struct CopyInTests {
  private struct Refusal: Error, Equatable {}

  private func table() throws -> TestDatabase {
    let database = try TestDatabase()
    try database.execute("CREATE TABLE t(a text)")
    return database
  }

  @Test func rowsArriveWhereverThePiecesEnd() throws {
    let database = try table()
    let data = Array("one\ntwo\nthree\n".utf8)
    for pieceLength in 1...data.count {
      let count = try database.connection.copyIn("COPY t FROM STDIN") { writer in
        for start in stride(from: 0, to: data.count, by: pieceLength) {
          try writer.send(data[start..<min(start + pieceLength, data.count)].span)
        }
        #expect(writer.byteCount == data.count)
      }
      #expect(count == 3)
    }
    let expected = ["one|\(data.count)", "three|\(data.count)", "two|\(data.count)"]
    #expect(try database.lines("SELECT a, count(*) FROM t GROUP BY a ORDER BY a") == expected)
  }

  @Test func nothingSentIsNoRows() throws {
    let database = try table()
    #expect(try database.connection.copyIn("COPY t FROM STDIN") { _ in } == 0)
  }

  @Test func aThrowingBodyAbortsTheCopy() throws {
    let database = try table()
    #expect(throws: Refusal()) {
      try database.connection.copyIn("COPY t FROM STDIN") { writer in
        try writer.send(Array("one\n".utf8).span)
        throw Refusal()
      }
    }
    #expect(try database.value("SELECT count(*) FROM t") == "0")
  }

  @Test func theServersVerdictComesAtTheEnd() throws {
    let database = try table()
    try database.execute("CREATE UNIQUE INDEX ON t(a)")
    let error = #expect(throws: PostgresError.self) {
      try database.connection.copyIn("COPY t FROM STDIN") { try $0.send(Array("one\none\n".utf8).span) }
    }
    #expect(error?.sqlState == SQLState.uniqueViolation)
    #expect(try database.value("SELECT count(*) FROM t") == "0")
  }

  @Test func anUnknownTableOrAnotherStatementNeverStarts() throws {
    let database = try table()
    let error = #expect(throws: PostgresError.self) {
      try database.connection.copyIn("COPY nowhere FROM STDIN") { _ in Issue.record("started") }
    }
    #expect(error?.sqlState == SQLState.undefinedTable)
    for sql in ["SELECT 1", "COPY t TO STDOUT"] {
      #expect(throws: PostgresError.unexpectedResult("COPY did not start")) {
        try database.connection.copyIn(sql) { _ in Issue.record("started") }
      }
      #expect(try database.value("SELECT 1") == "1")
    }
  }

  /// A server that reads nothing for a while: what is sent waits in the kernel, not in this process.
  @Test func aSlowServerHoldsTheWriterBack() throws {
    let database = try table()
    try database.execute(
      """
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF new.a LIKE 'first%' THEN PERFORM pg_sleep(0.5); END IF; RETURN NULL; END $$;
      CREATE TRIGGER wait BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION wait()
      """)
    let row = Array((String(repeating: "x", count: 1_000_000) + "\n").utf8)
    let before = try ProcessMemory.resetPeak()
    let start = ContinuousClock.now
    try database.connection.copyIn("COPY t FROM STDIN") { writer in
      try writer.send(Array("first\n".utf8).span)
      for _ in 0..<100 { try writer.send(row.span) }
      #expect(ContinuousClock.now - start > .milliseconds(400))
    }
    // 100 MB went through. Other tests run meanwhile, hence the margin.
    let growth = try ProcessMemory.peak() - before
    #expect(growth < 64 << 20, "\(growth) bytes")
  }

  @Test func interruptionReachesAWriterThatWaits() throws {
    let database = try table()
    try database.execute(
      """
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(30); RETURN NULL; END $$;
      CREATE TRIGGER wait BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION wait()
      """)
    let flag = Flag()
    let connection = try PostgresConnection(database.settings, isInterrupted: { flag.isSet })
    let row = Array((String(repeating: "x", count: 100_000) + "\n").utf8)
    let start = ContinuousClock.now
    flag.set(afterMilliseconds: 200)
    #expect(throws: PostgresError.interrupted) {
      try connection.copyIn("COPY t FROM STDIN") { writer in while true { try writer.send(row.span) } }
    }
    #expect(ContinuousClock.now - start < .seconds(1.2))
    #expect(connection.isOpen)
  }

  @Test func aSwallowedFailureStillFailsTheCopy() throws {
    let database = try table()
    let flag = Flag()
    let connection = try PostgresConnection(database.settings, isInterrupted: { flag.isSet })
    #expect(throws: PostgresError.interrupted) {
      try connection.copyIn("COPY t FROM STDIN") { writer in
        try writer.send(Array("one\n".utf8).span)
        flag.set()
        try? writer.send(Array("two\n".utf8).span)
      }
    }
    #expect(try database.value("SELECT count(*) FROM t") == "0")
  }

  @Test func killedInMidCopyIsALostConnection() throws {
    let database = try table()
    let victim = try database.connect()
    let number = try victim.query("SELECT pg_backend_pid()")[0].text(0)
    let row = Array((String(repeating: "x", count: 100_000) + "\n").utf8)
    let error = #expect(throws: PostgresError.self) {
      try victim.copyIn("COPY t FROM STDIN") { writer in
        try writer.send(row.span)
        try database.query("SELECT pg_terminate_backend($1, 5000)", [number])
        while true { try writer.send(row.span) }
      }
    }
    guard case .connectionLost(let word, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(word?.sqlState == SQLState.adminShutdown)
    #expect(!victim.isOpen)
  }

  @Test func killedBeforeTheLastPieceIsALostConnection() throws {
    let database = try table()
    let victim = try database.connect()
    let number = try victim.query("SELECT pg_backend_pid()")[0].text(0)
    let error = #expect(throws: PostgresError.self) {
      try victim.copyIn("COPY t FROM STDIN") { writer in
        try writer.send(Array("one\n".utf8).span)
        try database.query("SELECT pg_terminate_backend($1, 5000)", [number])
      }
    }
    #expect(error?.isConnectionLost == true)
  }
}

/// The most memory this process has held, from Linux's own books.
enum ProcessMemory {
  /// Begins a new measurement; the memory now held, in bytes.
  static func resetPeak() throws -> Int {
    try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    return try peak()
  }

  static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(line.split(separator: " ").compactMap { Int($0) }.first) * 1024
  }
}
