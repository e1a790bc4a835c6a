import Foundation
import PostgresClient

/// One line of `hk2pg status`. Times are ISO 8601 in UTC.
package struct ImportRecord: Sendable, Equatable {
  package enum State: String, Sendable {
    case finished
    /// A process holds the user's lease and works on it.
    case running
    /// Its process ended before it was done: running the import again goes on.
    case broken
    case abandoned
  }

  package var importID: Int
  package var userID: String
  package var state: State
  package var exportName: String
  package var exportDate: String?
  package var zone: String
  package var startedAt: String
  package var finishedAt: String?
  /// Rows that chunks have brought so far, while loading.
  package var copiedRows: Int
  /// Of a finished one.
  package var outcome: LoadOutcome?
}

/// Working tables of an import that nobody is working on.
package struct Leftover: Sendable, Equatable {
  package var importID: Int
  package var tables: [String]
  package var byteCount: Int64
}

extension Ledger {
  /// Imports of all users or of one, newest first.
  package func imports(user: String? = nil, limit: Int = 20) throws -> [ImportRecord] {
    guard try isPresent else { return [] }
    let running = try runningUsers()
    func time(_ column: String) -> String {
      "to_char(i.\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
    }
    let result = try connection.query(
      """
      SELECT i.import_id, i.user_id, i.state, i.export_name, i.zone, i.outcome::text AS outcome,
        \(time("export_date")) AS export_date, \(time("started_at")) AS started_at, \(time("finished_at")) AS finished_at,
        (SELECT coalesce(sum(c.row_count), 0)::bigint FROM hk2pg.import_chunks c WHERE c.import_id = i.import_id) AS copied
      FROM hk2pg.imports i WHERE $1::text IS NULL OR i.user_id = $1 ORDER BY i.import_id DESC LIMIT \(limit)
      """, [user])
    return try result.rows.map { row in
      let userID = try row.text("user_id")
      let state: ImportRecord.State =
        switch try row.text("state") {
        case "finished": .finished
        case "loading": running.contains(userID) ? .running : .broken
        default: .abandoned
        }
      return ImportRecord(
        importID: try row.int("import_id"), userID: userID, state: state, exportName: try row.text("export_name"),
        exportDate: try row.optionalText("export_date"), zone: try row.text("zone"),
        startedAt: try row.text("started_at"), finishedAt: try row.optionalText("finished_at"),
        copiedRows: try row.int("copied"), outcome: try row.optionalText("outcome").map { try LoadOutcome(json: $0) })
    }
  }

  /// Users whose lease is held by a process that may be alive.
  private func runningUsers() throws -> Set<String> {
    let result = try connection.query(
      """
      SELECT user_id, host, process_id, process_start FROM hk2pg.leases WHERE expires_at > clock_timestamp()
      """)
    var users: Set<String> = []
    for row in result.rows {
      let process = ProcessIdentity(
        host: try row.text("host"), processID: try row.int("process_id"), start: try row.text("process_start"))
      if !process.isDead { users.insert(try row.text("user_id")) }
    }
    return users
  }

  /// What broken imports left behind in the schema `hk2pg`.
  package func leftovers() throws -> [Leftover] {
    guard try isPresent else { return [] }
    let running = try runningUsers()
    let result = try connection.query(
      """
      SELECT substring(c.relname FROM '^incoming_([0-9]+)') AS import_id, i.user_id, i.state,
        string_agg(c.relname, ' ' ORDER BY c.relname) AS tables, sum(pg_total_relation_size(c.oid))::bigint AS bytes
      FROM pg_class c
      LEFT JOIN hk2pg.imports i ON i.import_id = substring(c.relname FROM '^incoming_([0-9]+)')::bigint
      WHERE c.relnamespace = to_regnamespace('hk2pg') AND c.relkind = 'r' AND c.relname ~ '^incoming_[0-9]{1,18}(_|$)'
      GROUP BY 1, 2, 3 ORDER BY min(c.oid)
      """)
    return try result.rows.compactMap { row in
      let isWorkedOn = try row.optionalText("state") == "loading" && running.contains(row.optionalText("user_id") ?? "")
      if isWorkedOn { return nil }
      return Leftover(
        importID: try row.int("import_id"), tables: try row.text("tables").split(separator: " ").map(String.init),
        byteCount: Int64(try row.int("bytes")))
    }
  }

  /// Removes leftovers (`hk2pg status --clean`); their imports then start anew. Returns what was removed.
  package func clean() throws -> [Leftover] {
    var removed: [Leftover] = []
    for leftover in try leftovers() {
      let isRemoved = try connection.transaction {
        let user = try connection.query(
          "SELECT user_id FROM hk2pg.imports WHERE import_id = $1::bigint", [String(leftover.importID)])
        if !user.isEmpty {
          // An import that has begun meanwhile keeps its tables.
          let userID = try user[0].text(0)
          let isFree = try connection.query("SELECT pg_try_advisory_xact_lock(\(AdvisoryKey.user(userID)))")[0].bool(0)
          if try !isFree || runningUsers().contains(userID) { return false }
        }
        try ImportRun.abandon(leftover.importID, connection)
        return true
      }
      if isRemoved { removed.append(leftover) }
    }
    return removed
  }
}
