import Foundation
import HealthModel
import TestSupport
import Testing

@testable import ExportReader

@Suite struct OpenExportTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  static let clinical = Array(
    "<?xml version=\"1.0\"?>\n<ClinicalDocument xmlns=\"urn:hl7-org:v3\"><a/></ClinicalDocument>".utf8)
  static let gpx = Array("<gpx/>".utf8)

  func read(_ stream: ExportByteStream) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 777)
    var bytes: [UInt8] = []
    while true {
      let count = try stream.read(into: &buffer)
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  func entries(_ prefix: String, main: String) -> [ZipBuilder.Entry] {
    [
      ZipBuilder.Entry("\(prefix)", [], method: 0),
      ZipBuilder.Entry("__MACOSX/\(prefix)._\(main)", Fixture.small),
      ZipBuilder.Entry("\(prefix).DS_Store", [1, 2]),
      ZipBuilder.Entry("\(prefix)export_cda.xml", Self.clinical),
      ZipBuilder.Entry("\(prefix)workout-routes/route_2024-12-26_2.54pm.gpx", Self.gpx),
      ZipBuilder.Entry("\(prefix)electrocardiograms/ecg_2024-01-01.csv", Array("Name".utf8)),
      ZipBuilder.Entry("\(prefix)clinical-records/Condition-1.json", Array("{}".utf8)),
      ZipBuilder.Entry("\(prefix)\(main)", Fixture.small),
      ZipBuilder.Entry("\(prefix)notes.txt", Array("<HealthData".utf8)),
    ].filter { !$0.name.isEmpty }
  }

  func expectSideFiles(_ export: OpenExport) throws {
    #expect(
      export.sideFiles.map(\.path) == [
        "clinical-records/Condition-1.json", "electrocardiograms/ecg_2024-01-01.csv",
        "workout-routes/route_2024-12-26_2.54pm.gpx",
      ])
    #expect(export.sideFiles.map(\.kind) == [.clinicalRecord, .electrocardiogram, .route])
    #expect(export.sideFiles.map(\.byteCount) == [2, 4, 6])
    for reference in ["/workout-routes/route_2024-12-26_2.54pm.gpx", "workout-routes/route_2024-12-26_2.54pm.gpx"] {
      let file = try #require(export.sideFile(at: reference))
      #expect(try export.bytes(of: file) == Self.gpx)
    }
    #expect(export.sideFile(at: "/clinical_records/Condition-1.json")?.path == "clinical-records/Condition-1.json")
    #expect(export.sideFile(at: "/workout-routes/missing.gpx") == nil)
    #expect(export.sideFile(at: "/workout-routes/../clinical-records/Condition-1.json") == nil)
    let file = try #require(export.sideFile(at: "clinical-records/Condition-1.json"))
    #expect(throws: ExportError.sideFileTooLarge(path: file.path, limit: 1)) { try export.bytes(of: file, limit: 1) }
  }

  @Test(
    arguments: ["", "apple_health_export/", "导出/"], ["export.xml", "exportación.xml", "экспорт.xml", "Export 2.XML"])
  func findsTheMainXMLOfAZip(prefix: String, main: String) throws {
    let path = try folder.write("e.zip", ZipBuilder(entries(prefix, main: main)).build())
    let export = try OpenExport.open(path: path)
    #expect(export.mainPath == prefix + main)
    #expect(export.name == "e.zip")
    #expect(try read(export.makeStream()) == Fixture.small)
    #expect(try read(export.makeStream()) == Fixture.small)
    #expect(export.ignoredFiles.map(\.path) == ["\(prefix)export_cda.xml", "\(prefix)notes.txt"])
    try expectSideFiles(export)
  }

  @Test func findsTheMainXMLOfAFolder() throws {
    for entry in entries("apple_health_export/", main: "export.xml") where !entry.content.isEmpty {
      _ = try folder.write(String(decoding: entry.name, as: UTF8.self), entry.content)
    }
    for path in [folder.path, "\(folder.path)/apple_health_export"] {
      let export = try OpenExport.open(path: path)
      #expect(export.kind == .folder)
      #expect(export.byteCount == Int64(Fixture.small.count))
      #expect(try read(export.makeStream()) == Fixture.small)
      try expectSideFiles(export)
    }
    // The XML alone takes its side files from beside it.
    let export = try OpenExport.open(path: "\(folder.path)/apple_health_export/export.xml")
    #expect(export.kind == .xml)
    #expect(export.ignoredFiles == [])
    try expectSideFiles(export)
  }

  @Test func ofSeveralCandidatesTheLargestCounts() throws {
    let small = Fixture.export("<a/>")
    let names = ["a.xml", "b/b.xml", "c.xml"]
    let contents = [small, Fixture.small, small]
    let zip = try folder.write("e.zip", ZipBuilder(zip(names, contents).map { ZipBuilder.Entry($0, $1) }).build())
    #expect(try OpenExport.open(path: zip).mainPath == "b/b.xml")
    // An entry without the extension is looked at when no XML fits.
    let odd = try folder.write("o.zip", ZipBuilder([ZipBuilder.Entry("export", small)]).build())
    #expect(try OpenExport.open(path: odd).mainPath == "export")
    for (name, content) in Swift.zip(names, contents) { _ = try folder.write("f/\(name)", content) }
    #expect(try OpenExport.open(path: "\(folder.path)/f").mainPath == "b/b.xml")
  }

  @Test func unsafePathsAreNotUsed() throws {
    let zip = ZipBuilder([
      ZipBuilder.Entry("/abs.xml", Fixture.small), ZipBuilder.Entry("a/../../up.xml", Fixture.small),
      ZipBuilder.Entry("a/x.xml", Fixture.export("<a/>")), ZipBuilder.Entry("a/workout-routes/../../x.gpx", Self.gpx),
    ])
    let export = try OpenExport.open(path: try folder.write("e.zip", zip.build()))
    #expect(export.mainPath == "a/x.xml")
    #expect(export.sideFiles.isEmpty)
    #expect(export.ignoredFiles.count == 3)
  }

  @Test func namesOfSideFilesAreComparedInNormalForm() throws {
    let zip = ZipBuilder([
      ZipBuilder.Entry("x.xml", Fixture.small), ZipBuilder.Entry("workout-routes/ga\u{0308}.gpx", Self.gpx),
      ZipBuilder.Entry("workout-routes/twice.gpx", [1]), ZipBuilder.Entry("workout-routes/twice.gpx", [2, 3]),
    ])
    let export = try OpenExport.open(path: try folder.write("e.zip", zip.build()))
    #expect(export.sideFile(at: "/workout-routes/g\u{E4}.gpx")?.byteCount == 6)
    // The later of two entries with one name is what unpacking leaves.
    let twice = try #require(export.sideFile(at: "workout-routes/twice.gpx"))
    #expect(try export.bytes(of: twice) == [2, 3])
  }

  @Test func aPipeIsReadOnceWithADigest() throws {
    let path = "\(folder.path)/pipe"
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let content = Fixture.export(String(repeating: "<Record type=\"x\"/>\n", count: 5000))
    let writer = Thread {
      try? FileHandle(forWritingAtPath: path)?.write(contentsOf: content)
    }
    writer.start()
    let export = try OpenExport.open(path: path)
    #expect(export.kind == .standardInput)
    #expect(export.byteCount == 0)
    let stream = try export.makeStream()
    #expect(try read(stream) == content)
    #expect(stream.totalByteCount == nil)
    #expect(stream.bytesConsumed == Int64(content.count))
    #expect(throws: ExportError.standardInputReadTwice) { try export.makeStream() }
    #expect(export.line(at: 5) == nil)
    #expect(try export.computeDigest() == nil)
    let file = try OpenExport.open(path: try folder.write("same.xml", content))
    #expect(try file.computeDigest() == stream.digest)
  }

  @Test func aPlainFileHasItsDigestAtTheEndOfTheStream() throws {
    let path = try folder.write("plain.xml", Fixture.export(String(repeating: "<Record type=\"x\"/>\n", count: 5000)))
    for hasSideFile in [false, true] {
      if hasSideFile {
        try FileManager.default.createDirectory(
          atPath: "\(folder.path)/workout-routes", withIntermediateDirectories: true)
        _ = try folder.write("workout-routes/route.gpx", Array("<gpx/>".utf8))
      }
      let export = try OpenExport.open(path: path)
      #expect(export.sideFiles.isEmpty == !hasSideFile)
      let stream = try export.makeStream()
      #expect(stream.digest == nil)
      _ = try read(stream)
      let digest = try #require(stream.digest)
      #expect(try export.computeDigest() == digest)
    }
  }

  @Test func aZipInAPipeIsRefused() throws {
    let path = "\(folder.path)/pipe"
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let zip = ZipBuilder([ZipBuilder.Entry("export.xml", Fixture.small)]).build()
    Thread { try? FileHandle(forWritingAtPath: path)?.write(contentsOf: zip) }.start()
    #expect(throws: ExportError.zipOnStandardInput) { try OpenExport.open(path: path) }
  }

  @Test func theDigestIsXXH3() throws {
    // printf '<HealthData/>' | xxhsum -H2
    let export = try OpenExport.open(path: try folder.write("a.xml", Array("<HealthData/>".utf8)))
    #expect(try export.computeDigest() == "78111d365cf9beb263208fd5857afd39")
  }

  @Test func linesAreCountedInTheOriginal() throws {
    let lines = String(decoding: Fixture.small, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let zip = try folder.write("e.zip", ZipBuilder([ZipBuilder.Entry("x.xml", Fixture.small)]).build())
    let xml = try folder.write("e.xml", Fixture.small)
    for path in [zip, xml] {
      let export = try OpenExport.open(path: path)
      var offset: Int64 = 0
      for (index, line) in lines.enumerated() where offset < Int64(Fixture.small.count) {
        #expect(export.line(at: offset) == index + 1)
        offset += Int64(line.utf8.count) + 1
      }
    }
  }

  @Test func everyKindOfWrongFileHasItsError() throws {
    func error(_ name: String, _ bytes: [UInt8]) throws -> ExportError? {
      let path = try folder.write(name, bytes)
      return #expect(throws: ExportError.self) { try OpenExport.open(path: path) }
    }
    let p = folder.path
    #expect(throws: ExportError.doesNotExist(path: "\(p)/no")) { try OpenExport.open(path: "\(p)/no") }
    #expect(throws: ExportError.doesNotExist(path: "\(p)/no/no")) { try OpenExport.open(path: "\(p)/no/no") }
    #expect(try error("empty", []) == .emptyFile(path: "\(p)/empty"))
    #expect(try error("text", Array("hello <HealthData>".utf8)) == .notAnExport(path: "\(p)/text", .otherFile))
    #expect(
      try error("lfs", Array("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 134\n".utf8))
        == .notAnExport(path: "\(p)/lfs", .gitLFSPointer))
    #expect(try error("cda.xml", Self.clinical) == .notAnExport(path: "\(p)/cda.xml", .clinicalDocumentOnly))
    #expect(
      try error("svg", Array("<?xml version='1.0'?><!-- a --><svg:svg x='1'>".utf8))
        == .notAnExport(path: "\(p)/svg", .otherXML(root: "svg:svg")))
    for (name, bytes) in [("le", [0xFF, 0xFE]), ("be", [0xFE, 0xFF])] as [(String, [UInt8])] {
      let utf16 = bytes + "<HealthData>".utf16.flatMap { name == "le" ? [UInt8($0), 0] : [0, UInt8($0)] }
      let expected = ExportError.unsupportedEncoding(path: "\(p)/\(name)", encoding: "UTF-16")
      #expect(try error(name, utf16) == expected)
      #expect(try error(name, Array(utf16.dropFirst(2))) == expected)
    }
    #expect(
      try error("no.zip", ZipBuilder([ZipBuilder.Entry("a.txt", [1])]).build())
        == .notAnExport(path: "\(p)/no.zip", .zipWithoutExport(entryCount: 1)))
    #expect(
      try error("none.zip", ZipBuilder([]).build())
        == .notAnExport(path: "\(p)/none.zip", .zipWithoutExport(entryCount: 0)))
    #expect(
      try error("cda.zip", ZipBuilder([ZipBuilder.Entry("export_cda.xml", Self.clinical)]).build())
        == .notAnExport(path: "\(p)/cda.zip", .clinicalDocumentOnly))
    #expect(
      try error("emptyxml.zip", ZipBuilder([ZipBuilder.Entry("export.xml", [])]).build())
        == .emptyFile(path: "\(p)/emptyxml.zip"))
    _ = try folder.write("d/a.txt", [1])
    #expect(throws: ExportError.notAnExport(path: "\(p)/d", .folderWithoutExport)) {
      try OpenExport.open(path: "\(p)/d")
    }
    _ = try folder.write("d/export_cda.xml", Self.clinical)
    #expect(throws: ExportError.notAnExport(path: "\(p)/d", .clinicalDocumentOnly)) {
      try OpenExport.open(path: "\(p)/d")
    }
  }
}
