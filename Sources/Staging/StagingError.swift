/// What can go wrong with segments, chunks and their folder. Paths are as given by the caller plus the file's name.
package enum StagingError: Error, Equatable, Sendable {
  package enum FileOperation: String, Sendable { case create, open, read, write, sync, rename, remove, list }

  /// No space or quota left while writing this file.
  case diskFull(path: String)
  case io(FileOperation, path: String, errno: Int32)
  /// No folder, or no `manifest.json` in it: not staged, or not to the end.
  case notAChunkFolder(path: String)
  /// The folder already holds a complete staging.
  case alreadyComplete(path: String)
  /// A file that hk2pg did not write stands where chunks are to be written.
  case foreignFile(path: String)
  case unreadableManifest(path: String, reason: String)
  case unsupportedFormat(path: String, found: Int)
  case missingChunk(path: String)
  case wrongSize(path: String, expected: Int, found: Int)
  case wrongDigest(path: String, expected: String, found: String)
  /// Bytes that cannot have been written by hk2pg, or were changed since.
  case corrupt(path: String, reason: String)
  case truncated(path: String)
  /// libzstd could not compress (memory, mostly).
  case compression(reason: String)
  /// The samples of one type and second have more than 4 GiB of metadata.
  case groupTooLarge(byteCount: Int)
}
