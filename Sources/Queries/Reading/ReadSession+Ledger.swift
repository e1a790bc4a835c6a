package import HealthModel
import PostgresClient

/// An app or device that recorded samples, as the newest export that has it tells.
package struct StoredSource: Equatable, Sendable {
  package var name: String
  package var deviceClass: SourceFacts.DeviceClass
  package var days: ClosedRange<CivilDay>?
  package var sampleCount: Int
}

/// One finished import of the user.
package struct StoredImport: Equatable, Sendable {
  package struct Problem: Equatable, Sendable {
    package var kind: ProblemKind
    package var count: Int
  }

  package var number: Int
  package var exportName: String
  package var exportDate: Instant?
  package var finishedAt: Instant
  package var isSalvaged: Bool
  /// Samples read and written; nil where the report of the run is not kept.
  package var read: Int?
  package var written: Int?
  package var problems: [Problem]
}

extension ReadSession {
  /// Sources, the one with the latest sample first; nil: nothing here tells.
  package func sources() throws -> [StoredSource]? {
    guard tables.own.contains("sources") else { return nil }
    let result = try connection.query(
      """
      SELECT name, class, sample_count, floor(extract(epoch FROM first_sample_at))::bigint AS first,
        floor(extract(epoch FROM last_sample_at))::bigint AS last
      FROM hk2pg.sources WHERE user_id = $1 ORDER BY last_sample_at DESC NULLS LAST, sample_count DESC, name
      """, [user])
    return try result.rows.map { row in
      let ends = try (row.optionalInt("first"), row.optionalInt("last"))
      var days: ClosedRange<CivilDay>?
      if let first = ends.0, let last = ends.1, first <= last {
        days = zone.localDay(of: Instant(seconds: Int64(first)))...zone.localDay(of: Instant(seconds: Int64(last)))
      }
      return StoredSource(
        name: try row.text("name"), deviceClass: SourceFacts.DeviceClass(rawValue: try row.text("class")) ?? .other,
        days: days, sampleCount: try row.int("sample_count"))
    }
  }

  /// Finished imports, newest first, at most `limit`; nil: this role may not read the ledger, or there is none.
  package func imports(limit: Int) throws -> [StoredImport]? {
    guard tables.own.isSuperset(of: ["imports", "problems"]) else { return nil }
    func second(_ column: String) -> String { "floor(extract(epoch FROM i.\(column)))::bigint" }
    func count(_ key: String) -> String {
      "CASE WHEN jsonb_typeof(i.report->'samples'->'\(key)') = 'number' THEN (i.report->'samples'->>'\(key)')::bigint END"
    }
    let result = try connection.query(
      """
      SELECT i.import_id, i.export_name, i.is_salvaged, \(second("export_date")) AS export_date,
        \(second("finished_at")) AS finished_at, \(count("read")) AS read, \(count("written")) AS written
      FROM hk2pg.imports i WHERE i.user_id = $1 AND i.state = 'finished' AND i.finished_at IS NOT NULL
      ORDER BY i.import_id DESC LIMIT $2::bigint
      """, [user, String(limit)])
    let problems = try problems(of: try result.rows.map { try $0.text("import_id") })
    return try result.rows.map { row in
      let number = try row.int("import_id")
      return StoredImport(
        number: number, exportName: try row.text("export_name"),
        exportDate: try row.optionalInt("export_date").map { Instant(seconds: Int64($0)) },
        finishedAt: Instant(seconds: Int64(try row.int("finished_at"))), isSalvaged: try row.bool("is_salvaged"),
        read: try row.optionalInt("read"), written: try row.optionalInt("written"), problems: problems[number] ?? [])
    }
  }

  /// By import, the most frequent first. Kinds of a later version are passed over.
  private func problems(of imports: [String]) throws -> [Int: [StoredImport.Problem]] {
    let result = try connection.query(
      """
      SELECT import_id, kind, problem_count FROM hk2pg.problems WHERE import_id = ANY ($1::bigint[])
      ORDER BY import_id, problem_count DESC, kind
      """, [TextArray.text(imports)])
    var problems: [Int: [StoredImport.Problem]] = [:]
    for row in result.rows {
      guard let kind = ProblemKind(rawValue: try row.text("kind")) else { continue }
      problems[try row.int("import_id"), default: []].append(.init(kind: kind, count: try row.int("problem_count")))
    }
    return problems
  }
}
