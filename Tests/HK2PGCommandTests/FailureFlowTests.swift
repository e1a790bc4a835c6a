import Foundation
import ImportFlow
import Testing

@testable import HK2PGCommand

@Suite struct FailureFlowTests {
  @Test(
    arguments: [
      (
        FlowError.tooManyRejects(limit: 1000, firstOffset: 12_345), ExitCode.failed,
        "more than 1,000 samples rejected (--max-rejects), one at byte 12,345",
        "Nothing was loaded. Look at them with --rejects FILE.jsonl, or allow more."
      ),
      (
        .tooManyNames(byteLimit: 8_000_000), .failed,
        "the export names more sources, types, units and devices than fit into 8.0 MB of memory",
        "Nothing was loaded. Apple's exports have a few hundred; has something else written this one?"
      ),
      (.cannotWrite(path: "r", errno: EROFS), .failed, "cannot write r: the file system is read-only", nil),
      (
        .otherUserInTable(existing: "Ann"), .usage, "the table holds rows of another user, and no user was named",
        "Name one with --user ID or HEALTHKIT_USER_ID. Whose rows are there: hk2pg status"
      ),
      (
        .folderInUse(path: "c"), .usage, "another run of hk2pg works in c",
        "Wait for it, or name another folder with --staging DIR."
      ),
      (
        .stagedForOtherUser(staged: "Ann"), .usage, "these chunks were staged for another user than the one named",
        "Load them without naming a user, or stage again with --user ID."
      ),
      (
        .partialChunks(path: "d"), .usage, "the chunks in d lack what the database they were staged for held already",
        "Compare with the export itself, or stage it: hk2pg stage EXPORT --into DIR"
      ),
      (
        .samplesDoNotAddUp(read: 5000, accounted: 4999), .failed,
        "5,000 samples were read, but 4,999 are accounted for", "That is an error of hk2pg: please report it."
      ),
    ] as [(FlowError, ExitCode, String, String?)])
  func sentence(_ error: FlowError, _ code: ExitCode, _ what: String, _ next: String?) {
    let failure = Failure(error)
    #expect(failure.code == code)
    #expect(failure.what == what)
    #expect(failure.next == next)
    #expect(!failure.text(isDebug: false).contains("Ann"))
  }

  @Test func aReportThatCannotBeWritten() {
    let failure = Failure(ReportFileError(path: "r.json", reason: "no space left"))
    #expect(failure.code == .failed)
    #expect(failure.what == "the run is done, but its report r.json could not be written: no space left")
  }
}
