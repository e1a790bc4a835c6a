package import BoundedQueues
import DailySummaries
import ExportReader
import Foundation
import HealthModel
import Loading
import PostgresClient
import PrivateCluster
import Staging

/// The commands that move data, from end to end.
///
/// ```
/// importExport   open export ─► connect ─► same file? ─► StageFlow ─► Loader ─► report
/// stage          open export ─────────────────────────► StageFlow ─► report
/// load           open chunk folder ─► connect ────────────────────► Loader ─► report
/// inspect        open export ─────────────────────────► StageFlow (writes nothing) ─► report
/// ```
/// All of them throw the error of the stage that failed, and leave the database as it was.
package enum ImportFlow {
  package typealias Progress = @Sendable (ProgressEvent) -> Void

  /// `hk2pg import EXPORT`.
  package static func importExport(
    _ settings: ImportSettings, interruption: Interruption, progress: @escaping Progress
  ) throws -> ImportReport {
    let clock = RunClock()
    let export = try OpenExport.open(path: settings.exportPath, salvage: settings.isSalvage)
    // The database comes first: a wrong password should not show after minutes of parsing.
    let target = try LoadTarget(settings, interruption: interruption, progress: progress)
    defer { target.loader.close() }
    if let report = try target.sameFileReport(export, clock: clock) { return report }
    try target.loader.refuseIfBusy()
    target.loader.beginReadingTable()

    let work = try WorkFolder.take(for: settings)
    var staged = try stagedChunks(of: export, work, settings, target, interruption, progress)
    var stageSeconds = clock.seconds
    let outcome: LoadOutcome
    do {
      outcome = try load(staged.folder, target, work, settings)
    } catch LoadError.leftOut {
      progress(.note("The database has changed meanwhile: the export is read once more, as a whole."))
      staged = try newChunks(of: export, work, settings, target, nil, interruption, progress)
      stageSeconds = clock.seconds
      outcome = try load(staged.folder, target, work, settings)
    }
    var report = staged.report
    report.timing.stageSeconds = stageSeconds
    report.timing.loadSeconds = clock.seconds - stageSeconds
    try ReportBuilder.add(outcome, of: staged.folder, to: &report, database: target.description)
    clock.stop(&report)
    try target.record(report, outcome)
    if settings.keepsChunks { work.unlock() } else { work.remove() }
    return report
  }

  /// What is refused leaves no chunks behind: it would not be gone on with.
  private static func load(
    _ folder: ChunkFolder, _ target: LoadTarget, _ work: WorkFolder, _ settings: ImportSettings
  ) throws -> LoadOutcome {
    do {
      return try target.load(folder)
    } catch let error as LoadError where error.isRefusal && !settings.keepsChunks {
      work.remove()
      throw error
    }
  }

  /// Chunks of an interrupted run of the same command, else staged now.
  private static func stagedChunks(
    of export: OpenExport, _ work: WorkFolder, _ settings: ImportSettings, _ target: LoadTarget,
    _ interruption: Interruption, _ progress: @escaping Progress
  ) throws -> (folder: ChunkFolder, report: ImportReport) {
    // Chunks that are kept are whole, and so are those of an export that cannot be read twice.
    let isWhole = settings.keepsChunks || export.kind == .standardInput
    if export.kind != .standardInput, let folder = work.stagedChunks(), folder.isWhole || !isWhole,
      target.accepts(folder.manifest), let digest = try export.computeDigest(),
      digest == folder.manifest.export.digest
    {
      progress(.note("Going on with the chunks that an unfinished import of this file has staged."))
      return (folder, try ReportBuilder.report("import", of: folder))
    }
    return try newChunks(
      of: export, work, settings, target, isWhole ? nil : target.loader.knownDays, interruption, progress)
  }

  private static func newChunks(
    of export: OpenExport, _ work: WorkFolder, _ settings: ImportSettings, _ target: LoadTarget,
    _ knownDays: (@Sendable () -> KnownDays?)?, _ interruption: Interruption, _ progress: @escaping Progress
  ) throws -> (folder: ChunkFolder, report: ImportReport) {
    do {
      let flow = StageFlow(settings: settings, interruption: interruption, progress: progress)
      let unfinished = try work.begin()
      let outcome = try flow.run(
        export, into: unfinished, segmentDirectory: unfinished.segmentDirectory, storedZone: target.stored?.zone,
        storedPriority: target.stored?.sourcePriority, knownDays: knownDays)
      guard let folder = outcome.folder else { preconditionFailure("staging into a folder gives one") }
      return (folder, ReportBuilder.report("import", of: export, outcome))
    } catch {
      work.remove()
      throw error
    }
  }

  /// `hk2pg stage EXPORT --into DIR`: no database.
  package static func stage(
    _ settings: ImportSettings, into path: String, interruption: Interruption, progress: @escaping Progress
  ) throws -> ImportReport {
    let clock = RunClock()
    let export = try OpenExport.open(path: settings.exportPath, salvage: settings.isSalvage)
    let unfinished = try ChunkFolder.create(at: path)
    do {
      let outcome = try StageFlow(settings: settings, interruption: interruption, progress: progress).run(
        export, into: unfinished, segmentDirectory: unfinished.segmentDirectory, storedZone: nil, storedPriority: nil)
      var report = ReportBuilder.report("stage", of: export, outcome)
      report.timing.stageSeconds = clock.seconds
      clock.stop(&report)
      return report
    } catch {
      try? unfinished.abandon()
      throw error
    }
  }

  /// `hk2pg load DIR`.
  package static func load(
    folder path: String, settings: ImportSettings, interruption: Interruption, progress: @escaping Progress
  ) throws -> ImportReport {
    let clock = RunClock()
    let folder = try ChunkFolder.open(at: path)
    if settings.isUserExplicit && settings.user != folder.manifest.user {
      throw FlowError.stagedForOtherUser(staged: folder.manifest.user)
    }
    var settings = settings
    settings.user = folder.manifest.user
    settings.isUserExplicit = true
    let target = try LoadTarget(settings, interruption: interruption, progress: progress)
    defer { target.loader.close() }
    let outcome = try target.load(folder)
    var report = try ReportBuilder.report("load", of: folder)
    try ReportBuilder.add(outcome, of: folder, to: &report, database: target.description)
    clock.stop(&report)
    report.timing.loadSeconds = report.timing.seconds
    try target.record(report, outcome)
    return report
  }

  /// `hk2pg inspect EXPORT`: reads and merges everything, and writes nothing but work files.
  package static func inspect(
    _ settings: ImportSettings, interruption: Interruption, progress: @escaping Progress
  ) throws -> ImportReport {
    let clock = RunClock()
    let export = try OpenExport.open(path: settings.exportPath, salvage: settings.isSalvage)
    let work = try WorkFolder.take(for: settings)
    defer { work.remove() }
    let outcome = try StageFlow(settings: settings, interruption: interruption, progress: progress).run(
      export, into: nil, segmentDirectory: try work.begin().segmentDirectory, storedZone: nil, storedPriority: nil)
    var report = ReportBuilder.report("inspect", of: export, outcome)
    clock.stop(&report)
    return report
  }
}

/// Wall time and memory of a run.
struct RunClock {
  private let start = DispatchTime.now()

  var seconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9 }

  func stop(_ report: inout ImportReport) {
    report.timing.seconds = seconds
    report.timing.samplesPerSecond = seconds > 0 ? Double(report.samples.read) / seconds : 0
    report.timing.peakMemoryBytes = RunClock.peakMemoryBytes
  }

  /// The most memory this program has held, in bytes; 0 where the system does not tell. Not `getrusage`, which counts the
  /// memory of the process that started it, up to the moment of exec.
  static var peakMemoryBytes: Int64 {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int64($0) }
    return (kilobytes ?? 0) * 1024
  }
}
