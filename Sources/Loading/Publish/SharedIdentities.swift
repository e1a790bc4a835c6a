import HealthModel
import PostgresClient

/// Finds types, starts and ends where ids alone do not tell which row of ours is which sample, decides about each
/// (`SharedIdentity`), and gives staged samples the ids they are compared by from then on.
struct SharedIdentities {
  let tables: WorkingTables
  let shape: TableShape
  let userID: String
  let isOlder: Bool
  let rule: RemovalRule
  /// Types of which nothing is removed, since too much would be.
  let sparedTypes: Set<String>
  let connection: PostgresConnection

  /// Kinds whose identity has one sample, which may change its value: a date, a file.
  private static let singular = ["HKActivitySummaryTypeIdentifier", "HKWorkoutRouteTypeIdentifier"]

  /// After `present` and `aside` were filled; `refresh` looks again at the rows whose ids are in the table of that name,
  /// and at who steps aside.
  /// `comparesValues` false: rows were made by other rules, so that their values say nothing. Returns the types with
  /// decisions that depend on what may be removed.
  func resolve(comparesValues: Bool, refresh: (_ table: String) throws -> Void) throws -> Set<String> {
    guard try comparesValues && findCandidates() > 0 else { return [] }
    var (conditional, decisions) = (Set<String>(), Decisions())
    try forEachCandidate { type, identity in
      let decision = identity.decide(isOlder: isOlder)
      if decision.isConditional { conditional.insert(type) }
      decisions.add(decision, of: identity)
    }
    try write(decisions, refresh)
    return conditional
  }

  // MARK: Candidates

  private func second(_ column: String) -> String { "date_trunc('second', \(column))" }
  private func end(_ row: String) -> String { second("coalesce(\(row).ended_at, \(row).started_at)") }

  /// Where a row of ours has the id of another value, where one of another source would step aside, and where one that
  /// is not staged meets a sample that is not exactly what its id says.
  private func findCandidates() throws -> Int {
    let types = SharedIdentities.singular.map(SQLText.literal).joined(separator: ", ")
    let key = "p.metric_type, \(second("p.started_at")) AS second, \(end("p")) AS ends_at"
    let count = try connection.execute(
      """
      CREATE UNLOGGED TABLE \(tables.candidates) AS
      WITH lacking AS (
        SELECT DISTINCT \(key) FROM \(tables.present) p WHERE p.is_ours AND NOT p.is_staged
      ), unlike AS (
        SELECT s.metric_type, \(second("s.started_at")) AS second, \(end("s")) AS ends_at FROM \(tables.incoming) s
        WHERE EXISTS (SELECT FROM lacking) AND NOT EXISTS (SELECT FROM \(tables.present) p
          WHERE p.id = s.id AND p.is_ours AND NOT p.has_other_value AND NOT p.has_other_source)
      )
      SELECT k.*, row_number() OVER ()::integer AS number FROM (
        SELECT \(key) FROM \(tables.present) p WHERE p.is_ours AND p.has_other_value
        UNION SELECT \(key) FROM \(tables.present) p JOIN \(tables.aside) a ON a.id = p.id
          WHERE p.is_ours AND p.has_other_source
        UNION SELECT l.* FROM lacking l JOIN unlike u USING (metric_type, second, ends_at)
      ) k WHERE metric_type NOT IN (\(types))
      """
    ).affectedRows
    try connection.execute("ANALYZE \(tables.candidates)")
    return count
  }

  /// Samples and rows of all candidates, one candidate after the other.
  private var entries: String {
    func on(_ row: String) -> String {
      """
      \(row).metric_type = c.metric_type AND \(second("\(row).started_at")) = c.second AND \(end(row)) = c.ends_at
      """
    }
    func facts(_ row: String) -> String {
      """
      \(row).value, CASE WHEN \(row).value IS NULL THEN \(row).metadata::text END AS content,
      concat_ws('|', \(row).metadata->>'HKFoodType', \(row).metadata->>'HKExternalUUID',
        \(row).metadata->>'HKMetadataKeySyncIdentifier', \(row).metadata->>'workout_type') AS naming
      """
    }
    return """
      COPY (
        SELECT c.number, c.metric_type, 0 AS kind, s.id, s.started_at, s.source_device AS source, \(facts("s")),
          NULL::text AS reason, \(isAside("s"))
        FROM \(tables.candidates) c JOIN \(tables.incoming) s ON \(on("s"))
        UNION ALL
        SELECT c.number, c.metric_type, CASE WHEN p.is_ours THEN 1 ELSE 2 END, p.id, p.started_at, p.source, \(facts("e")),
          \(Comparison.missingReason("p", "g")), \(isAside("p"))
        FROM \(tables.candidates) c JOIN \(tables.present) p ON \(on("p")) AND (p.is_ours OR p.is_staged)
        JOIN \(shape.qualifiedName) e ON e.user_id = \(shape.user(userID)) AND e.id = p.id
        LEFT JOIN \(tables.groups) g ON \(Comparison.isGroup("g", of: "p"))
        ORDER BY 1, 3, 5, 4
      ) TO STDOUT (FORMAT binary)
      """
  }

  private func isAside(_ row: String) -> String {
    "CASE WHEN EXISTS (SELECT FROM \(tables.aside) a WHERE a.id = \(row).id) THEN 1 ELSE 0 END"
  }

  private func forEachCandidate(_ body: (_ type: String, SharedIdentity) -> Void) throws {
    var (identity, number, type) = (SharedIdentity(), Int32(0), "")
    var decoder = CopyDecoder(fieldCount: 11)
    try connection.copyOut(entries) { piece in
      decoder.append(piece)
      while try decoder.nextRow() {
        let next = try decoder.required(decoder.int4(0), 0)
        if next != number {
          if number != 0 { body(type, identity) }
          (identity, number) = (SharedIdentity(), next)
          type = decoder.string(1) ?? ""
        }
        try add(&decoder, type, to: &identity)
      }
    }
    try decoder.finish()
    if number != 0 { body(type, identity) }
  }

  private func add(_ row: inout CopyDecoder, _ type: String, to identity: inout SharedIdentity) throws {
    let entry = SharedIdentity.Entry(
      id: try row.required(row.uuid(3), 3), value: try row.float8(6), content: row.string(7) ?? "",
      source: row.string(5) ?? "", naming: row.string(8) ?? "", isAside: try row.int4(10) == 1)
    switch try row.int4(2) {
    case 0: identity.staged.append(entry)
    case 1:
      let reason = RemovalRule.Reason(rawValue: row.string(9) ?? "")
      let mayGo = !sparedTypes.contains(type) && rule.mayRemove(reason)
      identity.rows.append(.init(entry: entry, mayGo: mayGo, isSourceAbsent: reason == .absent))
    default: identity.held.insert(entry.id)
    }
  }

  // MARK: Decisions

  private struct Decisions {
    var renumbered: [(former: RowID, id: RowID)] = []
    var replaced: [RowID] = []
    var superseded: [RowID] = []
    /// Rows beside which other samples stand than before.
    var touched: [RowID] = []

    mutating func add(_ decision: SharedIdentity.Decision, of identity: SharedIdentity) {
      replaced += decision.replaced
      superseded += decision.superseded
      if decision.renumbered.isEmpty { return }
      for sample in identity.staged {
        if let id = decision.renumbered[sample.id] { renumbered.append((sample.id, id)) }
      }
      touched += identity.rows.map(\.entry.id)
    }
  }

  private func write(_ decisions: Decisions, _ refresh: (String) throws -> Void) throws {
    try copy(decisions.replaced, to: tables.replaced)
    try copy(decisions.superseded, to: tables.superseded)
    if decisions.renumbered.isEmpty && decisions.replaced.isEmpty { return }
    if !decisions.renumbered.isEmpty { try renumber(decisions) }
    try connection.execute("CREATE UNLOGGED TABLE \(tables.touched) (id uuid NOT NULL)")
    try copy(decisions.touched, to: tables.touched)
    try connection.execute("ANALYZE \(tables.touched)")
    try refresh(tables.touched)
  }

  private func renumber(_ decisions: Decisions) throws {
    var encoder = CopyEncoder()
    encoder.appendHeader()
    for change in decisions.renumbered {
      encoder.beginRow(fieldCount: 2)
      encoder.append(uuid: change.former)
      encoder.append(uuid: change.id)
    }
    encoder.appendTrailer()
    try connection.copyIn("COPY \(tables.renumbered) FROM STDIN (FORMAT binary)") { try $0.send(encoder.bytes.span) }
    try connection.execute(
      """
      ANALYZE \(tables.renumbered);
      UPDATE \(tables.incoming) s SET id = n.id FROM \(tables.renumbered) n WHERE n.former = s.id;
      UPDATE \(tables.ecgRecordings) s SET metric_id = n.id FROM \(tables.renumbered) n WHERE n.former = s.metric_id;
      DELETE FROM \(tables.ecgRecordings) s USING \(tables.superseded) o WHERE o.id = s.metric_id
      """)
  }

  private func copy(_ ids: [RowID], to table: String) throws {
    if ids.isEmpty { return }
    var encoder = CopyEncoder()
    encoder.appendHeader()
    for id in ids {
      encoder.beginRow(fieldCount: 1)
      encoder.append(uuid: id)
    }
    encoder.appendTrailer()
    try connection.copyIn("COPY \(table) FROM STDIN (FORMAT binary)") { try $0.send(encoder.bytes.span) }
  }
}
