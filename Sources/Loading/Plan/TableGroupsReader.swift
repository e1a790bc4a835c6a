import HealthModel
import PostgresClient
import Staging

/// Fingerprints of both sides.
enum TableGroupsReader {
  /// One pass over the user's rows; run it in a transaction with `settings`.
  static let settings = [(name: "work_mem", value: "64MB"), (name: "enable_sort", value: "off")]

  static func read(
    _ shape: TableShape, userID: String, symbols: SymbolTable, _ connection: PostgresConnection
  ) throws -> TableGroups {
    var result = TableGroups()
    var decoder = CopyDecoder(fieldCount: 7)
    var cache = SymbolCache(symbols)
    try connection.copyOut(copyStatement(shape, userID)) { piece in
      decoder.append(piece)
      while try decoder.nextRow() {
        let key = try groupKey(&decoder, &cache)
        result.groups[key] = TableGroup(
          ours: Int(try decoder.required(decoder.int8(3), 3)), fingerprint: try decoder.int8(4) ?? 0,
          others: Int(try decoder.required(decoder.int8(5), 5)),
          spillsOver: try decoder.required(decoder.int4(6), 6) != 0)
      }
    }
    try decoder.finish()
    return result
  }

  /// The staged groups of a folder.
  static func readStaged(_ folder: ChunkFolder, symbols: SymbolTable) throws -> StagedGroups {
    var result: StagedGroups = [:]
    var cache = SymbolCache(symbols)
    var piece: [UInt8] = []
    for chunk in folder.chunks(of: .groups) {
      var decoder = CopyDecoder(fieldCount: ChunkTable.groups.columns.count)
      var reader = try folder.reader(of: chunk)
      while try reader.read(into: &piece) > 0 {
        decoder.append(piece.span)
        while try decoder.nextRow() {
          let key = try groupKey(&decoder, &cache)
          result[key] = StagedGroup(
            count: Int(try decoder.required(decoder.int4(3), 3)),
            fingerprint: try decoder.required(decoder.int8(4), 4))
        }
      }
      try decoder.finish()
    }
    return result
  }

  /// Both kinds of rows begin with type, source and day.
  private static func groupKey(_ decoder: inout CopyDecoder, _ cache: inout SymbolCache) throws -> GroupKey {
    let type = try decoder.required(decoder.range(of: 0), 0)
    let source = try decoder.required(decoder.range(of: 1), 1)
    let bytes = decoder.bytes.span
    return GroupKey(
      type: cache.symbol(for: type, of: bytes), source: cache.symbol(for: source, of: bytes),
      day: try decoder.required(decoder.date(2), 2))
  }

  private static func copyStatement(_ shape: TableShape, _ userID: String) -> String {
    let isHourly =
      "r.source = '\(SQLFragments.allSources)' AND r.metadata ? 'h4ai_aggregation' AND NOT r.is_ours"
    return """
      COPY (
        SELECT r.metric_type, r.source, r.day, count(*) FILTER (WHERE r.is_ours),
          bit_xor(r.hash) FILTER (WHERE r.is_ours), count(*) FILTER (WHERE NOT r.is_ours),
          coalesce(max(CASE WHEN \(isHourly) AND (r.started_at + interval '1 hour' - interval '1 microsecond')
            AT TIME ZONE 'UTC' >= r.day + 1 THEN 1 ELSE 0 END), 0)
        FROM (
          SELECT t.metric_type, coalesce(t.source_device, '') AS source, \(SQLFragments.utcDay("t.started_at")) AS day,
            t.started_at, t.metadata, \(SQLFragments.isOurs("t")) AS is_ours,
            uuid_hash_extended(t.id, coalesce(hashfloat8extended(t.value, 1), 0)) AS hash
          FROM \(shape.qualifiedName) t WHERE t.user_id = \(shape.user(userID))
            AND isfinite(t.started_at)
        ) r
        GROUP BY 1, 2, 3
      ) TO STDOUT (FORMAT binary)
      """
  }
}
