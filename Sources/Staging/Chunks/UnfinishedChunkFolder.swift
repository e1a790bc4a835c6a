/// A folder that chunks are written into; it becomes a `ChunkFolder` when its manifest is there.
///
/// Files are written under a `.partial` name and renamed when they are whole. What an interrupted run left behind is
/// removed at the next start: without a manifest nothing in it can be used.
package struct UnfinishedChunkFolder: Sendable {
  package let path: String
  /// Files are flushed to the disk before they are renamed. Off for folders that are gone after the import: a
  /// manifest found after a power cut would then prove nothing.
  package let isDurable: Bool

  /// The folder may be absent or empty, or hold what an interrupted staging left; anything else is refused.
  init(at path: String, isDurable: Bool) throws(StagingError) {
    self.path = path
    self.isDurable = isDurable
    let names = try FileSystem.names(in: path) ?? []
    if names.contains(Manifest.fileName) { throw .alreadyComplete(path: path) }
    for name in names where !UnfinishedChunkFolder.isLeftover(name) {
      throw .foreignFile(path: "\(path)/\(name)")
    }
    try FileSystem.makeFolder(path)
    try FileSystem.makePrivate(path)
    for name in names { try FileSystem.remove("\(path)/\(name)") }
  }

  private static func isLeftover(_ name: String) -> Bool {
    name.hasSuffix(ChunkFolder.chunkSuffix) || name.hasSuffix(ChunkFolder.partialSuffix)
  }

  /// Where a `SegmentStore` of the same run may work; gone when the folder is complete.
  package var segmentDirectory: String { "\(path)/segments\(ChunkFolder.partialSuffix)" }

  /// Writes the manifest; the chunks it names were finished by their writers.
  package func complete(with manifest: Manifest) throws(StagingError) -> ChunkFolder {
    try FileSystem.remove(segmentDirectory)
    if isDurable { try FileSystem.syncFolder(path) }
    try ManifestFile.write(manifest, to: path, isDurable: isDurable)
    return ChunkFolder(path: path, manifest: manifest)
  }

  /// Removes everything written so far, and the folder.
  package func abandon() throws(StagingError) { try FileSystem.remove(path) }
}
