import Foundation
import TestSupport
import Testing

@testable import SyntheticExport

@Suite struct ZipArchiveTests {
  private static let python = "/usr/bin/python3"
  private static let hasPython = FileManager.default.isExecutableFile(atPath: python)

  private func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("synth-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Another reader checks CRCs, sizes and the directory, and finds the same XML and the side files the XML names.
  @Test(.enabled(if: hasPython, "python3 is not installed"))
  func anotherReaderOpensIt() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let export = try SyntheticExport(ExportRequest(byteCount: 300_000, seed: 31))
    let zip = folder.appendingPathComponent("export.zip").path
    _ = try export.writeZip(path: zip, level: 1, sideFiles: true)
    let xml = folder.appendingPathComponent("expected.xml")
    try Data(export.xmlBytes()).write(to: xml)
    let script = """
      import re, sys, zipfile
      archive = zipfile.ZipFile(sys.argv[1])
      assert archive.testzip() is None
      root = "apple_health_export/"
      main = archive.read(root + "export.xml")
      assert main == open(sys.argv[2], "rb").read()
      info = archive.getinfo(root + "export.xml")
      assert info.flag_bits == 8, info.flag_bits
      header = open(sys.argv[1], "rb").read(30)
      assert header[14:26] == bytes(12), "sizes belong into the descriptor"
      named = {p.decode() for p in re.findall(rb'(?:path|resourceFilePath)="/([^"]+)"', main)}
      names = {n[len(root):] for n in archive.namelist()}
      assert len(names) == len(archive.namelist())
      assert named and named <= names, named - names
      assert sum(n.startswith("electrocardiograms/ecg_") for n in names) >= 1
      assert {n.split("/")[0] for n in names} == {
        "export.xml", "export_cda.xml", "workout-routes", "electrocardiograms", "clinical-records"}
      print("fine")
      """
    let run = try CommandRun(Self.python, ["-c", script, zip, xml.path])
    #expect(run.output == "fine\n")
    #expect(run.errors == "")
  }

  @Test(.enabled(if: hasPython, "python3 is not installed"))
  func writesZip64RecordsWhereAsked() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("large.zip").path
    let archive = ZipArchive(file: try FileSink(creating: path), level: 1, date: (2026, 1, 15, 9, 41, 0))
    let content = [UInt8](repeating: 0x41, count: 70_000)
    for isLarge in [true, false] {
      try archive.addEntry(isLarge ? "large" : "small", mayExceed32Bits: isLarge) { sink throws(SyntheticExportError) in
        var file = SideFile(sink: sink)
        file.buffer.append(content)
        try file.flush()
      }
    }
    try archive.finish()
    let script = """
      import sys, zipfile
      archive = zipfile.ZipFile(sys.argv[1])
      assert archive.testzip() is None
      assert all(archive.read(n) == b"A" * 70000 for n in ("large", "small"))
      data = open(sys.argv[1], "rb").read()
      assert data.count(b"PK\\x06\\x06") == 1 and data.count(b"PK\\x06\\x07") == 1
      assert archive.infolist()[0].date_time == (2026, 1, 15, 9, 41, 0)
      print("fine")
      """
    let run = try CommandRun(Self.python, ["-c", script, path])
    #expect(run.output == "fine\n")
    #expect(run.errors == "")
  }
}
