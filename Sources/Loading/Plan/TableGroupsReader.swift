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
        let day = try decoder.required(decoder.timestamptz(2), 2).utcDay
        let key = try groupKey(&decoder, &cache, day: day)
        let count = Int(try decoder.required(decoder.int8(4), 4))
        if try decoder.int4(3) == 1 {
          result.groups[key, default: TableGroup()].ours += count
          result.groups[key, default: TableGroup()].fingerprint ^= try decoder.int8(5) ?? 0
        } else {
          result.groups[key, default: TableGroup()].others += count
          let lastHour = try decoder.timestamptz(6)
          if let lastHour, lastHour.seconds + 3600 > day.utcMidnight.seconds + 86_400 {
            result.groups[key, default: TableGroup()].spillsOver = true
          }
        }
      }
    }
    try decoder.finish()
    return result
  }

  /// The groups of a folder: `.groups`, whose rows it has, or `.unchangedGroups`, whose rows it left out.
  static func read(_ table: ChunkTable, of folder: ChunkFolder, symbols: SymbolTable) throws -> StagedGroups {
    var result: StagedGroups = [:]
    var cache = SymbolCache(symbols)
    var piece: [UInt8] = []
    for chunk in folder.chunks(of: table) {
      var decoder = CopyDecoder(fieldCount: table.columns.count)
      var reader = try folder.reader(of: chunk)
      while try reader.read(into: &piece) > 0 {
        decoder.append(piece.span)
        while try decoder.nextRow() {
          let day = try decoder.required(decoder.date(2), 2)
          let key = try groupKey(&decoder, &cache, day: day)
          result[key] = StagedGroup(
            count: Int(try decoder.required(decoder.int4(3), 3)),
            fingerprint: try decoder.required(decoder.int8(4), 4))
        }
      }
      try decoder.finish()
    }
    return result
  }

  /// Both kinds of rows begin with type and source. Rows of others may have no source.
  private static func groupKey(
    _ decoder: inout CopyDecoder, _ cache: inout SymbolCache, day: CivilDay
  ) throws -> GroupKey {
    let type = try decoder.required(decoder.range(of: 0), 0)
    let source = decoder.range(of: 1) ?? 0..<0
    let bytes = decoder.bytes.span
    return GroupKey(
      type: cache.symbol(for: type, of: bytes), source: cache.symbol(for: source, of: bytes), day: day)
  }

  /// "Ours" is a key, so that it is worked out once a row, and days are cut by plain arithmetic: both together take half
  /// the time of filters and of a conversion by time zone.
  private static func copyStatement(_ shape: TableShape, _ userID: String) -> String {
    """
    COPY (
      SELECT t.metric_type, t.source_device, date_bin('1 day', t.started_at, '0001-01-01 00:00Z'),
        CASE WHEN \(SQLFragments.isOurs("t")) THEN 1 ELSE 0 END, count(*),
        bit_xor(uuid_hash_extended(t.id, coalesce(hashfloat8extended(t.value, 1), 0))),
        max(CASE WHEN t.source_device = '\(SQLFragments.allSources)' THEN t.started_at END)
      FROM \(shape.qualifiedName) t WHERE t.user_id = \(shape.user(userID)) AND isfinite(t.started_at)
      GROUP BY 1, 2, 3, 4
    ) TO STDOUT (FORMAT binary)
    """
  }
}
