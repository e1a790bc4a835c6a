import Foundation
import PostgresClient
import TestSupport
import Testing

@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)))
struct CopyOutTests {
  private struct Refusal: Error, Equatable {}

  @Test func whatWentInComesOut() throws {
    let database = try TestDatabase()
    try database.execute("CREATE TABLE t(a int, b text); INSERT INTO t VALUES (1, 'ü'), (2, NULL)")
    var data: [UInt8] = []
    let count = try database.connection.copyOut("COPY (SELECT * FROM t ORDER BY a) TO STDOUT") { bytes in
      for index in bytes.indices { data.append(bytes[index]) }
    }
    #expect(count == 2)
    #expect(String(decoding: data, as: UTF8.self) == "1\tü\n2\t\\N\n")
  }

  @Test func aHundredMegabytesNeedLittleMemory() throws {
    let database = try TestDatabase()
    let before = try ProcessMemory.resetPeak()
    var byteCount = 0
    let count = try database.connection.copyOut(
      "COPY (SELECT repeat('x', 9999) FROM generate_series(1, 10000)) TO STDOUT"
    ) { byteCount += $0.count }
    #expect(count == 10_000 && byteCount == 100_000_000)
    let growth = try ProcessMemory.peak() - before
    #expect(growth < 64 << 20, "\(growth) bytes")
  }

  @Test func aThrowingBodyEndsTheStatement() throws {
    let database = try TestDatabase()
    let start = ContinuousClock.now
    #expect(throws: Refusal()) {
      try database.connection.copyOut("COPY (SELECT generate_series(1, 1000000000)) TO STDOUT") { _ in throw Refusal() }
    }
    #expect(ContinuousClock.now - start < .seconds(2))
    #expect(try database.value("SELECT 1") == "1")
  }

  @Test func errorsBeforeAndAmongTheRows() throws {
    let database = try TestDatabase()
    let before = #expect(throws: PostgresError.self) { try database.connection.copyOut("COPY x TO STDOUT") { _ in } }
    #expect(before?.sqlState == SQLState.undefinedTable)
    let among = #expect(throws: PostgresError.self) {
      try database.connection.copyOut("COPY (SELECT 1 / (1000 - a) FROM generate_series(1, 2000) a) TO STDOUT") { _ in }
    }
    #expect(among?.sqlState == "22012")
    #expect(try database.value("SELECT 1") == "1")
  }

  @Test func interruptionEndsIt() throws {
    let database = try TestDatabase()
    let flag = Flag()
    let connection = try PostgresConnection(database.settings, isInterrupted: { flag.isSet })
    let start = ContinuousClock.now
    flag.set(afterMilliseconds: 200)
    #expect(throws: PostgresError.interrupted) {
      try connection.copyOut("COPY (SELECT generate_series(1, 1000000000)) TO STDOUT") { _ in }
    }
    #expect(ContinuousClock.now - start < .seconds(1.2))
    #expect(connection.isOpen)
  }
}
