package import HealthModel
package import PostgresClient

/// What `hk2pg.sources` knows of a user's sources: facts for the ranking of summaries.
package enum StoredSources {
  /// - Parameter staged: a table of an import with the same columns; its facts come first.
  package static func read(
    userID: String, staged: String? = nil, symbols: SymbolTable, _ connection: PostgresConnection
  ) throws -> [Symbol: SourceFacts] {
    let first = staged.map { "SELECT name, class, first_sample_at, 0 AS age FROM \($0) UNION ALL" } ?? ""
    let result = try connection.query(
      """
      SELECT DISTINCT ON (name) name, class, floor(extract(epoch FROM first_sample_at))::bigint AS first_second FROM (
        \(first) SELECT name, class, first_sample_at, 1 AS age FROM hk2pg.sources WHERE user_id = $1) s
      ORDER BY name, age
      """, [userID])
    var sources: [Symbol: SourceFacts] = [:]
    for row in result.rows {
      let first = try row.optionalInt("first_second").map { Instant(seconds: Int64($0)) }
      sources[symbols.intern(try row.text("name"))] = SourceFacts(
        deviceClass: SourceFacts.DeviceClass(rawValue: try row.text("class")) ?? .other, firstSample: first)
    }
    return sources
  }
}
