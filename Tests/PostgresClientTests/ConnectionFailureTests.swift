import PostgresClient
import Testing

struct ConnectionFailureTests {
  /// Texts of libpq 15 and 17 with verbose errors, and of poolers and hosts.
  @Test(arguments: [
    (#"could not translate host name "nowhere" to address: Name or service not known"#, ConnectionFailure.hostNotFound),
    (#"connection to server at "127.0.0.1", port 1 failed: Connection refused"#, .refused),
    (#"connection to server on socket "/x/.s.PGSQL.5432" failed: No such file or directory"#, .socketMissing),
    (#"connection to server on socket "/x/.s.PGSQL.5432" failed: Permission denied"#, .socketForbidden),
    (#"connection to server at "10.0.0.1", port 5432 failed: No route to host"#, .unreachable),
    (#"connection to server at "10.0.0.1", port 5432 failed: Connection timed out"#, .timedOut),
    (#"… failed: FATAL:  28P01: password authentication failed for user "anna""#, .authenticationFailed),
    (#"… failed: FATAL:  28P01: Passwort-Authentifizierung für Benutzer »anna« fehlgeschlagen"#, .authenticationFailed),
    (#"… failed: FATAL:  28000: role "anna" does not exist"#, .authenticationFailed),
    (#"… failed: fe_sendauth: no password supplied"#, .passwordMissing),
    (#"… failed: FATAL:  28000: no pg_hba.conf entry for host "1.2.3.4", user "a", SSL encryption"#, .notAllowed),
    (#"… failed: FATAL:  3D000: database "x" does not exist"#, .databaseMissing),
    (#"… failed: FATAL:  42501: permission denied for database "x""#, .notAllowed),
    (#"… failed: FATAL:  53300: sorry, too many clients already"#, .tooManyConnections),
    (#"… failed: FATAL:  57P03: the database system is starting up"#, .notReady),
    (#"… failed: server does not support SSL, but SSL was required"#, .sslUnavailable),
    (#"… failed: root certificate file "/root/.postgresql/root.crt" does not exist"#, .certificateRejected),
    (#"… failed: SSL error: certificate verify failed"#, .certificateRejected),
    (#"… failed: FATAL:  08P01: no such database: x"#, .databaseMissing),
    (#"… failed: FATAL:  08P01: no more connections allowed (max_client_conn)"#, .tooManyConnections),
    (#"… failed: FATAL:  XX000: Tenant or user not found"#, .authenticationFailed),
    (#"… failed: ERROR:  28000: connection is insecure (try using `sslmode=require`)"#, .sslRequired),
    (#"… failed: server closed the connection unexpectedly"#, .closedByServer),
    ("something else", .other),
  ])
  func textTellsTheClass(_ message: String, _ expected: ConnectionFailure) {
    #expect(ConnectionFailure(message: message) == expected)
  }

  @Test func aRefusedPlainConnectionMeansEncryptionWhenThatWasSwitchedOff() {
    let message =
      #"… failed: FATAL:  28000: no pg_hba.conf entry for host "::1", user "a", database "d", no encryption"#
    #expect(ConnectionFailure(message: message, sslMode: "disable") == .sslRequired)
    #expect(ConnectionFailure(message: message, sslMode: "prefer") == .notAllowed)
  }

  @Test func theLastAddressDecides() {
    let message = """
      connection to server at "a" (10.0.0.1), port 5432 failed: Connection refused
      connection to server at "b" (10.0.0.2), port 5432 failed: FATAL:  28P01: password authentication failed
      """
    #expect(ConnectionFailure(message: message) == .authenticationFailed)
  }
}
