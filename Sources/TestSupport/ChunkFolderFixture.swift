package import HealthModel
import PostgresClient
package import Staging

/// A small valid chunk folder from plain rows, for tests of loading: metrics, groups, summaries, sources, profile and
/// manifest, with the ids and microseconds an import would give.
///
/// ```swift
/// var fixture = ChunkFolderFixture(user: "u1")
/// fixture.rows = [.init(type: "HKQuantityTypeIdentifierStepCount", start: start, value: 12)]
/// let folder = try fixture.write(at: path)
/// ```
package struct ChunkFolderFixture: Sendable {
  package struct Row: Sendable {
    package var type: String
    package var source: String
    package var start: Instant
    package var end: Instant?
    package var value: Double?
    package var unit: String
    /// Canonical JSON text.
    package var metadata: String?
    /// Hash of the metadata that names a thing; part of the identity.
    package var naming: UInt64
    /// Start of the identity, where it is not that of the row: an ActivitySummary is its date.
    package var identity: Instant?

    /// `start` is a whole second; no `end` is stored as NULL.
    package init(
      type: String = "HKQuantityTypeIdentifierStepCount", source: String = "Apple Watch", start: Instant,
      end: Instant? = nil, value: Double? = 1, unit: String = "count", metadata: String? = nil, naming: UInt64 = 0,
      identity: Instant? = nil
    ) {
      self.type = type
      self.source = source
      self.start = start
      self.end = end
      self.value = value
      self.unit = unit
      self.metadata = metadata
      self.naming = naming
      self.identity = identity
    }
  }

  package var user: String
  package var zone = "Europe/Berlin"
  package var rows: [Row] = []
  package var summaries: [DailySummary] = []
  /// Characteristics of the `Me` element.
  package var me: [String: String] = [:]
  /// Number of points of each route file, by its digest; a point a second.
  package var routes: [String: Int] = [:]
  package var exportName = "export.zip"
  package var digest = "0123456789abcdef0123456789abcdef"
  package var exportDate: Instant? = Instant(iso8601: "2024-06-01T12:00:00Z")
  package var isSalvaged = false
  package var options = Manifest.Options()
  package var limits = ChunkWriter.Limits()
  /// All types in one row of chunks, or one row of chunks for each type.
  package var splitsByType = true

  /// Says of a type's groups of one UTC day whether a database holds these rows: then they have no chunk.
  package var leftOut: (@Sendable (ArraySlice<GroupFingerprints.Group>, CivilDay, [[UInt8]]) -> Bool)?

  package init(user: String) { self.user = user }

  /// The row's id when no other row has its type, start, end and naming.
  package func id(of row: Row, rank: UInt32 = 0) -> RowID {
    let (start, end) = (row.identity ?? row.start, row.identity ?? row.end ?? row.start)
    return RowID(
      startMilliseconds: start.milliseconds,
      hash: IdentityHash(metricType: Array(row.type.utf8))
        .hash(start: start, end: end, naming: row.naming, rank: rank),
      user: UserKey(userID: user))
  }

  /// Writes the folder, which must not exist or be empty.
  package func write(at path: String) throws -> ChunkFolder {
    let table = SymbolTable()
    let types = Set(rows.map(\.type)).sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    let batches = types.map { type in resolved(rows.filter { $0.type == type }, table) }
    let symbols = table.snapshot()
    let folder = try ChunkFolder.create(at: path, isDurable: false)
    var groups = zip(types, batches).map { type, batch in
      var groups = GroupFingerprints(metricType: Array(type.utf8))
      groups.add(batch, symbols: symbols)
      groups.endDay(symbols: symbols)
      return groups
    }
    let staged = batches.indices.map { leaveOut(&groups[$0], batches[$0], symbols) }
    var chunks = try metricsChunks(types, staged, symbols, folder)
    chunks += try groupChunks(.groups, groups, symbols, folder)
    chunks += try groupChunks(.unchangedGroups, groups, symbols, folder)
    chunks += try summaryChunks(folder) + sourceChunks(folder) + profileChunks(folder) + routeChunks(folder)
    return try folder.complete(with: manifest(types, chunks))
  }

  private func metricsChunks(
    _ types: [String], _ batches: [ResolvedBatch], _ symbols: [[UInt8]], _ folder: UnfinishedChunkFolder
  ) throws -> [Manifest.Chunk] {
    var chunks: [Manifest.Chunk] = []
    let parts = splitsByType ? types.indices.map { $0..<$0 + 1 } : [types.indices]
    for (ordinal, part) in parts.enumerated() {
      let prefix = ChunkTable.metrics.filePrefix(ordinal: ordinal + 1)
      var writer = try ChunkWriter(folder: folder, table: .metrics, prefix: prefix, limits: limits)
      for index in part {
        try writer.append(
          batches[index], metricType: Array(types[index].utf8), userID: Array(user.utf8), symbols: symbols)
      }
      chunks += try writer.finish()
    }
    return chunks
  }

  /// The rows of one type that are staged.
  private func leaveOut(
    _ groups: inout GroupFingerprints, _ batch: ResolvedBatch, _ symbols: [[UInt8]]
  ) -> ResolvedBatch {
    guard let leftOut else { return batch }
    var batch = batch
    for day in Set(groups.groups.map(\.day)) where leftOut(groups.groups.filter { $0.day == day }[...], day, symbols) {
      groups.leaveOut(day)
      batch.rows.removeAll { $0.startedAt.utcDay == day }
    }
    return batch
  }

  private func groupChunks(
    _ table: ChunkTable, _ groups: [GroupFingerprints], _ symbols: [[UInt8]], _ folder: UnfinishedChunkFolder
  ) throws -> [Manifest.Chunk] {
    var writer = try ChunkWriter(folder: folder, table: table, prefix: table.filePrefix(ordinal: 1))
    try GroupFingerprints.write(groups, symbols: symbols, to: &writer)
    return try writer.finish()
  }

  private func summaryChunks(_ folder: UnfinishedChunkFolder) throws -> [Manifest.Chunk] {
    let prefix = ChunkTable.dailySummaries.filePrefix(ordinal: 1)
    var writer = try ChunkWriter(folder: folder, table: .dailySummaries, prefix: prefix)
    let key = UserKey(userID: user)
    let ordered = summaries.sorted { ($0.metricType, $0.day) < ($1.metricType, $1.day) }
    for summary in ordered { try writer.append(summary, userID: user, user: key) }
    return try writer.finish()
  }

  private func sourceChunks(_ folder: UnfinishedChunkFolder) throws -> [Manifest.Chunk] {
    var writer = try ChunkWriter(folder: folder, table: .sources, prefix: ChunkTable.sources.filePrefix(ordinal: 1))
    for source in Set(rows.map(\.source)).sorted() {
      let own = rows.filter { $0.source == source }
      guard let first = own.map(\.start).min(), let last = own.map(\.start).max() else { continue }
      try writer.appendRow { row in
        row.append(text: user)
        row.append(text: source)
        row.append(text: source.contains("Watch") ? "watch" : source.contains("iPhone") ? "phone" : "other")
        for _ in 0..<4 { row.append(textArray: []) }
        row.append(timestamptz: first)
        row.append(timestamptz: last)
        row.append(int8: Int64(own.count))
      }
    }
    return try writer.finish()
  }

  private func profileChunks(_ folder: UnfinishedChunkFolder) throws -> [Manifest.Chunk] {
    var writer = try ChunkWriter(folder: folder, table: .profiles, prefix: ChunkTable.profiles.filePrefix(ordinal: 1))
    for (characteristic, value) in me.sorted(by: { $0.key < $1.key }) {
      try writer.appendRow { row in
        row.append(text: user)
        row.append(text: characteristic)
        row.append(text: value)
      }
    }
    return try writer.finish()
  }

  private func routeChunks(_ folder: UnfinishedChunkFolder) throws -> [Manifest.Chunk] {
    let table = ChunkTable.routePoints
    var writer = try ChunkWriter(folder: folder, table: table, prefix: table.filePrefix(ordinal: 1), limits: limits)
    for (digest, count) in routes.sorted(by: { $0.key < $1.key }) {
      for ordinal in 0..<count {
        try writer.appendRow { row in
          row.append(text: user)
          row.append(text: digest)
          row.append(int4: Int32(ordinal))
          row.append(timestamptz: Instant(seconds: 1_714_550_400 + Int64(ordinal)))
          for _ in 0..<2 { row.append(float8: 8.5) }
          for _ in 0..<5 { row.appendNull() }
        }
      }
    }
    return try writer.finish()
  }

  private func manifest(_ types: [String], _ chunks: [Manifest.Chunk]) -> Manifest {
    var samples = Manifest.Samples()
    samples.read = rows.count
    samples.staged = rows.count
    let described = types.map { type in
      let own = rows.filter { $0.type == type }
      return Manifest.MetricType(
        metricType: type, rows: own.count, first: own.map(\.start).min()?.iso8601 ?? "",
        last: own.map(\.start).max()?.iso8601 ?? "",
        exportedUnits: Dictionary(own.map { ($0.unit, 1) }, uniquingKeysWith: +))
    }
    return Manifest(
      hk2pgVersion: "0.0.0",
      export: .init(
        name: exportName, byteCount: 1, digest: digest, exportDate: exportDate?.iso8601, isSalvaged: isSalvaged),
      user: user, zone: zone, options: options, samples: samples, types: described, chunks: chunks)
  }

  /// The rows of one type in identity order, ranked and moved within their second.
  private func resolved(_ rows: [Row], _ table: SymbolTable) -> ResolvedBatch {
    func key(_ row: Row) -> (Instant, Instant, UInt64, Double, String) {
      (row.start, row.end ?? row.start, row.naming, row.value ?? -.infinity, row.source)
    }
    var batch = ResolvedBatch()
    var last: Row?
    var (offset, rank) = (Int64(0), UInt32(0))
    for row in rows.sorted(by: { key($0) < key($1) }) {
      let isSameSecond = last?.start == row.start
      let isSameIdentity =
        isSameSecond && last.map { $0.end ?? $0.start } == (row.end ?? row.start) && last?.naming == row.naming
      offset = isSameSecond ? offset + 1 : 0
      rank = isSameIdentity ? rank + 1 : 0
      last = row
      batch.rows.append(resolved(row, id: id(of: row, rank: rank), offset: offset, table, &batch.payload))
    }
    return batch
  }

  private func resolved(
    _ row: Row, id: RowID, offset: Int64, _ table: SymbolTable, _ payload: inout [UInt8]
  ) -> ResolvedSample {
    var record = SampleRecord(start: row.start, end: row.end ?? row.start)
    if let value = row.value {
      record.value = value
      record.flags.insert(.hasValue)
    }
    if row.end != nil { record.flags.insert(.hasEnd) }
    record.naming = row.naming
    record.source = table.intern(row.source)
    record.exportedUnit = table.intern(row.unit)
    record.payloadOffset = UInt32(payload.count)
    payload += Array((row.metadata ?? "").utf8)
    record.payloadLength = UInt32(payload.count) - record.payloadOffset
    let startedAt = Instant(microseconds: row.start.microseconds + offset)
    return ResolvedSample(
      record: record, id: id, startedAt: startedAt, endedAt: max(startedAt, record.end), unit: record.exportedUnit)
  }
}
