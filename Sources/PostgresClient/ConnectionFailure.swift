/// Why no connection was made: what decides on the advice that the user gets.
package enum ConnectionFailure: String, Sendable, Equatable, CaseIterable {
  /// The name does not resolve.
  case hostNotFound
  /// Nobody listens on the port.
  case refused
  /// No socket file: no server runs there.
  case socketMissing
  /// No route, network down.
  case unreachable
  /// No answer within connect_timeout.
  case timedOut
  /// The socket or its folder may not be used by this operating system user.
  case socketForbidden
  /// Wrong password, wrong role, wrong method.
  case authenticationFailed
  /// The server asks for a password, and none was given.
  case passwordMissing
  /// pg_hba.conf, a network restriction, or CONNECT permission keeps this user out.
  case notAllowed
  case databaseMissing
  case tooManyConnections
  /// Starting up, shutting down, or in recovery.
  case notReady
  /// The server accepts encrypted connections only.
  case sslRequired
  /// sslmode asks for encryption, and the server has none.
  case sslUnavailable
  /// The server's certificate was not accepted, or the file to check it against is missing.
  case certificateRejected
  /// The server broke the connection before it was made, or what answers is no PostgreSQL.
  case closedByServer
  case other

  /// From the error text of a failed connection. libpq keeps no error fields there, so the connection asks for verbose
  /// messages, which carry the SQLSTATE in every language:
  ///
  ///     connection to server at "127.0.0.1", port 5432 failed: FATAL:  28P01: password authentication failed …
  ///
  /// Texts are libpq's own (English: the program never sets a locale) and those of poolers, most of which send one
  /// SQLSTATE for everything. With several hosts or addresses the last one that says something decides.
  package init(message: String, sslMode: String? = nil) {
    let attempts = message.split(separator: "connection to server ", omittingEmptySubsequences: true)
    for attempt in attempts.reversed() {
      let text = attempt.lowercased()
      if let failure = ConnectionFailure.bySQLState(String(attempt), text, sslMode) ?? ConnectionFailure.byText(text) {
        self = failure
        return
      }
    }
    self = .other
  }

  private static func bySQLState(_ attempt: String, _ text: String, _ sslMode: String?) -> ConnectionFailure? {
    switch sqlState(in: attempt) {
    case "28P01": .authenticationFailed
    case "28000" where text.contains("pg_hba"): isForEncryptedOnly(text, sslMode) ? .sslRequired : .notAllowed
    case "28000" where text.contains("connection is insecure"): .sslRequired
    case "28000": .authenticationFailed
    case "3D000": .databaseMissing
    case "53300": .tooManyConnections
    case "57P01", "57P02", "57P03": .notReady
    case "42501", "55000": .notAllowed
    default: nil
    }
  }

  /// `no pg_hba.conf entry for host "…", user "…", database "…", no encryption`: very likely there is one for
  /// encrypted connections, if the user has switched encryption off.
  private static func isForEncryptedOnly(_ text: String, _ sslMode: String?) -> Bool {
    sslMode == "disable" && (text.contains("no encryption") || text.contains("ssl off"))
  }

  private static func byText(_ text: String) -> ConnectionFailure? {
    for (fragment, failure) in fragments where text.contains(fragment) { return failure }
    return nil
  }

  private static let fragments: [(String, ConnectionFailure)] = [
    ("could not translate host name", .hostNotFound),
    ("no password supplied", .passwordMissing),
    ("server does not support ssl", .sslUnavailable),
    ("certificate", .certificateRejected),
    ("connection is insecure", .sslRequired),
    ("ssl required", .sslRequired),
    ("ssl connection is required", .sslRequired),
    ("password authentication failed", .authenticationFailed),
    ("authentication failed", .authenticationFailed),
    ("auth failed", .authenticationFailed),
    ("tenant or user not found", .authenticationFailed),
    ("no such user", .authenticationFailed),
    ("no such database", .databaseMissing),
    ("too many clients", .tooManyConnections),
    ("too many connections", .tooManyConnections),
    ("no more connections allowed", .tooManyConnections),
    ("max client connections reached", .tooManyConnections),
    ("connection refused", .refused),
    ("no such file or directory", .socketMissing),
    ("permission denied", .socketForbidden),
    ("no route to host", .unreachable),
    ("network is unreachable", .unreachable),
    ("network is down", .unreachable),
    ("timed out", .timedOut),
    ("timeout expired", .timedOut),
    ("server closed the connection", .closedByServer),
    ("connection reset", .closedByServer),
    ("received invalid response", .closedByServer),
    ("eof detected", .closedByServer),
  ]

  /// `28P01` of `FATAL:  28P01: …`: five characters between two colons.
  static func sqlState(in text: String) -> String? {
    let bytes = Array(text.utf8)
    var index = 0
    while index + 8 < bytes.count {
      let isFramed =
        bytes[index] == UInt8(ascii: ":") && bytes[index + 1] == UInt8(ascii: " ")
        && bytes[index + 2] == UInt8(ascii: " ") && bytes[index + 8] == UInt8(ascii: ":")
      let code = bytes[(index + 3)..<(index + 8)]
      if isFramed && code.allSatisfy({ isDigit($0) || isCapital($0) }) && code.contains(where: isDigit) {
        return String(decoding: code, as: UTF8.self)
      }
      index += 1
    }
    return nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
  private static func isCapital(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
}
