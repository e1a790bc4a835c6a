import BoundedQueues
import ExportReader
import Foundation
import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import HK2PGCommand
@testable import ImportFlow

/// A made-up export, staged in this process: everything but a database, at the speed of a unit test.
///
/// Every export is staged with one worker and with four: the folders must be the same to the last byte, and the sum of
/// DESIGN §7.1 must hold.
struct StagedExport {
  let report: ImportReport
  let folder: ChunkFolder
  /// `type|value|unit|source|start|end|metadata`, in the order of the chunks. `Q:` and `C:` stand for the prefixes of
  /// quantity and category types; NULL is empty.
  let rows: [String]
  private let files: TemporaryFolder

  /// Of an XML alone, in a folder without anything else.
  static func xml(_ bytes: [UInt8], _ change: (inout ImportSettings) -> Void = { _ in }) throws -> StagedExport {
    let files = try TemporaryFolder()
    return try StagedExport(files.write("export.xml", bytes), in: files, change)
  }

  static func xml(_ text: String, _ change: (inout ImportSettings) -> Void = { _ in }) throws -> StagedExport {
    try xml(Array(text.utf8), change)
  }

  /// - Parameter path: the export, in `files`, which also takes the chunks.
  init(_ path: String, in files: TemporaryFolder, _ change: (inout ImportSettings) -> Void = { _ in }) throws {
    self.files = files
    let one = try StagedExport.stage(path, into: "\(files.path)/one-\(UUID())", jobs: 1, change)
    let four = try StagedExport.stage(path, into: "\(files.path)/four-\(UUID())", jobs: 4, change)
    report = one.report
    folder = try ChunkFolder.open(at: one.path)
    try folder.verify()
    #expect(try StagedExport.contents(one.path) == StagedExport.contents(four.path), "one and four workers differ")
    rows = try StagedExport.metrics(of: folder)
    expectSum()
  }

  private func expectSum() {
    let samples = folder.manifest.samples
    #expect(
      samples.read
        == samples.staged + samples.repeats + samples.superseded + samples.withheld + samples.rejected, "\(samples)")
    #expect(report.samples.isBalanced, "\(report.samples)")
    #expect(rows.count == samples.staged && report.samples.written == samples.staged)
  }

  private static func stage(
    _ path: String, into folder: String, jobs: Int, _ change: (inout ImportSettings) -> Void
  ) throws -> (report: ImportReport, path: String) {
    var settings = ImportSettings(exportPath: path, user: "anna", isUserExplicit: true, jobs: jobs)
    settings.timezone = "Europe/Berlin"
    change(&settings)
    let report = try ImportFlow.stage(settings, into: folder, interruption: Interruption(), progress: { _ in })
    return (report, folder)
  }

  /// What is printed when it cannot be staged, without the path; nothing may be left behind then.
  static func message(_ name: String, _ bytes: [UInt8], salvage: Bool = false) throws -> String {
    let files = try TemporaryFolder()
    return try message(of: files.write(name, bytes), in: files, salvage: salvage)
  }

  static func message(of path: String, in files: TemporaryFolder, salvage: Bool = false) throws -> String {
    let target = "\(files.path)/chunks"
    do {
      _ = try stage(path, into: target, jobs: 2) { $0.isSalvage = salvage }
    } catch {
      #expect(!FileManager.default.fileExists(atPath: target), "chunks were left behind")
      let offset = (error as? ExportError)?.offset
      let line = offset.flatMap { offset in (try? OpenExport.open(path: path))?.line(at: offset) }
      let failure = Failure(error, export: path, line: line)
      return failure.what.replacing(files.path + "/", with: "")
    }
    return "no error"
  }

  /// Count of each problem.
  var problems: [ProblemKind: Int] {
    Dictionary(report.problems.map { ($0.kind, $0.count) }, uniquingKeysWith: +)
  }

  /// Of all rows, in the order of `rows`.
  var ids: [String] {
    get throws { try StagedExport.table(.metrics, of: folder) { try $0.uuid(0)?.description ?? "" } }
  }

  func rows(of type: String) -> [String] { rows.filter { $0.hasPrefix(type + "|") } }

  var exitCode: ExitCode { FlowRun.exitCode(of: report) }

  /// As printed on stdout.
  var text: String { ReportText(report: report).text }

  /// Everything in the folder, by file name.
  static func contents(_ path: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      contents[name] = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
    }
    return contents
  }
}

// MARK: Rows as text

extension StagedExport {
  private static func metrics(of folder: ChunkFolder) throws -> [String] {
    var ids: Set<RowID> = []
    var keys: Set<String> = []
    return try table(.metrics, of: folder) { row in
      let id = try row.required(row.uuid(0), 0)
      #expect(id.isOurs && ids.insert(id).inserted, "an id twice")
      #expect(row.string(1) == "anna")
      let type = (row.string(2) ?? "").replacing("HKQuantityTypeIdentifier", with: "Q:")
        .replacing("HKCategoryTypeIdentifier", with: "C:")
      let start = try row.required(row.timestamptz(6), 6)
      #expect(keys.insert("\(type) \(start.microseconds)").inserted, "a key twice")
      let fields = [
        type, text(try row.float8(3)), row.string(4) ?? "", row.string(5) ?? "", start.iso8601,
        try row.timestamptz(7)?.iso8601 ?? "",
        try row.jsonbRange(of: 8).map { String(decoding: row.bytes[$0], as: UTF8.self) } ?? "",
      ]
      return fields.joined(separator: "|")
    }
  }

  /// `digest|ordinal|time|longitude|latitude|elevation|speed|course`; the digest is the first of them, `A`, `B` and so on.
  var routePoints: [String] {
    get throws {
      var names: [String] = []
      return try StagedExport.table(.routePoints, of: folder) { row in
        let digest = row.string(1) ?? ""
        if !names.contains(digest) { names.append(digest) }
        let name = String(UnicodeScalar(UInt8(65 + (names.firstIndex(of: digest) ?? 0))))
        let numbers = try (4...8).map { StagedExport.text(try row.float8($0)) }
        let time = try row.timestamptz(3)?.iso8601 ?? ""
        return ([name, "\(try row.required(row.int4(2), 2))", time] + numbers).joined(separator: "|")
      }
    }
  }

  /// The digests that points are stored by.
  var pointDigests: Set<String> {
    get throws { Set(try StagedExport.table(.routePoints, of: folder) { $0.string(1) ?? "" }) }
  }

  /// `recorded|rate|lead|unit|number of voltages`, after checking that the id is that of a staged row.
  var recordings: [String] {
    get throws {
      let ids = Set(try ids)
      return try StagedExport.table(.ecgRecordings, of: folder) { row in
        #expect(ids.contains(try row.uuid(1)?.description ?? "?"))
        let time = try row.timestamptz(2)?.iso8601 ?? ""
        let count = row.range(of: 6).map { ($0.count - 20) / 8 } ?? 0
        let fields = [time, StagedExport.text(try row.float8(3)), row.string(4) ?? "", row.string(5) ?? "", "\(count)"]
        return fields.joined(separator: "|")
      }
    }
  }

  var profile: [String] {
    get throws { try StagedExport.table(.profiles, of: folder) { "\($0.string(1) ?? "")=\($0.string(2) ?? "")" } }
  }

  private static func text(_ number: Double?) -> String {
    guard let number else { return "" }
    return number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
  }

  private static func table(
    _ table: ChunkTable, of folder: ChunkFolder, _ row: (CopyDecoder) throws -> String
  ) throws -> [String] {
    var rows: [String] = []
    for chunk in folder.chunks(of: table) {
      var decoder = CopyDecoder(fieldCount: table.columns.count)
      var reader = try folder.reader(of: chunk)
      var piece: [UInt8] = []
      while try reader.read(into: &piece) > 0 {
        decoder.append(piece.span)
        while try decoder.nextRow() { rows.append(try row(decoder)) }
      }
      try decoder.finish()
    }
    return rows
  }
}
