import BoundedQueues
import Foundation
import Pipelines
import Synchronization
import TestSupport
import Testing

@testable import HK2PGCommand

/// A small export's XML.
func exportText(date: String = "2024-05-03 12:00:00 +0200") -> String {
  """
  <?xml version="1.0" encoding="UTF-8"?>
  <!DOCTYPE HealthData [<!ELEMENT ExportDate EMPTY>]>
  <HealthData locale="en_DE">
   <ExportDate value="\(date)"/>
   <Record type="HKQuantityTypeIdentifierStepCount" sourceName="W" unit="count" value="5" \
  startDate="2024-05-01 10:00:00 +0000" endDate="2024-05-01 10:01:00 +0000"/>
  </HealthData>
  """
}

func exportZip(date: String = "2024-05-03 12:00:00 +0200") -> Data {
  Data(ZipBuilder([.init("apple_health_export/export.xml", Array(exportText(date: date).utf8))]).build())
}

@Suite struct ExportProbeTests {
  private func look(_ data: Data, _ name: String = "e.zip") throws -> ExportProbe.Finding {
    try withFolder { folder throws in
      let path = folder + "/" + name
      try data.write(to: URL(filePath: path))
      return ExportProbe.look(at: path)
    }
  }

  @Test func wholeOnesHaveADate() throws {
    // 10:00 UTC.
    let date: Int64 = 1_714_730_400_000_000_000
    #expect(try look(exportZip()) == .complete(date: date))
    #expect(try look(Data(exportText().utf8), "e.xml") == .complete(date: date))
    #expect(try look(Data("<HealthData locale=\"x\"> <Record/> </HealthData>\n".utf8), "e.xml") == .complete(date: nil))
    try withFolder { folder throws in
      let inner = folder + "/u/apple_health_export"
      try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
      try Data(exportText().utf8).write(to: URL(filePath: inner + "/export.xml"))
      #expect(ExportProbe.look(at: folder + "/u") == .complete(date: date))
    }
  }

  /// Cut at every byte: never whole, never an error that is not understood.
  @Test func cutOnesAreNotWhole() throws {
    let whole = exportZip()
    for count in stride(from: 1, to: whole.count, by: 7) {
      if case .complete = try look(whole.prefix(count)) { Issue.record("whole at \(count) of \(whole.count)") }
    }
    let text = Data(exportText().utf8)
    for count in stride(from: 200, to: text.count - 12, by: 5) {
      guard case .incomplete = try look(text.prefix(count), "e.xml") else {
        Issue.record("not incomplete at \(count)")
        return
      }
    }
  }

  @Test func otherFilesAreForeign() throws {
    #expect(try look(Data(ZipBuilder([.init("photo.jpg", [1, 2, 3])]).build())) == .foreign)
    #expect(try look(Data("<ClinicalDocument xmlns=\"urn:hl7-org:v3\"></ClinicalDocument>".utf8), "c.xml") == .foreign)
  }
}

@Suite(.timeLimit(.minutes(20))) struct FolderChooserTests {
  private func timing(settle: Double = 1, giveUp: Double = 120) -> FolderTiming {
    var timing = FolderTiming()
    timing.settle = settle
    timing.giveUp = giveUp
    timing.poll = 1
    timing.retry = 1
    return timing
  }

  private func wait(_ folder: String, _ timing: FolderTiming) throws -> FolderChooser.Choice {
    var chooser = FolderChooser(folder: folder, timing: timing)
    return try chooser.waitForQuiet(Interruption()) { _ in }
  }

  @Test func theNewestByItsDateIsTaken() throws {
    try withFolder { folder throws in
      try exportZip(date: "2025-01-01 00:00:00 +0000").write(to: URL(filePath: folder + "/b.zip"))
      try exportZip(date: "2024-01-01 00:00:00 +0000").write(to: URL(filePath: folder + "/c.zip"))
      try exportZip(date: "2023-01-01 00:00:00 +0000").write(to: URL(filePath: folder + "/a.zip"))
      try Data(ZipBuilder([.init("photo.jpg", [1])]).build()).write(to: URL(filePath: folder + "/photos.zip"))
      let choice = try wait(folder, timing())
      #expect(choice.best?.name == "b.zip")
      #expect(choice.foreignCount == 1 && choice.pending.isEmpty && choice.stuck.isEmpty)
    }
  }

  @Test func aNewerOneThatStaysTornIsTold() throws {
    try withFolder { folder throws in
      let zip = exportZip()
      try zip.write(to: URL(filePath: folder + "/a.zip"))
      usleep(20_000)
      try zip.prefix(zip.count - 30).write(to: URL(filePath: folder + "/b.zip"))
      let choice = try wait(folder, timing(settle: 0.2, giveUp: 0.6))
      #expect(choice.best?.name == "a.zip")
      #expect(choice.stuck.map(\.candidate.name) == ["b.zip"])
      usleep(20_000)
      // A newer whole one makes it unimportant.
      try zip.write(to: URL(filePath: folder + "/c.zip"))
      let next = try wait(folder, timing(settle: 0.2, giveUp: 0.6))
      #expect(next.best?.name == "c.zip" && next.stuck.isEmpty)
    }
  }

  @Test func aFileThatGrowsIsWaitedFor() throws {
    try withFolder { folder throws in
      let zip = exportZip()
      let path = folder + "/a.zip"
      try zip.prefix(100).write(to: URL(filePath: path))
      let writer = Thread {
        usleep(700_000)
        try? zip.write(to: URL(filePath: path))
      }
      writer.start()
      let choice = try wait(folder, timing(settle: 0.3))
      #expect(choice.best?.byteCount == Int64(zip.count))
    }
  }

  @Test func aMissingFolderIsAnError() {
    #expect(throws: PipelineError.folder(path: "/nowhere", errno: ENOENT)) { try wait("/nowhere", timing()) }
  }

  // MARK: Watch

  private struct Seen: Sendable {
    var exports: [String] = []
    var log: [String] = []
  }

  /// Runs a watch until `isOver`; `code` is how each import ends.
  private func watch(
    _ folder: String, _ seen: borrowing Mutex<Seen>, code: @escaping (Int) -> ExitCode = { _ in .done },
    isOver: @escaping (Seen) -> Bool, meanwhile: @escaping @Sendable () -> Void = {}
  ) throws -> ExitCode {
    let interruption = Interruption()
    let log = Mutex<[String]>([])
    let plan = try pipelinePlan("{ steps: [\"import\"], export: \"e\" }")
    let actor = Thread { meanwhile() }
    var exports: [String] = []
    let watch = PipelineWatch(
      folder: folder, timing: timing(settle: 0.2), log: WatchLog(write: { text in log.withLock { $0.append(text) } }),
      interruption: interruption,
      run: { path in
        exports.append(String(path.split(separator: "/").last ?? ""))
        var outcome = PipelineOutcome(plan, .init(export: path))
        outcome.steps = [StepOutcome(command: .importExport, code: code(exports.count))]
        return outcome
      },
      finish: { _ in
        let state = Seen(exports: exports, log: log.withLock { $0 })
        if isOver(state) { interruption.request(signal: SIGTERM) }
      })
    actor.start()
    let result = try watch.follow()
    let lines = log.withLock { $0 }
    seen.withLock { $0 = Seen(exports: exports, log: lines) }
    return result
  }

  @Test func everyNewExportIsImportedOnce() throws {
    try withFolder { folder throws in
      try exportZip().write(to: URL(filePath: folder + "/a.zip"))
      let seen = Mutex(Seen())
      let code = try watch(folder, seen, isOver: { $0.exports.count == 2 }) {
        usleep(800_000)
        try? exportZip(date: "2025-05-03 12:00:00 +0200").write(to: URL(filePath: folder + "/b.zip"))
      }
      #expect(code == .done)
      #expect(seen.withLock(\.exports) == ["a.zip", "b.zip"])
    }
  }

  @Test func aFailedImportIsTriedAgain() throws {
    try withFolder { folder throws in
      try exportZip().write(to: URL(filePath: folder + "/a.zip"))
      let seen = Mutex(Seen())
      let code = try watch(
        folder, seen, code: { $0 < 2 ? .refused : .done }, isOver: { $0.exports.count == 2 })
      #expect(code == .done)
      #expect(seen.withLock(\.exports) == ["a.zip", "a.zip"])
      #expect(seen.withLock(\.log).contains("hk2pg: trying a.zip again in 1.0 s\n"))
    }
  }

  @Test func aFolderMayGoAndComeBack() throws {
    try withFolder { parent throws in
      let folder = parent + "/in"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      let seen = Mutex(Seen())
      _ = try watch(folder, seen, isOver: { $0.exports.count == 1 }) {
        usleep(400_000)
        try? FileManager.default.removeItem(atPath: folder)
        usleep(1_500_000)
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try? exportZip().write(to: URL(filePath: folder + "/a.zip"))
      }
      #expect(seen.withLock(\.exports) == ["a.zip"])
      let log = seen.withLock(\.log).joined()
      #expect(log.contains("is not there any more") && log.contains("is there again"))
    }
  }

  @Test func levelsStandBeforeLinesOfAJournal() {
    let lines = Mutex("")
    let log = WatchLog(isJournal: true, write: { text in lines.withLock { $0 += text } })
    log.line("one", .notice)
    log.failure(Failure(.failed, "two", next: "three"), isDebug: false)
    #expect(lines.withLock { $0 } == "<5>hk2pg: one\n<3>hk2pg: error: two\n<3>       three\n")
    WatchLog(isQuiet: true, write: { _ in Issue.record("not quiet") }).line("x")
  }
}
