import Foundation

/// Which PostgreSQL a run uses, and who said so (DESIGN §6).
struct DatabaseChoice: Sendable, Equatable {
  enum Origin: String, Sendable {
    case flag = "--database"
    case url = "DATABASE_URL"
    case libpq = "PGHOST"
    case file = "pipeline file"
    case cluster
  }

  /// URL or key=value words; "" = libpq's own variables; nil: the private cluster.
  var conninfo: String?
  var origin: Origin

  init(_ arguments: RawArguments, _ surroundings: Surroundings) throws(UsageError) {
    if let given = arguments.flagValue(.database) {
      self.conninfo = try DatabaseChoice.checked(given, origin: Origin.flag.rawValue)
      self.origin = .flag
    } else if let url = surroundings.variable("DATABASE_URL") {
      self.conninfo = try DatabaseChoice.checked(url, origin: Origin.url.rawValue)
      self.origin = .url
    } else if ["PGHOST", "PGSERVICE", "PGDATABASE"].contains(where: { surroundings.variable($0) != nil }) {
      self.conninfo = ""
      self.origin = .libpq
    } else if let given = arguments.fileValue(.database) {
      self.conninfo = try DatabaseChoice.checked(given, origin: arguments.origin(of: .database))
      self.origin = .file
    } else {
      self.conninfo = nil
      self.origin = .cluster
    }
  }

  /// libpq reads exactly these two forms; its own complaint about others would repeat the text, password and all.
  static func checked(_ text: String, origin: String) throws(UsageError) -> String {
    let trimmed = text.trimmingWhitespace()
    let scheme = trimmed.range(of: "://").map { trimmed[..<$0.lowerBound].lowercased() }
    let isURL = scheme == "postgres" || scheme == "postgresql"
    let startsLikeKeywords = trimmed.prefix { $0 != "=" }.allSatisfy { $0.isLetter || $0 == "_" || $0 == " " }
    if isURL, let scheme,
      trimmed.dropFirst(scheme.count + 3).prefix(while: { $0 != "/" && $0 != "?" }).count(where: { $0 == "@" }) > 1
    {
      // libpq would take the rest of the password for the host, and print it.
      throw .invalidValue(origin: origin, value: nil, expected: "a URL in which a password's @ is written %40")
    }
    guard isURL || (trimmed.contains("=") && startsLikeKeywords) else {
      let expected = "a URL such as postgres://user@host:5432/database, or words such as host=localhost dbname=health"
      throw .invalidValue(origin: origin, value: nil, expected: expected)
    }
    return trimmed
  }
}

extension String {
  func trimmingWhitespace() -> String {
    let start = drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }
}
