import Foundation
import Staging

extension Failure {
  init(staging error: StagingError) {
    let stageAgain = "Stage the export again."
    switch error {
    case .diskFull(let path):
      self.init(
        .failed, "no space left while writing \(path)",
        next: "Free some space, or name another folder with --staging DIR. The database is unchanged.")
    case .io(let operation, let path, let number):
      let isUsage = SystemError.isMissingPath(number) && (operation == .open || operation == .list)
      self.init(
        isUsage ? .usage : .failed, "cannot \(operation.rawValue) \(path): \(SystemError.words(number))",
        next: SystemError.advice(number))
    case .notAChunkFolder(let path):
      let exists = FileManager.default.fileExists(atPath: path)
      self.init(
        exists ? .failed : .usage, exists ? "\(path) has no complete set of chunks" : "\(path) does not exist",
        next: "hk2pg load takes a folder that hk2pg stage has made to the end.")
    case .alreadyComplete(let path):
      self.init(
        .usage, "\(path) already holds chunks", next: "Name a new folder, or load this one: hk2pg load \(path)")
    case .foreignFile(let path):
      self.init(
        .usage, "\(path) was not written by hk2pg, and stands where chunks are to go",
        next: "Name a new or empty folder.")
    case .unreadableManifest(let path, let reason):
      self.init(.failed, "the manifest \(path) cannot be read", next: stageAgain, detail: reason)
    case .unsupportedFormat(let path, let found):
      self.init(
        .failed, "\(path) has format \(found), which this version does not know",
        next: "Load it with the version of hk2pg that staged it, or stage again.")
    case .missingChunk(let path):
      self.init(.failed, "the chunk \(path) is missing", next: stageAgain)
    case .wrongSize(let path, let expected, let found):
      self.init(
        .failed,
        "the chunk \(path) has \(Words.count(found)) bytes, but \(Words.count(expected)) were written",
        next: stageAgain)
    case .wrongDigest(let path, let expected, let found):
      self.init(
        .failed, "the chunk \(path) has changed since it was written", next: stageAgain,
        detail: "XXH3-128 is \(found), not \(expected)")
    case .corrupt(let path, let reason):
      self.init(.failed, "\(path) is damaged", next: stageAgain, detail: reason)
    case .truncated(let path):
      self.init(.failed, "\(path) ends too early", next: stageAgain)
    case .compression(let reason):
      self.init(
        .failed, "compressing chunks failed", next: "Most often memory is short: try --jobs 1.", detail: reason)
    case .groupTooLarge(let byteCount):
      self.init(
        .failed, "the samples of one type and second have \(Words.bytes(Int64(byteCount))) of metadata, more than 4 GB",
        next: "No real export has this: please report it.")
    }
  }
}
