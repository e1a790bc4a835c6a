import Foundation
import Testing

@testable import Pipelines

func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: "hk2pg-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder.path(percentEncoded: false))
}

func write(_ text: String, _ path: String) throws {
  let url = URL(filePath: path)
  try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
  try Data(text.utf8).write(to: url)
}

@Suite struct FolderListingTests {
  @Test func exportsAreFoundAndPlaceholdersAreNot() throws {
    try withFolder { folder throws in
      for name in [
        "export.zip", "Exportación.ZIP", "export (conflicted copy).zip", "plain.xml", "unpacked/apple/export.xml",
        "unpacked/apple/routes/r.gpx",
      ] { try write("xx", folder + "/" + name) }
      for name in [
        ".export.zip.icloud", "export2.zip.part", "export.zip.crdownload", "~$export.xml", ".hidden.zip", "notes.txt",
        "export.tmp", "routes/r.gpx", "~syncthing~export.zip.tmp", "e.zip.partial", "x/.xml", "y/a.xml.part",
      ] { try write("xx", folder + "/" + name) }
      try write("", folder + "/empty.zip")
      let found = try FolderListing.candidates(in: folder)
      #expect(
        found.map(\.name) == ["Exportación.ZIP", "export (conflicted copy).zip", "export.zip", "plain.xml", "unpacked"])
      let unpacked = try #require(found.last)
      #expect(unpacked.isFolder && unpacked.byteCount == 4 && unpacked.fileCount == 2)
      #expect(try FolderListing.candidates(in: folder + "/").map(\.path) == found.map(\.path))
    }
  }

  @Test func aFolderThatIsNotThere() {
    #expect(throws: FolderListing.Failure(errno: ENOENT)) { try FolderListing.candidates(in: "/nowhere/at/all") }
  }

  @Test func everyChangeShows() throws {
    try withFolder { folder throws in
      let path = folder + "/export.zip"
      try write("one", path)
      let first = try FolderListing.candidates(in: folder)
      #expect(try FolderListing.candidates(in: folder) == first)
      // Same size, and the modification time set back: the status change time gives it away.
      usleep(20_000)
      try write("two", path)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(first[0].modified) / 1e9)], ofItemAtPath: path)
      #expect(try FolderListing.candidates(in: folder) != first)
    }
  }
}

@Suite struct SettleTrackerTests {
  private func candidate(_ bytes: Int64, changed: Int64 = 1000) -> Candidate {
    Candidate(path: "/f/e.zip", byteCount: bytes, modified: 0, statusChanged: changed * 1_000_000_000, inode: 1)
  }

  @Test func anOldFileIsSettledAtOnce() {
    var tracker = SettleTracker(settle: 3)
    tracker.update([candidate(5)], now: 50, wallNanoseconds: 1003 * 1_000_000_000)
    #expect(tracker.isSettled(candidate(5), now: 50))
    #expect(tracker.secondsToNext(now: 50) == nil)
  }

  @Test func aFreshOneHasToStayAsItIs() {
    var tracker = SettleTracker(settle: 3)
    tracker.update([candidate(5)], now: 50, wallNanoseconds: 1001 * 1_000_000_000)
    #expect(!tracker.isSettled(candidate(5), now: 50))
    #expect(tracker.secondsToNext(now: 50) == 2)
    #expect(tracker.isSettled(candidate(5), now: 52))
    tracker.update([candidate(6)], now: 51, wallNanoseconds: 1002 * 1_000_000_000)
    #expect(!tracker.isSettled(candidate(6), now: 53.9))
    #expect(tracker.isSettled(candidate(6), now: 54))
    #expect(tracker.age(candidate(6), now: 55) == 4)
    #expect(tracker.age(candidate(5), now: 55) == 0)
  }

  /// Another machine's clock may be ahead.
  @Test func aTimeInTheFutureIsNow() {
    var tracker = SettleTracker(settle: 3)
    tracker.update([candidate(5, changed: 9999)], now: 50, wallNanoseconds: 1000 * 1_000_000_000)
    #expect(!tracker.isSettled(candidate(5, changed: 9999), now: 52.9))
    #expect(tracker.isSettled(candidate(5, changed: 9999), now: 53))
  }

  @Test func aFileThatCameBackStartsAnew() {
    var tracker = SettleTracker(settle: 3)
    let wall: Int64 = 1000 * 1_000_000_000
    tracker.update([candidate(5)], now: 0, wallNanoseconds: wall)
    tracker.update([], now: 1, wallNanoseconds: wall)
    tracker.update([candidate(5)], now: 4, wallNanoseconds: wall)
    #expect(!tracker.isSettled(candidate(5), now: 6))
  }
}

@Suite struct NewestExportTests {
  private func candidate(_ path: String, _ modified: Int64) -> Candidate {
    Candidate(path: path, byteCount: 1, modified: modified, statusChanged: 0, inode: 1)
  }

  @Test func theDateInsideCountsMost() {
    // Copied later, made earlier.
    let old = (candidate("a", 900), date: Int64?(100))
    let new = (candidate("b", 500), date: Int64?(400))
    #expect(NewestExport.isOlder(old, than: new) && !NewestExport.isOlder(new, than: old))
    let undated = (candidate("c", 450), date: Int64?.none)
    #expect(NewestExport.isOlder(new, than: undated))
    // A conflict copy with the same date: the one changed last, then the name.
    #expect(NewestExport.isOlder((candidate("b", 4), 100), than: (candidate("a", 5), 100)))
    #expect(NewestExport.isOlder((candidate("a", 5), 100), than: (candidate("b", 5), 100)))
  }

  @Test func pausesDoubleUpToAnHour() {
    var timing = FolderTiming()
    timing.retry = 30
    #expect([1, 2, 3, 7, 8, 99].map { timing.retryPause(afterFailures: $0) } == [30, 60, 120, 1920, 3600, 3600])
    timing.retry = 7200
    #expect(timing.retryPause(afterFailures: 3) == 7200)
  }
}
