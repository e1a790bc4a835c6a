import PostgresClient
import Testing

@testable import HK2PGCommand

@Suite struct FailurePostgresTests {
  private let server = ServerAddress(host: "db.example", port: "5432", database: "health", user: "ann")

  @Test(arguments: ConnectionFailure.allCases) func everyConnectionFailureIsRefusedWithAdvice(_ why: ConnectionFailure)
  {
    let failure = Failure(PostgresError.connection(why, server: server, message: "FATAL: pw=s3cret\n"))
    #expect(failure.code == .refused)
    #expect(failure.what.hasPrefix("cannot connect to database “health” on db.example:5432 as “ann”: "))
    #expect(failure.next?.hasSuffix(".") == true)
    #expect(!failure.text(isDebug: false).contains("s3cret"))
    #expect(failure.text(isDebug: true).contains("debug: FATAL: pw=s3cret\n"))
  }

  @Test func connectionSentences() {
    func what(_ why: ConnectionFailure, host: String = "h") -> String {
      let server = ServerAddress(host: host, port: "5", database: "d", user: "u")
      return Failure(PostgresError.connection(why, server: server, message: "")).what
    }
    #expect(what(.refused) == "cannot connect to database “d” on h:5 as “u”: nobody listens there")
    #expect(what(.authenticationFailed).hasSuffix("it does not accept this role with this password"))
    #expect(
      what(.socketMissing, host: "/run/pg")
        == "cannot connect to database “d” on the socket in /run/pg as “u”: no server has its socket there")
  }

  @Test(arguments: [
    ("42501", "the database role lacks rights"), ("25006", "the database is read-only"),
    ("53100", "the database server has no space left"), ("53300", "the database server has no connection left"),
    ("55P03", "another program holds a lock on the tables"), ("57P01", "the database server was shut down"),
    ("57014", "the server cancelled a statement"), ("23505", "the database refused a statement"),
  ])
  func serverErrors(_ state: String, _ what: String) {
    var error = ServerError(sqlState: state, message: "duplicate key 61")
    error.detail = "Key (value)=(61) already exists."
    error.hint = "hint"
    error.context = "COPY line 5: 61"
    error.schema = "public"
    error.table = "healthkit_metrics"
    error.column = "value"
    error.constraint = "c"
    let failure = Failure(PostgresError.server(error))
    #expect(failure.code == .refused)
    #expect(
      failure.what == what + " (SQLSTATE \(state), table public.healthkit_metrics, column value, constraint c)")
    #expect(failure.next?.hasSuffix(".") == true || failure.next?.hasSuffix("needed.") == true)
    #expect(!failure.text(isDebug: false).contains("61"))
    let debug = failure.text(isDebug: true)
    for part in ["ERROR: duplicate key 61", "DETAIL: Key (value)=(61)", "HINT: hint", "CONTEXT: COPY line 5"] {
      #expect(debug.contains("debug: " + part))
    }
  }

  @Test(arguments: [
    (PostgresError.settings(.malformed), ExitCode.usage, "the connection string cannot be read"),
    (
      .settings(.unknownParameter("schema")), .usage,
      "the connection string has the parameter “schema”, which libpq does not know"
    ),
    (.connectionLost(nil, message: "eof"), .refused, "the connection to the database broke"),
    (
      .connectionLost(ServerError(sqlState: "XX000", message: "m"), message: "eof"), .refused,
      "the connection to the database broke (SQLSTATE XX000)"
    ),
    (
      .connectionLost(ServerError(sqlState: "57P01", message: "m"), message: "eof"), .refused,
      "the database server was shut down (SQLSTATE 57P01)"
    ),
    (.commitOutcomeUnknown, .refused, "the connection broke just when the server was to confirm a transaction"),
    (.transactionAborted, .refused, "the server rolled a transaction back"),
    (.interrupted, .interrupted, "interrupted; nothing is half done, it is safe to run again"),
    (.unexpectedResult("COPY"), .failed, "the server gave another kind of answer than expected"),
    (
      .unexpectedValue(column: "c", row: 1, expected: "integer"), .failed,
      "row 1 of an answer has no integer in column c"
    ),
    (.nulCharacter, .failed, "a text holds the character U+0000, which PostgreSQL cannot store"),
  ])
  func sentence(_ error: PostgresError, _ code: ExitCode, _ what: String) {
    let failure = Failure(error)
    #expect(failure.code == code)
    #expect(failure.what == what)
    #expect(failure.next != nil || code == .interrupted)
  }
}
