import Foundation

/// `manifest.json`: sorted keys and indented, so that two stagings can be compared with `diff`.
enum ManifestFile {
  private struct Format: Decodable { var format: Int }

  static func write(_ manifest: Manifest, to folder: String, isDurable: Bool) throws(StagingError) {
    let path = "\(folder)/\(Manifest.fileName)"
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    var bytes: [UInt8]
    do {
      bytes = Array(try encoder.encode(manifest))
    } catch {
      throw .unreadableManifest(path: path, reason: String(describing: error))
    }
    bytes.append(UInt8(ascii: "\n"))
    let partial = path + ChunkFolder.partialSuffix
    let file = try OpenFile(creating: partial)
    try file.write(bytes.span)
    if isDurable { try file.sync() }
    try FileSystem.rename(partial, to: path)
    if isDurable { try FileSystem.syncFolder(folder) }
  }

  /// The manifest, with what `ChunkFolder` relies on checked: a known format, known tables with exactly the columns of
  /// this version, plain file names that occur once, no negative counts.
  static func read(from folder: String) throws(StagingError) -> Manifest {
    let path = "\(folder)/\(Manifest.fileName)"
    guard try FileSystem.byteCount(of: path) != nil else { throw .notAChunkFolder(path: folder) }
    let file = try OpenFile(reading: path)
    var bytes: [UInt8] = []
    try file.read(into: &bytes, count: try file.byteCount(), at: 0)
    let manifest: Manifest
    do {
      let format = try JSONDecoder().decode(Format.self, from: Data(bytes)).format
      if format != Manifest.currentFormat { throw StagingError.unsupportedFormat(path: path, found: format) }
      manifest = try JSONDecoder().decode(Manifest.self, from: Data(bytes))
    } catch let error as StagingError {
      throw error
    } catch {
      throw .unreadableManifest(path: path, reason: String(describing: error))
    }
    var names: Set<String> = []
    for chunk in manifest.chunks {
      if !names.insert(chunk.file).inserted {
        throw .unreadableManifest(path: path, reason: "\(chunk.file) is named twice")
      }
      if let reason = problem(of: chunk, isArchived: manifest.archive != nil) {
        throw .unreadableManifest(path: path, reason: reason)
      }
    }
    return manifest
  }

  /// Those of this version; an archive may be of an earlier one.
  private static func isKnown(_ columns: [String], of table: ChunkTable, isArchived: Bool) -> Bool {
    if !isArchived { return columns == table.columns }
    let all = table.archiveColumns
    return columns == all.map(\.name) || columns == all.filter { !$0.isLater }.map(\.name)
  }

  private static func problem(of chunk: Manifest.Chunk, isArchived: Bool) -> String? {
    guard let table = ChunkTable(rawValue: chunk.table) else { return "unknown table \(chunk.table)" }
    if !isKnown(chunk.columns, of: table, isArchived: isArchived) {
      return "unknown columns of \(chunk.table)"
    }
    if chunk.file.contains("/") || !chunk.file.hasSuffix(ChunkFolder.chunkSuffix) || chunk.file.hasPrefix(".") {
      return "impossible file name \(chunk.file)"
    }
    if min(chunk.rowCount, chunk.byteCount, chunk.compressedByteCount) < 0 { return "negative count of \(chunk.file)" }
    return nil
  }
}
