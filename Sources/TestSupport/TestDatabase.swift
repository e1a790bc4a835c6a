internal import Foundation
package import PostgresClient
internal import PrivateCluster
internal import Synchronization

/// A fresh, empty database on the test server, dropped when released.
///
///     @Suite(.enabled(if: TestDatabase.isAvailable, TestDatabase.missing))
///     let database = try TestDatabase()
///     try database.connection.execute("CREATE TABLE …")
package final class TestDatabase {
  /// The reason to give for skipping tests.
  package static let missing = "no PostgreSQL server: install postgresql, or set HK2PG_TEST_POSTGRES_URL"

  /// Whether there is a server or one can be started.
  package static var isAvailable: Bool {
    let url = ProcessInfo.processInfo.environment[TestServer.variable] ?? ""
    return !url.isEmpty || (try? ServerBinaries.find()) != nil
  }

  package let name: String
  /// A superuser in the new database.
  package let settings: ConnectionSettings
  package let connection: PostgresConnection
  private let server: ConnectionSettings

  private static let counter = Atomic<Int>(0)

  /// `options` are those of CREATE DATABASE, for instance `ENCODING 'SQL_ASCII'`.
  package convenience init(options: String = "ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'") throws {
    try self.init(on: TestServer.shared.get(), options: options)
  }

  /// On a server other than the shared one.
  package init(on server: ConnectionSettings, options: String = "ENCODING 'UTF8'") throws {
    let number = TestDatabase.counter.wrappingAdd(1, ordering: .relaxed).newValue
    name = "hk2pg_test_\(getpid())_\(number)"
    self.server = server
    settings = server.replacing(database: name)
    let administrator = try PostgresConnection(server)
    try administrator.execute("CREATE DATABASE \(SQLText.identifier(name)) TEMPLATE template0 \(options)")
    connection = try PostgresConnection(settings)
  }

  deinit {
    connection.close()
    if let administrator = try? PostgresConnection(server) {
      _ = try? administrator.execute("DROP DATABASE IF EXISTS \(SQLText.identifier(name)) WITH (FORCE)")
    }
  }

  /// Another connection to the same database.
  package func connect() throws -> PostgresConnection { try PostgresConnection(settings) }

  @discardableResult
  package func execute(_ sql: String) throws -> QueryResult { try connection.execute(sql) }

  @discardableResult
  package func query(_ sql: String, _ parameters: [String?] = []) throws -> QueryResult {
    try connection.query(sql, parameters)
  }

  /// The first column of the first row, as text; nil for NULL or no rows.
  package func value(_ sql: String, _ parameters: [String?] = []) throws -> String? {
    let result = try connection.query(sql, parameters)
    return result.isEmpty ? nil : try result[0].optionalText(0)
  }

  /// All rows as text, columns joined with `|`, NULL as `∅`.
  package func lines(_ sql: String, _ parameters: [String?] = []) throws -> [String] {
    let result = try connection.query(sql, parameters)
    return try result.rows.map { row in
      try result.columnNames.indices.map { try row.optionalText(.index($0)) ?? "∅" }.joined(separator: "|")
    }
  }
}
