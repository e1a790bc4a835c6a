import PostgresClient
import Staging

/// What a group of rows comes to.
package struct GroupDigest: Equatable, Sendable {
  package var rows: Int
  /// Of the values; shown, not compared: it depends on the order of addition.
  package var sum: Double
  /// Sum of the rows' hashes: equal for equal rows in any order.
  package var digest: String

  package init(rows: Int = 0, sum: Double = 0, digest: String = "0") {
    self.rows = rows
    self.sum = sum
    self.digest = digest
  }

  func isSame(as other: GroupDigest) -> Bool { rows == other.rows && digest == other.digest }
}

/// A type and a month or day, as PostgreSQL writes its first day.
package struct GroupKey: Hashable, Comparable, Sendable {
  package var metricType: String
  package var day: String

  package static func < (a: GroupKey, b: GroupKey) -> Bool { (a.metricType, a.day) < (b.metricType, b.day) }
}

typealias GroupDigests = [GroupKey: GroupDigest]

extension ComparedSide {
  /// Types and months of a published table; one pass over the user's rows.
  func months(of table: ChunkTable) throws -> GroupDigests {
    guard let relation = relations[table] else { return [:] }
    return try groups(table, relation, by: ComparedSide.month(table, relation), where: "true")
  }

  /// Types and days of selected months.
  func days(of table: ChunkTable, in selection: GroupSelection) throws -> GroupDigests {
    guard let relation = relations[table] else { return [:] }
    let condition = selection.condition(type: "t.metric_type", period: ComparedSide.month(table, relation))
    return try groups(table, relation, by: ComparedSide.day(table, relation), where: condition)
  }

  private func groups(
    _ table: ChunkTable, _ relation: Relation, by period: String, where condition: String
  ) throws -> GroupDigests {
    let result = try connection.query(
      """
      SELECT t.metric_type, \(period) AS period, count(*) AS rows, sum(\(ComparedSide.figure(table))) AS total,
        sum(\(ComparedSide.hash(table, relation)))::text AS digest
      FROM \(relation.from) WHERE \(relation.condition) AND \(condition) GROUP BY 1, 2
      """)
    var groups: GroupDigests = [:]
    groups.reserveCapacity(result.rowCount)
    for row in result.rows {
      groups[GroupKey(metricType: try row.text("metric_type"), day: try row.text("period"))] = GroupDigest(
        rows: try row.int("rows"), sum: try row.optionalDouble("total") ?? 0, digest: try row.text("digest"))
    }
    return groups
  }

  /// A table of the schema `hk2pg` as a whole.
  func whole(_ table: ChunkTable) throws -> GroupDigest {
    guard let relation = relations[table] else { return GroupDigest() }
    let row = try connection.query(
      """
      SELECT count(*) AS rows, coalesce(sum(\(ComparedSide.hash(table, relation))), 0)::text AS digest
      FROM \(relation.from) WHERE \(relation.condition)
      """)[0]
    return GroupDigest(rows: try row.int("rows"), digest: try row.text("digest"))
  }

  /// Hashes of all rows of such a table, ascending.
  func hashes(_ table: ChunkTable) throws -> [Int64] {
    guard let relation = relations[table] else { return [] }
    var hashes: [Int64] = []
    var decoder = CopyDecoder(fieldCount: 1)
    try connection.copyOut(
      """
      COPY (SELECT \(ComparedSide.hash(table, relation)) FROM \(relation.from) WHERE \(relation.condition))
      TO STDOUT (FORMAT binary)
      """
    ) { piece in
      decoder.append(piece)
      while try decoder.nextRow() { hashes.append(try decoder.required(decoder.int8(0), 0)) }
    }
    try decoder.finish()
    return hashes.sorted()
  }
}

extension GroupSelection {
  /// Groups that differ, or that one side lacks.
  init(differing left: GroupDigests, _ right: GroupDigests, onlyOfLeft: Bool = false) {
    for (key, digest) in left where right[key].map({ $0.isSame(as: digest) }) != true { insert(key) }
    if onlyOfLeft { return }
    for key in right.keys where left[key] == nil { insert(key) }
  }
}
