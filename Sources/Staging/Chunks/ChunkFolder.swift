/// A complete folder of chunks: its manifest is read and every file it names is there in its full size.
///
/// ```
/// DIR/manifest.json                                    written last
/// DIR/healthkit_metrics-0001-0001.pgcopy.zst           one zstd frame around one binary COPY stream
/// DIR/hk2pg.groups-0001-0001.pgcopy.zst
/// ```
/// Load one by hand: `zstd -dc CHUNK | psql -c "\copy healthkit_metrics(id,…) from stdin (format binary)"`.
package struct ChunkFolder: Sendable, Equatable {
  package let path: String
  package let manifest: Manifest

  package static let chunkSuffix = ".pgcopy.zst"
  package static let partialSuffix = ".partial"
  /// How to read an archive without hk2pg.
  package static let readmeName = "README.txt"

  /// Starts a new folder at `path` (see `UnfinishedChunkFolder`).
  package static func create(
    at path: String, isDurable: Bool = true
  ) throws(StagingError) -> UnfinishedChunkFolder {
    try UnfinishedChunkFolder(at: path, isDurable: isDurable)
  }

  /// Reads and checks the manifest, and that each chunk is there with its size. Contents are checked by `verify`, and
  /// by whoever reads a chunk to its end.
  package static func open(at path: String) throws(StagingError) -> ChunkFolder {
    let manifest = try ManifestFile.read(from: path)
    for chunk in manifest.chunks {
      let file = "\(path)/\(chunk.file)"
      guard let size = try FileSystem.byteCount(of: file) else { throw .missingChunk(path: file) }
      if size != chunk.compressedByteCount {
        throw .wrongSize(path: file, expected: chunk.compressedByteCount, found: size)
      }
    }
    return ChunkFolder(path: path, manifest: manifest)
  }

  /// The chunks of one table, in content order.
  package func chunks(of table: ChunkTable) -> [Manifest.Chunk] {
    manifest.chunks.filter { $0.table == table.rawValue }
  }

  /// It has all rows of the export; else those are left out that the database it was staged for held.
  package var isWhole: Bool { chunks(of: .unchangedGroups).isEmpty }

  package func path(of chunk: Manifest.Chunk) -> String { "\(path)/\(chunk.file)" }

  package func reader(of chunk: Manifest.Chunk) throws(StagingError) -> ChunkReader {
    try ChunkReader(path: path(of: chunk), chunk: chunk)
  }

  /// Decompresses every chunk and compares sizes and digests.
  package func verify() throws(StagingError) {
    var piece: [UInt8] = []
    for chunk in manifest.chunks {
      var reader = try reader(of: chunk)
      while try reader.read(into: &piece) > 0 {}
    }
  }

  /// Writes a text for people beside the chunks.
  package func writeReadme(_ text: String) throws(StagingError) {
    let name = "\(path)/\(ChunkFolder.readmeName)"
    let file = try OpenFile(creating: name + ChunkFolder.partialSuffix)
    try file.write(Array(text.utf8).span)
    try file.sync()
    try FileSystem.rename(name + ChunkFolder.partialSuffix, to: name)
  }

  /// Removes the chunks, the manifest first (without it the folder is not complete), and the folder if nothing else
  /// is in it.
  package func remove() throws(StagingError) {
    try FileSystem.remove("\(path)/\(Manifest.fileName)")
    for chunk in manifest.chunks { try FileSystem.remove(self.path(of: chunk)) }
    if try FileSystem.names(in: path)?.isEmpty == true { try FileSystem.remove(path) }
  }
}
