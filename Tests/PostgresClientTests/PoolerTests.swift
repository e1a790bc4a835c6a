import PostgresClient
import TestSupport
import Testing

/// Everything the connection offers, through pgbouncer in transaction mode.
@Suite(.enabled(if: PgBouncer.isAvailable, Comment(rawValue: PgBouncer.missing)))
struct PoolerTests {
  @Test func statementsCopyAndTransactionsWork() throws {
    let database = try TestDatabase()
    let bouncer = try PgBouncer(before: database, poolSize: 1)
    let one = try PostgresConnection(bouncer.settings)
    let two = try PostgresConnection(bouncer.settings)
    #expect(try one.query("SHOW application_name")[0].text(0) == "hk2pg")
    try one.execute("CREATE TABLE t(a int, b text)")
    // The same server session serves both by turns: an unnamed statement of one must not be run by the other.
    for number in 1...20 {
      let connection = number.isMultiple(of: 2) ? one : two
      #expect(try connection.query("SELECT $1::int + \(number)", ["1"])[0].int(0) == number + 1)
      try connection.query("INSERT INTO t VALUES ($1, $2)", [String(number), "x"])
    }
    let copied = try two.copyIn("COPY t FROM STDIN") { try $0.send(Array("21\ty\n22\tz\n".utf8).span) }
    #expect(copied == 2)
    var byteCount = 0
    #expect(try one.copyOut("COPY t TO STDOUT") { byteCount += $0.count } == 22)
    #expect(byteCount > 22 * 4)
    try one.transaction {
      try one.execute("SET LOCAL work_mem = '1MB'")
      try one.query("SELECT pg_advisory_xact_lock($1)", ["7"])
      try one.execute("DELETE FROM t")
    }
    #expect(try two.query("SELECT count(*) FROM t")[0].int(0) == 0)
  }

  @Test func interruptionPassesThePooler() throws {
    let database = try TestDatabase()
    let bouncer = try PgBouncer(before: database)
    let flag = Flag()
    let connection = try PostgresConnection(bouncer.settings, isInterrupted: { flag.isSet })
    flag.set(afterMilliseconds: 100)
    let start = ContinuousClock.now
    #expect(throws: PostgresError.interrupted) { try connection.execute("SELECT pg_sleep(30)") }
    #expect(ContinuousClock.now - start < .seconds(1.5))
    #expect(connection.isOpen)
  }

  @Test func theServerDyingBehindThePoolerIsALostConnection() throws {
    let database = try TestDatabase()
    let bouncer = try PgBouncer(before: database)
    let connection = try PostgresConnection(bouncer.settings)
    let error = #expect(throws: PostgresError.self) {
      try connection.transaction {
        let number = try connection.query("SELECT pg_backend_pid()")[0].text(0)
        try database.query("SELECT pg_terminate_backend($1, 5000)", [number])
        try connection.execute("SELECT 1")
      }
    }
    #expect(error?.isConnectionLost == true)
  }

  @Test func anUnknownDatabaseIsRecognised() throws {
    let database = try TestDatabase()
    let bouncer = try PgBouncer(before: database)
    let error = #expect(throws: PostgresError.self) {
      try PostgresConnection(bouncer.settings.replacing(database: "nowhere"))
    }
    guard case .connection(.databaseMissing, _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
