import Foundation
import PostgresClient
import TestSupport
import Testing

@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)))
struct TransactionTests {
  private struct Refusal: Error, Equatable {}

  private func table() throws -> TestDatabase {
    let database = try TestDatabase()
    try database.execute("CREATE TABLE t(a int); INSERT INTO t VALUES (0)")
    return database
  }

  @Test func itCommitsAndReturnsTheBodysValue() throws {
    let database = try table()
    let value = try database.connection.transaction {
      try database.execute("INSERT INTO t VALUES (1)")
      return 7
    }
    #expect(value == 7)
    #expect(!database.connection.isInTransaction)
    #expect(try database.connect().query("SELECT count(*) FROM t")[0].int(0) == 2)
  }

  @Test func itRollsBackWhenTheBodyThrows() throws {
    let database = try table()
    #expect(throws: Refusal()) {
      try database.connection.transaction {
        try database.execute("INSERT INTO t VALUES (1)")
        throw Refusal()
      }
    }
    #expect(!database.connection.isInTransaction)
    #expect(try database.value("SELECT count(*) FROM t") == "1")
  }

  @Test func optionsReachTheServer() throws {
    let database = try table()
    let settings = try database.connection.transaction(.init(isolation: .repeatableRead, isReadOnly: true)) {
      try database.lines("SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')")
    }
    #expect(settings == ["repeatable read|on"])
    let error = #expect(throws: PostgresError.self) {
      try database.connection.transaction(.init(isReadOnly: true)) { try database.execute("DELETE FROM t") }
    }
    #expect(error?.sqlState == SQLState.readOnlyTransaction)
  }

  @Test func aSwallowedErrorIsNotACommit() throws {
    let database = try table()
    #expect(throws: PostgresError.transactionAborted) {
      try database.connection.transaction {
        try database.execute("INSERT INTO t VALUES (1)")
        _ = try? database.execute("SELECT 1/0")
      }
    }
    #expect(try database.value("SELECT count(*) FROM t") == "1")
  }

  @Test func conflictsAreRecognised() throws {
    let database = try table()
    let other = try database.connect()
    let error = #expect(throws: PostgresError.self) {
      try database.connection.transaction(.init(isolation: .repeatableRead)) {
        try database.query("SELECT * FROM t")
        try other.execute("UPDATE t SET a = 1")
        try database.execute("UPDATE t SET a = 2")
      }
    }
    #expect(error?.sqlState == SQLState.serializationFailure && error?.isConflict == true)
  }

  @Test func interruptionRollsBack() throws {
    let database = try table()
    let flag = Flag()
    let connection = try PostgresConnection(database.settings, isInterrupted: { flag.isSet })
    #expect(throws: PostgresError.interrupted) {
      try connection.transaction {
        try connection.execute("INSERT INTO t VALUES (1)")
        flag.set()
      }
    }
    #expect(!connection.isInTransaction && connection.isOpen)
    #expect(try database.value("SELECT count(*) FROM t") == "1")
  }

  /// A deferred check makes COMMIT itself slow, so that the session can be killed in it.
  @Test func aConnectionLostInCommitLeavesItsOutcomeOpen() throws {
    let database = try table()
    try database.execute(
      """
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(30); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION wait()
      """)
    let victim = try database.connect()
    let number = try victim.query("SELECT pg_backend_pid()")[0].text(0)
    let settings = database.settings
    Thread.detachNewThread {
      usleep(300_000)
      _ = try? PostgresConnection(settings).query("SELECT pg_terminate_backend($1)", [number])
    }
    #expect(throws: PostgresError.commitOutcomeUnknown) {
      try victim.transaction { _ = try victim.execute("INSERT INTO t VALUES (1)") }
    }
  }

  @Test func aConnectionLostInTheBodyIsThrownAsSuch() throws {
    let database = try table()
    let victim = try database.connect()
    let number = try victim.query("SELECT pg_backend_pid()")[0].text(0)
    let error = #expect(throws: PostgresError.self) {
      try victim.transaction {
        try database.query("SELECT pg_terminate_backend($1, 5000)", [number])
        try victim.execute("SELECT 1")
      }
    }
    guard case .connectionLost = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
