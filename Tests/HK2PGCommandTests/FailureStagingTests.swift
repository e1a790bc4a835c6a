import Foundation
import Staging
import Testing

@testable import HK2PGCommand

@Suite struct FailureStagingTests {
  @Test(
    arguments: [
      (
        StagingError.diskFull(path: "/w/a"), ExitCode.failed, "no space left while writing /w/a",
        "Free some space, or name another folder with --staging DIR. The database is unchanged."
      ),
      (
        .io(.open, path: "/w", errno: ENOENT), .usage, "cannot open /w: no such file or folder", nil
      ),
      (
        .io(.write, path: "/w", errno: EACCES), .failed, "cannot write /w: permission denied",
        "Check the rights of the file and of its folder."
      ),
      (
        .notAChunkFolder(path: "/"), .failed, "/ has no complete set of chunks",
        "hk2pg load takes a folder that hk2pg stage has made to the end."
      ),
      (
        .notAChunkFolder(path: "/no/such"), .usage, "/no/such does not exist",
        "hk2pg load takes a folder that hk2pg stage has made to the end."
      ),
      (
        .alreadyComplete(path: "c"), .usage, "c already holds chunks",
        "Name a new folder, or load this one: hk2pg load c"
      ),
      (
        .foreignFile(path: "c/x"), .usage, "c/x was not written by hk2pg, and stands where chunks are to go",
        "Name a new or empty folder."
      ),
      (
        .unreadableManifest(path: "c/manifest.json", reason: "r"), .failed,
        "the manifest c/manifest.json cannot be read", "Stage the export again."
      ),
      (
        .unsupportedFormat(path: "c", found: 9), .failed, "c has format 9, which this version does not know",
        "Load it with the version of hk2pg that staged it, or stage again."
      ),
      (.missingChunk(path: "c/1"), .failed, "the chunk c/1 is missing", "Stage the export again."),
      (
        .wrongSize(path: "c/1", expected: 1000, found: 7), .failed,
        "the chunk c/1 has 7 bytes, but 1,000 were written", "Stage the export again."
      ),
      (
        .wrongDigest(path: "c/1", expected: "a", found: "b"), .failed,
        "the chunk c/1 has changed since it was written", "Stage the export again."
      ),
      (.corrupt(path: "c/1", reason: "r"), .failed, "c/1 is damaged", "Stage the export again."),
      (.truncated(path: "c/1"), .failed, "c/1 ends too early", "Stage the export again."),
      (
        .compression(reason: "r"), .failed, "compressing chunks failed", "Most often memory is short: try --jobs 1."
      ),
      (
        .groupTooLarge(byteCount: 5_000_000_000), .failed,
        "the samples of one type and second have 5.0 GB of metadata, more than 4 GB",
        "No real export has this: please report it."
      ),
    ] as [(StagingError, ExitCode, String, String?)])
  func sentence(_ error: StagingError, _ code: ExitCode, _ what: String, _ next: String?) {
    let failure = Failure(error)
    #expect(failure.code == code)
    #expect(failure.what == what)
    #expect(failure.next == next)
  }
}
