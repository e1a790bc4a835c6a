import Foundation
import PostgresClient
import Synchronization
import TestSupport
import Testing

@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)))
struct PostgresConnectionTests {
  @Test func severalStatementsGiveTheLastResult() throws {
    let database = try TestDatabase()
    let result = try database.execute("CREATE TABLE t(a int); INSERT INTO t VALUES (1), (2); SELECT sum(a) FROM t")
    #expect(try result[0].int(0) == 3)
    #expect(try database.execute("").commandTag == "")
  }

  @Test func sessionIsNamedAndSpeaksUTF8() throws {
    let database = try TestDatabase()
    #expect(try database.value("SHOW application_name") == "hk2pg")
    #expect(try database.value("SHOW client_encoding") == "UTF8")
    #expect(database.connection.serverVersion >= 150_000)
    #expect(database.connection.isOpen && !database.connection.isEncrypted)
  }

  @Test func serverErrorsComeFieldByField() throws {
    let database = try TestDatabase()
    try database.execute("CREATE TABLE t(a int CONSTRAINT positive CHECK (a > 0))")
    let error = #expect(throws: PostgresError.self) { try database.query("INSERT INTO t VALUES ($1)", ["-5"]) }
    guard case .server(let server) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.sqlState == "23514" && server.severity == "ERROR")
    #expect(server.schema == "public" && server.table == "t" && server.constraint == "positive")
    #expect(server.detail == "Failing row contains (-5).")
    #expect(!server.message.contains("-5"))
    #expect(try database.value("SELECT 1") == "1")
  }

  @Test func anErrorAmongSeveralStatementsUndoesAll() throws {
    let database = try TestDatabase()
    let error = #expect(throws: PostgresError.self) { try database.execute("CREATE TABLE t(a int); SELECT 1/0") }
    #expect(error?.sqlState == "22012")
    #expect(try database.value("SELECT to_regclass('t')") == nil)
  }

  @Test func nulCharactersAreNotCutOff() throws {
    let database = try TestDatabase()
    #expect(throws: PostgresError.nulCharacter) { try database.query("SELECT $1", ["a\0b"]) }
    #expect(throws: PostgresError.nulCharacter) { try database.execute("SELECT 1 \0") }
  }

  @Test func noticesAreCollected() throws {
    let database = try TestDatabase()
    try database.execute("DROP TABLE IF EXISTS nothing; DO $$ BEGIN RAISE WARNING 'careful'; END $$")
    let notices = database.connection.takeNotices()
    #expect(notices.map(\.severity) == ["NOTICE", "WARNING"])
    #expect(notices.last?.message == "careful")
    #expect(database.connection.takeNotices().isEmpty)
  }

  @Test func copyStatementsBelongElsewhere() throws {
    let database = try TestDatabase()
    try database.execute("CREATE TABLE t(a int)")
    for sql in ["COPY t FROM STDIN", "COPY t TO STDOUT"] {
      #expect(throws: PostgresError.unexpectedResult("COPY data")) { try database.execute(sql) }
    }
    #expect(try database.value("SELECT 1") == "1")
  }

  @Test func aLargeStatementIsSentWhole() throws {
    let database = try TestDatabase()
    let text = String(repeating: "x", count: 20_000_000)
    #expect(try database.value("SELECT length($1)", [text]) == "20000000")
  }

  @Test func interruptionCancelsWithinASecond() throws {
    let database = try TestDatabase()
    let flag = Flag()
    let connection = try PostgresConnection(database.settings, isInterrupted: { flag.isSet })
    let start = ContinuousClock.now
    flag.set(afterMilliseconds: 100)
    #expect(throws: PostgresError.interrupted) { try connection.execute("SELECT pg_sleep(30)") }
    #expect(ContinuousClock.now - start < .seconds(1))
    #expect(throws: PostgresError.interrupted) { try connection.execute("SELECT 1") }
    #expect(try connection.withoutInterruption { try connection.query("SELECT 1")[0].int(0) } == 1)
    let running =
      "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND datname = $1 AND state = 'active'"
    #expect(try database.value(running, [database.name]) == "0")
  }

  @Test func killedInMidQueryIsALostConnection() throws {
    let database = try TestDatabase()
    let victim = try database.connect()
    let number = try victim.query("SELECT pg_backend_pid()")[0].text(0)
    let settings = database.settings
    let killer = Thread {
      usleep(200_000)
      _ = try? PostgresConnection(settings).query("SELECT pg_terminate_backend($1)", [number])
    }
    killer.start()
    let error = #expect(throws: PostgresError.self) { try victim.execute("SELECT pg_sleep(30)") }
    guard case .connectionLost(let word, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(word?.sqlState == SQLState.adminShutdown)
    #expect(!victim.isOpen)
    let later = #expect(throws: PostgresError.self) { try victim.execute("SELECT 1") }
    #expect(later?.isConnectionLost == true)
  }

  @Test func killedWhileIdleIsALostConnection() throws {
    let database = try TestDatabase()
    let victim = try database.connect()
    let number = try victim.query("SELECT pg_backend_pid()")[0].text(0)
    try database.query("SELECT pg_terminate_backend($1, 5000)", [number])
    let error = #expect(throws: PostgresError.self) { try victim.query("SELECT 1") }
    #expect(error?.isConnectionLost == true)
  }

  @Test func closingTwiceIsHarmless() throws {
    let database = try TestDatabase()
    let connection = try database.connect()
    connection.close()
    connection.close()
    #expect(throws: PostgresError.connectionLost(nil, message: "the connection is closed")) {
      try connection.execute("SELECT 1")
    }
  }
}

/// An interruption that a test raises.
final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
  func set(afterMilliseconds delay: UInt32) {
    Thread.detachNewThread {
      usleep(delay * 1000)
      self.set()
    }
  }
}
