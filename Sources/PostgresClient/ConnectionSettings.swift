internal import CPostgres
internal import Foundation

/// How to reach a database: what the user gave, plus what hk2pg sets.
///
/// The text is libpq's: a URL (`postgresql://user@host:5432/db?sslmode=require`), `key=value` pairs, or nothing, which
/// leaves everything to the environment (PGHOST, PGSERVICE, …), ~/.pgpass and libpq's defaults. hk2pg adds
/// `client_encoding` and the fallback application name `hk2pg`, both of which poolers know as start parameters. There is
/// no session state beside these: a transaction pooler hands every transaction another server session.
package struct ConnectionSettings: Sendable, Equatable {
  /// Seconds for one address, when neither the text nor the environment names a connect_timeout.
  package static let defaultConnectTimeout = 10

  private let conninfo: String
  /// Parameters that replace those in `conninfo`.
  private var replaced: [String: String] = [:]
  /// Keywords that `conninfo` gives.
  private let given: [String: String]

  package init(conninfo: String) throws(PostgresError) {
    self.conninfo = conninfo
    self.given = try ConnectionSettings.parse(conninfo)
  }

  /// The same server and user, another database.
  package func replacing(database: String) -> ConnectionSettings { replacing("dbname", database) }

  /// The same settings with one libpq parameter replaced (`host`, `port`, `user`, …).
  package func replacing(_ keyword: String, _ value: String) -> ConnectionSettings {
    var copy = self
    copy.replaced[keyword] = value
    return copy
  }

  /// Host, port, database and user as far as they are known before connecting.
  package var address: ServerAddress {
    let defaults = ConnectionSettings.defaults()
    func value(_ keyword: String) -> String? {
      let text = replaced[keyword] ?? given[keyword] ?? defaults[keyword]
      return text.flatMap { $0.isEmpty ? nil : $0 }
    }
    let user = value("user") ?? NSUserName()
    let host = value("host") ?? value("hostaddr") ?? "local socket"
    return ServerAddress(host: host, port: value("port") ?? "5432", database: value("dbname") ?? user, user: user)
  }

  /// Parameters for PQconnectStartParams with `expand_dbname`: the text itself goes in as `dbname`, and later ones win.
  var libpqParameters: [(keyword: String, value: String)] {
    var parameters: [(keyword: String, value: String)] = [("dbname", conninfo)]
    parameters += networkDefaults()
    parameters.append(("fallback_application_name", "hk2pg"))
    parameters += replaced.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    parameters.append(("client_encoding", "UTF8"))
    return parameters
  }

  /// Network timers that the user did not set. A service file may set them too, and is read by libpq alone.
  ///
  /// While connecting, tcp_user_timeout makes the kernel give up on an address that does not answer, so that libpq goes
  /// on to the next one; `PostgresConnection` lifts it afterwards. Keepalives find a server that has vanished.
  private func networkDefaults() -> [(keyword: String, value: String)] {
    let known = ConnectionSettings.defaults()
    func isSet(_ keyword: String) -> Bool {
      replaced[keyword] != nil || given[keyword] != nil || known[keyword].map { !$0.isEmpty && $0 != "0" } == true
    }
    if isSet("service") { return [] }
    var parameters: [(keyword: String, value: String)] = []
    if !isSet("tcp_user_timeout") {
      let seconds = (given["connect_timeout"] ?? known["connect_timeout"]).flatMap { Int($0) } ?? 0
      let timeout = seconds > 0 ? seconds : ConnectionSettings.defaultConnectTimeout
      parameters.append(("tcp_user_timeout", String(timeout * 1000)))
    }
    let keepalives = [("keepalives_idle", "60"), ("keepalives_interval", "10"), ("keepalives_count", "6")]
    parameters += keepalives.filter { !isSet($0.0) }
    return parameters
  }

  /// True when the kernel's timeout while connecting is ours, and to be lifted once connected.
  var ownsUserTimeout: Bool { networkDefaults().contains { $0.keyword == "tcp_user_timeout" } }

  private static func parse(_ conninfo: String) throws(PostgresError) -> [String: String] {
    if conninfo.utf8.contains(0) { throw .nulCharacter }
    // A database name alone is no conninfo for PQconninfoParse, though PQconnectdb takes it.
    if !conninfo.contains("=") && !conninfo.contains("://") {
      return conninfo.isEmpty ? [:] : ["dbname": conninfo]
    }
    var message: UnsafeMutablePointer<CChar>?
    guard let options = unsafe PQconninfoParse(conninfo, &message) else {
      defer { unsafe PQfreemem(message) }
      throw .settings(problem(unsafe message.map { unsafe String(cString: $0) } ?? ""))
    }
    defer { unsafe PQconninfoFree(options) }
    return unsafe values(of: options)
  }

  /// libpq's sentence may quote the connection string or a part of it, so only the name of a parameter is taken:
  /// `invalid URI query parameter: "pgbouncer"`, `invalid connection option "foo"`.
  private static func problem(_ message: String) -> PostgresError.SettingsProblem {
    let quoted = message.split(separator: "\"")
    let isName = message.contains("invalid URI query parameter") || message.contains("invalid connection option")
    guard isName, quoted.count >= 2, quoted[1].allSatisfy({ $0.isLetter || $0 == "_" }) else { return .malformed }
    return .unknownParameter(String(quoted[1]))
  }

  /// libpq's defaults: environment, PGSERVICE, compiled in.
  static func defaults() -> [String: String] {
    guard let options = unsafe PQconndefaults() else { return [:] }
    defer { unsafe PQconninfoFree(options) }
    return unsafe values(of: options)
  }

  /// Keyword to value of a libpq option list, which ends with a nil keyword.
  @unsafe static func values(of options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
    var result: [String: String] = [:]
    var option = unsafe options
    while let keyword = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val { unsafe result[String(cString: keyword)] = String(cString: value) }
      unsafe option += 1
    }
    return result
  }
}

/// Never the text itself: it may hold a password.
extension ConnectionSettings: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { address.description }
  package var debugDescription: String { address.description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
