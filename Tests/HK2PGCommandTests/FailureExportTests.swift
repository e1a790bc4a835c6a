import ExportReader
import Foundation
import Testing

@testable import HK2PGCommand

@Suite struct FailureExportTests {
  private static let reads = "hk2pg reads export.zip as the phone makes it, its export.xml, or the unpacked folder."
  private static let fetch = "The copy or download is not whole: fetch it again, or load what is whole with --salvage."
  private static let again = "Make a new export on the phone, or load what is whole with --salvage."

  @Test(
    arguments: [
      (
        ExportError.doesNotExist(path: "e.zip"), ExitCode.usage, "e.zip does not exist",
        "Check the path; quote one with blanks."
      ),
      (
        .notReadable(path: "e", errno: EACCES), .failed, "cannot open e: permission denied",
        "Check the rights of the file and of its folder."
      ),
      (.notReadable(path: "e", errno: ENOTDIR), .usage, "cannot open e: a part of the path is no folder", nil),
      (
        .readFailed(path: "e", errno: EIO, offset: 12_345), .failed,
        "reading e failed at byte 12,345: the disk reports an error", "Copy the file to another disk, and try again."
      ),
      (.emptyFile(path: "e"), .failed, "e is empty", "The copy or download has failed: fetch it again."),
      (.notAnExport(path: "e", .otherFile), .failed, "e is neither XML nor a zip", reads),
      (
        .notAnExport(path: "e", .gitLFSPointer), .failed, "e is a Git LFS pointer, a stand-in for the real file",
        "Fetch that: git lfs pull"
      ),
      (
        .notAnExport(path: "e", .clinicalDocumentOnly), .failed,
        "e holds the clinical document (export_cda.xml) alone", "It has a part of the data only. " + reads
      ),
      (
        .notAnExport(path: "e", .otherXML(root: "gpx")), .failed,
        "e is XML, but no Health export: its root is <gpx>", reads
      ),
      (
        .notAnExport(path: "e", .zipWithoutExport(entryCount: 1)), .failed,
        "e is a zip without a Health export among its 1 entry", reads
      ),
      (.notAnExport(path: "d", .folderWithoutExport), .failed, "there is no Health export in the folder d", reads),
      (
        .unsupportedEncoding(path: "e", encoding: "UTF-16"), .failed, "e is encoded as UTF-16, and exports are UTF-8",
        "Use the file as the phone made it; an editor has converted this one."
      ),
      (
        .zipOnStandardInput, .usage, "standard input holds a zip, and takes XML only",
        "Name the file: hk2pg import export.zip, or: unzip -p export.zip '*/export.xml' | hk2pg import -"
      ),
      (
        .standardInputReadTwice, .usage, "standard input can be read once only", "Save it to a file, and name that."
      ),
      (
        .damagedZip(path: "e", entry: nil, .noCentralDirectory), .failed,
        "the zip e is damaged: it ends before its directory", fetch
      ),
      (
        .damagedZip(path: "e", entry: nil, .badCentralDirectory(offset: 9999)), .failed,
        "the zip e is damaged: its directory is damaged at byte 9,999", fetch
      ),
      (
        .damagedZip(path: "e", entry: "x", .badLocalHeader), .failed,
        "the zip e is damaged, entry x: the entry's header is damaged", fetch
      ),
      (
        .damagedZip(path: "e", entry: "x", .entryTruncated), .failed,
        "the zip e is damaged, entry x: the compressed data end early", fetch
      ),
      (
        .damagedZip(path: "e", entry: "x", .badCompression(offset: 5000)), .failed,
        "the zip e is damaged, entry x: the compressed data are damaged after byte 5,000 of the entry", fetch
      ),
      (
        .damagedZip(path: "e", entry: "x", .wrongSize(expected: 2000, found: 1)), .failed,
        "the zip e is damaged, entry x: the entry has 1 byte, not 2,000", fetch
      ),
      (
        .damagedZip(path: "e", entry: "x", .wrongChecksum), .failed,
        "the zip e is damaged, entry x: the entry's checksum (CRC) is wrong", fetch
      ),
      (
        .unsupportedZip(path: "e", entry: "x", .encryption), .failed, "e uses encryption (entry x)",
        "Unpack it with its own program, and import the folder."
      ),
      (
        .unsupportedZip(path: "e", entry: "x", .compressionMethod(14)), .failed,
        "e uses compression method 14 (entry x)",
        "Unpack it with its own program, and import the folder."
      ),
      (
        .unsupportedZip(path: "e", entry: "x", .severalDisks), .failed, "e uses several volumes (entry x)",
        "Unpack it with its own program, and import the folder."
      ),
      (.truncated(at: 1234), .failed, "the export ends too early, at byte 1,234: it has no </HealthData>", again),
      (
        .severalRoots(at: 1234), .failed, "a second document begins in the export, at byte 1,234",
        "Several exports were joined: import them one by one, or load the first with --salvage."
      ),
      (
        .textAfterRoot(at: 7), .failed, "there is text after the end of the export, at byte 7",
        "Make a new export on the phone, or load what is before it with --salvage."
      ),
      (
        .malformed(at: 7, .unexpectedByte(9)), .failed,
        "the export is damaged at byte 7: the byte 0x09 cannot stand there", again
      ),
      (
        .malformed(at: 7, .spaceInAttributeName), .failed,
        "the export is damaged at byte 7: an attribute's name has a blank in it", again
      ),
      (
        .malformed(at: 7, .mismatchedEndTag), .failed,
        "the export is damaged at byte 7: an end tag does not match its start tag", again
      ),
      (.malformed(at: 7, .tornText), .failed, "the export is damaged at byte 7: a torn piece of an element", again),
      (.malformed(at: 7, .nestedTooDeep), .failed, "the export is damaged at byte 7: elements nested too deep", again),
      (
        .malformed(at: 7, .elementTooLarge), .failed,
        "the export is damaged at byte 7: one element is larger than hk2pg can hold", again
      ),
      (
        .malformed(at: 7, .declarationInBody), .failed,
        "the export is damaged at byte 7: a declaration inside of the data", again
      ),
      (
        .malformed(at: 7, .parser(code: 68)), .failed,
        "the export is damaged at byte 7: no well-formed XML (libxml2 error 68)", again
      ),
      (
        .nothingInIt, .failed, "the export has text in it, but nothing that could be loaded",
        "Make a new export on the phone."
      ),
      (
        .sideFileTooLarge(path: "a.gpx", limit: 300_000_000), .failed,
        "the file a.gpx in the export is larger than 300 MB",
        "Routes, ECGs and clinical records are far smaller: take the file out, or make a new export."
      ),
      (.outOfMemory, .failed, "memory is short", "Close other programs, or try --jobs 1."),
    ] as [(ExportError, ExitCode, String, String?)])
  func sentence(_ error: ExportError, _ code: ExitCode, _ what: String, _ next: String?) {
    let failure = Failure(error)
    #expect(failure.code == code)
    #expect(failure.what == what)
    #expect(failure.next == next)
  }

  @Test func theLineIsNamedWhereItIsKnown() {
    #expect(
      Failure(ExportError.truncated(at: 5000), line: 1001).what
        == "the export ends too early, at byte 5,000 (line 1,001): it has no </HealthData>")
    #expect(ExportError.truncated(at: 5000).offset == 5000)
    #expect(ExportError.nothingInIt.offset == nil)
  }

  @Test func theExportIsNamed() {
    func what(_ error: ExportError, _ path: String) -> String { Failure(error, export: path).what }
    #expect(what(.truncated(at: 7), "e.zip") == "e.zip ends too early, at byte 7: it has no </HealthData>")
    #expect(what(.severalRoots(at: 7), "e.zip") == "a second document begins in e.zip, at byte 7")
    #expect(what(.nothingInIt, "-") == "the export on standard input has text in it, but nothing that could be loaded")
  }

  @Test func namesFromTheFileCannotMoveTheCursor() {
    #expect(!Failure(ExportError.notAnExport(path: "e", .otherXML(root: "\u{1B}[2J"))).what.contains("\u{1B}"))
  }
}
