import HealthModel
import PostgresClient

/// Finds places for samples that share a second with rows that stay where they are: another program's, or ours that
/// the export lacks (DESIGN §3.7). Where there are none, staged places hold.
struct PlaceFinder {
  let tables: WorkingTables
  let isOlder: Bool
  let connection: PostgresConnection

  /// Fills `place`, `change` with the rows of ours to rewrite, and `arriving` with all that will be written.
  func find() throws {
    try findPlaces()
    try findChanges()
  }

  /// Fills `place`.
  func findPlaces() throws {
    let targets = try seconds()
    if !targets.isEmpty {
      var encoder = CopyEncoder()
      encoder.appendHeader()
      for target in targets {
        encoder.beginRow(fieldCount: 2)
        encoder.append(uuid: target.id)
        encoder.append(timestamptz: target.startedAt)
      }
      encoder.appendTrailer()
      try connection.copyIn("COPY \(tables.place) (id, started_at) FROM STDIN (FORMAT binary)") {
        try $0.send(encoder.bytes.span)
      }
      try connection.execute("ANALYZE \(tables.place)")
    }
  }

  private struct Target {
    var id: RowID
    var startedAt: Instant
  }

  /// Rows that end up elsewhere than staged, among those that share a second with one that stays.
  private func seconds() throws -> [Target] {
    // An older export moves nothing.
    let isSkipped = isOlder ? "true" : "k.reason <> 'present'"
    let stays = isOlder ? "true" : "NOT (p.is_staged AND p.is_ours)"
    let offset = "(extract(epoch FROM %.started_at - date_trunc('second', %.started_at)) * 1000000)::integer"
    func of(_ alias: String) -> String { offset.replacing("%", with: alias) }
    let copy = """
      COPY (
        SELECT s.id, h.second, \(of("s")), h.held,
          (dense_rank() OVER (ORDER BY h.metric_type, h.second))::integer AS cluster
        FROM (
          SELECT p.metric_type, date_trunc('second', p.started_at) AS second,
            string_agg(DISTINCT \(of("p"))::text, ',') AS held
          FROM \(tables.present) p
          WHERE \(stays) AND NOT EXISTS (SELECT FROM \(tables.remove) r WHERE r.id = p.id)
          GROUP BY 1, 2
        ) h
        JOIN \(tables.incoming) s ON s.metric_type = h.metric_type AND date_trunc('second', s.started_at) = h.second
        WHERE NOT EXISTS (SELECT FROM \(tables.skip) k WHERE k.id = s.id AND \(isSkipped))
        ORDER BY cluster, s.started_at
      ) TO STDOUT (FORMAT binary)
      """
    var targets: [Target] = []
    var cluster = Cluster()
    var decoder = CopyDecoder(fieldCount: 5)
    try connection.copyOut(copy) { piece in
      decoder.append(piece)
      while try decoder.nextRow() {
        let number = try decoder.required(decoder.int4(4), 4)
        if number != cluster.number {
          cluster.finish(into: &targets)
          let second = try decoder.required(decoder.timestamptz(1), 1)
          cluster = Cluster(number: number, second: second, held: decoder.string(3) ?? "")
        }
        cluster.add(
          id: try decoder.required(decoder.uuid(0), 0), offset: Int(try decoder.required(decoder.int4(2), 2)))
      }
    }
    try decoder.finish()
    cluster.finish(into: &targets)
    return targets
  }

  /// One type and second.
  private struct Cluster {
    var number: Int32 = 0
    private var second = Instant(microseconds: 0)
    private var held: Set<Int> = []
    private var ids: [RowID] = []
    private var wanted: [Int] = []

    init() {}

    init(number: Int32, second: Instant, held: String) {
      self.number = number
      self.second = second
      self.held = Set(held.split(separator: ",").compactMap { Int($0) })
    }

    mutating func add(id: RowID, offset: Int) {
      ids.append(id)
      wanted.append(offset)
    }

    func finish(into targets: inout [Target]) {
      // A full second leaves the rows where they are: publishing then finds no place for them, and says so.
      guard let offsets = Placement.offsets(wanted: wanted, held: held) else { return }
      for (index, offset) in offsets.enumerated() where offset != wanted[index] {
        targets.append(
          Target(id: ids[index], startedAt: Instant(microseconds: second.microseconds + Int64(offset))))
      }
    }
  }

  private func findChanges() throws {
    let target = "coalesce(l.started_at, p.staged_at)"
    let condition =
      isOlder ? "false" : "p.differs OR p.has_other_value OR p.has_other_source OR p.started_at <> \(target)"
    try connection.execute(
      """
      CREATE UNLOGGED TABLE \(tables.change) AS
      SELECT p.id, \(target) AS started_at, p.started_at <> \(target) AS is_moved
      FROM \(tables.present) p LEFT JOIN \(tables.place) l ON l.id = p.id
      WHERE p.is_staged AND p.is_ours AND (\(condition))
        AND NOT EXISTS (SELECT FROM \(tables.aside) a WHERE a.id = p.id);
      CREATE UNLOGGED TABLE \(tables.arriving) AS
      SELECT s.id FROM \(tables.incoming) s WHERE NOT EXISTS (SELECT FROM \(tables.skip) k WHERE k.id = s.id)
      UNION ALL SELECT id FROM \(tables.change);
      ANALYZE \(tables.change), \(tables.arriving), \(tables.remove)
      """)
  }
}
