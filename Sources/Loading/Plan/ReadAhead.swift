import Foundation
import HealthModel
import PostgresClient
import Staging

/// Reads the table's fingerprints on a thread of its own, while the export is still being staged (DESIGN §5).
///
/// Nobody is kept from writing meanwhile. What it found is used only if no import and no prune of the user was published
/// since; rows of other programs that came later are seen by the next import.
final class ReadAhead: @unchecked Sendable {
  // @unchecked: `result` is only touched under `condition`.
  struct Found {
    var table: TableGroups
    var symbols: SymbolTable
    /// nil: the table's fingerprints do not tell all.
    var known: KnownDays?
    fileprivate var generation: String
  }

  private let condition = NSCondition()
  private var result: Result<Found?, any Error>?

  init(
    _ settings: ConnectionSettings, _ server: ServerFacts, userID: String, isInterrupted: @escaping @Sendable () -> Bool
  ) {
    let thread = Thread { [self] in
      let found = Result { () throws -> Found? in
        let connection = try PostgresConnection(settings, isInterrupted: isInterrupted)
        defer { connection.close() }
        return try ReadAhead.read(connection, server, userID)
      }
      condition.lock()
      result = found
      condition.broadcast()
      condition.unlock()
    }
    thread.stackSize = 8 << 20
    thread.start()
  }

  private static func read(
    _ connection: PostgresConnection, _ server: ServerFacts, _ userID: String
  ) throws -> Found? {
    let options = TransactionOptions(isolation: .repeatableRead, isReadOnly: true)
    return try connection.transaction(options) {
      try server.prepareTransaction(connection, TableGroupsReader.settings)
      guard let generation = try generation(userID, connection),
        let shape = try TableShape.read(.metrics, connection)
      else { return nil }
      let symbols = SymbolTable()
      let table = try TableGroupsReader.read(shape, userID: userID, symbols: symbols, connection)
      // Rows made by other rules are compared one by one.
      let mappingVersion = try Ledger(connection).settings(of: userID)?.mappingVersion
      let tells = server.hashesAgree && mappingVersion == Manifest.currentMappingVersion
      let known = tells ? KnownDays(table, names: symbols.snapshot()) : nil
      return Found(table: table, symbols: symbols, known: known, generation: generation)
    }
  }

  /// What is known by now; nil: nothing yet, or nothing that tells.
  var known: KnownDays? {
    condition.lock()
    defer { condition.unlock() }
    if case .success(let found?) = result { return found.known }
    return nil
  }

  /// Changes whenever hk2pg changes the user's rows; nil without a ledger.
  private static func generation(_ userID: String, _ connection: PostgresConnection) throws -> String? {
    guard try Ledger(connection).isPresent else { return nil }
    return try connection.query(
      """
      SELECT concat_ws(' ', (SELECT max(import_id) FROM hk2pg.imports WHERE user_id = $1 AND state = 'finished'), '/',
        (SELECT max(pruned_at) FROM hk2pg.pruned_days WHERE user_id = $1),
        -- Another zone has moved rows; a schema of an earlier version has no such column.
        (SELECT to_jsonb(u)->>'summarized_zone' FROM hk2pg.user_settings u WHERE user_id = $1), to_regclass('healthkit_metrics')::oid)
      """, [userID])[0].text(0)
  }

  /// Waits for the end. nil: there was nothing to read, it failed (the load will say why), or it is out of date.
  func take(userID: String, _ connection: PostgresConnection) throws -> Found? {
    condition.lock()
    while result == nil { condition.wait() }
    let result = result
    condition.unlock()
    guard case .success(let found?) = result else { return nil }
    return try ReadAhead.generation(userID, connection) == found.generation ? found : nil
  }
}
