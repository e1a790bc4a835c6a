import HealthModel
import Loading
import PostgresClient
package import Staging

/// Writes a user's rows out of a database into chunks: the published tables in canonical shape and what the schema
/// `hk2pg` knows of the user. One COPY a table, streamed: memory does not depend on the number of rows.
package struct ArchiveWriter {
  private let query: ArchiveQuery
  private let limits: ChunkWriter.Limits
  /// Rows written so far, of all tables.
  private let onRows: (Int) -> Void
  /// Re-keying is one XOR of the ids that hk2pg made; ids of other programs stay.
  private let keys: (old: UserKey, new: UserKey)?

  /// - Parameter newUser: whose the rows are in the archive; the user's own id keeps everything as it is.
  package init(
    _ snapshot: Snapshot, user: String, newUser: String, limits: ChunkWriter.Limits = .init(),
    onRows: @escaping (Int) -> Void = { _ in }
  ) {
    query = ArchiveQuery(snapshot: snapshot, user: user, newUser: newUser)
    keys = user == newUser ? nil : (UserKey(userID: user), UserKey(userID: newUser))
    self.limits = limits
    self.onRows = onRows
  }

  /// - Parameters:
  ///   - selection: what to write; nil: everything.
  ///   - name: where the rows come from, for people.
  package func write(
    into folder: UnfinishedChunkFolder, selection: ArchiveSelection? = nil, name: String, version: String
  ) throws -> ChunkFolder {
    var chunks: [Manifest.Chunk] = []
    var written = 0
    for table in ChunkTable.archived {
      if let selection, !selection.contains(table) { continue }
      guard let select = query.select(table, selection?.groups[table]) else { continue }
      let new = try write(table, select, into: folder, after: written)
      written += new.reduce(0) { $0 + $1.rowCount }
      chunks += new
    }
    let manifest = try manifest(chunks, name: name, version: version, isPartial: selection != nil)
    return try folder.complete(with: manifest)
  }

  private func write(
    _ table: ChunkTable, _ select: String, into folder: UnfinishedChunkFolder, after written: Int
  ) throws -> [Manifest.Chunk] {
    var writer = try ArchiveChunkWriter(folder: folder, table: table, limits: limits)
    var decoder = CopyDecoder(fieldCount: table.archiveColumns.count)
    var row: [UInt8] = []
    let idField = keys == nil ? nil : table.idField
    try query.snapshot.connection.copyOut("COPY (\(select)) TO STDOUT (FORMAT binary)") { piece in
      decoder.append(piece)
      while try decoder.nextRow() {
        let range = decoder.encodedRow
        if let idField, let keys, let id = try decoder.uuid(idField), id.isOurs,
          let place = decoder.range(of: idField)
        {
          row.removeAll(keepingCapacity: true)
          row += decoder.bytes[range]
          row.replaceSubrange(
            place.lowerBound - range.lowerBound..<place.upperBound - range.lowerBound,
            with: id.rekeyed(from: keys.old, to: keys.new).bytes)
          try writer.append(row.span)
        } else {
          try writer.append(decoder.bytes.span.extracting(range))
        }
        if decoder.rowCount & 0xFFFF == 0 { onRows(written + decoder.rowCount) }
      }
    }
    try decoder.finish()
    onRows(written + decoder.rowCount)
    return try writer.finish()
  }

  private func manifest(
    _ chunks: [Manifest.Chunk], name: String, version: String, isPartial: Bool
  ) throws -> Manifest {
    var digest = ContentDigest()
    digest.update(Array(chunks.map { "\($0.file) \($0.digest)" }.joined(separator: "\n").utf8).span)
    let settings = try Ledger(query.snapshot.connection).settings(of: query.user)
    return Manifest(
      hk2pgVersion: version,
      export: Manifest.Export(name: name, byteCount: 0, digest: digest.text()),
      user: query.newUser, zone: settings?.zone ?? "UTC", chunks: chunks,
      archive: Manifest.Archive(
        takenAt: query.snapshot.takenAt, formerUser: keys == nil ? nil : query.user,
        isKeyedBySource: query.snapshot.metrics?.isKeyedBySource ?? false,
        hasOwnSchema: query.snapshot.hasOwnSchema, isPartial: isPartial))
  }
}

/// Part of a user's rows: what another database lacks.
package struct ArchiveSelection: Equatable, Sendable {
  /// Of the published tables.
  var groups: [ChunkTable: TableSelection] = [:]
  /// Tables of the schema `hk2pg`, each as a whole.
  var ownTables: Set<ChunkTable> = []
  /// Raw rows in it, by type.
  package internal(set) var rowsByType: [String: Int] = [:]

  /// There is nothing to move.
  package var isEmpty: Bool { groups.values.allSatisfy(\.isEmpty) && ownTables.isEmpty }

  func contains(_ table: ChunkTable) -> Bool {
    switch table {
    case .metrics, .dailySummaries: groups[table].map { !$0.isEmpty } ?? false
    case .routePoints, .ecgRecordings: ownTables.contains(table)
    // Little, and needed with the rest: sources and settings decide how the target takes the rows.
    default: !isEmpty
    }
  }
}
