import Loading
import PostgresClient
package import Staging

/// What a user's rows in a database come to, by type and month.
package struct Survey {
  let groups: [ChunkTable: GroupDigests]
  let ownTables: [ChunkTable: GroupDigest]

  package init(_ side: ComparedSide) throws {
    var groups: [ChunkTable: GroupDigests] = [:]
    for table in [ChunkTable.metrics, .dailySummaries] { groups[table] = try side.months(of: table) }
    self.groups = groups
    var ownTables: [ChunkTable: GroupDigest] = [:]
    for table in ChunkTable.archived where groups[table] == nil && table != .problems && side.relations[table] != nil {
      ownTables[table] = try side.whole(table)
    }
    self.ownTables = ownTables
  }

  package var rows: Int { rows(of: .metrics) }

  package func rows(of table: ChunkTable) -> Int { (groups[table] ?? [:]).values.reduce(0) { $0 + $1.rows } }

  /// Raw rows by type.
  package var rowsByType: [String: Int] {
    var result: [String: Int] = [:]
    for (key, digest) in groups[.metrics] ?? [:] { result[key.metricType, default: 0] += digest.rows }
    return result
  }
}

extension Survey {
  /// Bytes of the user's raw rows by type, as the tables hold them (indexes apart).
  package func bytesByType(_ snapshot: Snapshot, user: String) throws -> [String: Int64] {
    guard let shape = snapshot.metrics else { return [:] }
    let result = try snapshot.connection.query(
      """
      SELECT t.metric_type, sum(pg_column_size(t.*))::bigint AS bytes FROM \(shape.qualifiedName) t
      WHERE t.user_id = \(shape.user(user)) GROUP BY 1
      """)
    var bytes: [String: Int64] = [:]
    for row in result.rows { bytes[try row.text("metric_type")] = Int64(try row.int("bytes")) }
    return bytes
  }
}
