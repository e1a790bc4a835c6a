import BoundedQueues
import ExportReader
import Foundation
import HealthModel
import Loading
import PostgresClient
import PrivateCluster
import Staging

/// The database side of a run: the one that was named, else the private cluster, checked before any work is done.
struct LoadTarget {
  let loader: Loader
  /// Host, port, database and role; no secret.
  let description: String
  /// What `hk2pg.user_settings` holds for the user.
  let stored: UserSettings?
  private let settings: ImportSettings

  /// Connects, checks server and tables, and that the user is the right one (DESIGN §6).
  init(
    _ settings: ImportSettings, interruption: Interruption, progress: @escaping @Sendable (ProgressEvent) -> Void
  ) throws {
    self.settings = settings
    let isInterrupted: @Sendable () -> Bool = { interruption.isRequested }
    let connection: ConnectionSettings
    if let conninfo = settings.conninfo {
      connection = try ConnectionSettings(conninfo: conninfo)
    } else {
      connection = try PrivateCluster().start(isInterrupted: isInterrupted) { progress(.note($0.sentence)) }
    }
    description = connection.address.words
    var options = LoadOptions()
    options.jobs = settings.jobs
    options.isForced = settings.isForced
    options.isNoWait = settings.isNoWait
    options.missingRows = settings.missingRows.forLoading
    loader = try Loader(
      connection, user: settings.user, options: options, isInterrupted: isInterrupted,
      onEvent: LoadProgress(progress).receive)
    stored = try loader.ledger.settings(of: settings.user)
    try checkUser()
  }

  /// The generated user must not land beside somebody's rows: then `--user` has to say who is meant.
  private func checkUser() throws {
    guard !settings.isUserExplicit else { return }
    let users = try loader.ledger.usersInTables(limit: 2)
    if users.count == 1, users[0] != settings.user { throw FlowError.otherUserInTable(existing: users[0]) }
  }

  /// The report of the earlier import, when exactly this file was imported with these settings; `--force` goes on.
  func sameFileReport(_ export: OpenExport, clock: RunClock) throws -> ImportReport? {
    guard !settings.isForced, export.kind != .standardInput else { return nil }
    // The file is hashed only when the ledger knows one of its size.
    let candidates = try loader.ledger.finishedImports(user: settings.user, byteCount: export.byteCount)
      .filter(isSameRun)
    guard !candidates.isEmpty, let digest = try settings.digest(of: export),
      let earlier = candidates.first(where: { $0.digest == digest })
    else { return nil }
    var report = ReportBuilder.report("import", of: export, digest: digest)
    report.user = settings.user
    report.database = description
    report.zone = ImportReport.Zone(name: earlier.zone, origin: "the earlier import")
    report.sameAsImport = ImportReport.Earlier(
      importNumber: earlier.importID, finishedAt: ReportBuilder.date(earlier.finishedAt), written: earlier.outcome.new)
    clock.stop(&report)
    return report
  }

  /// Would this run give the same rows from the same file? Zone and ranks may have been others since then.
  private func isSameRun(_ earlier: FinishedImport) -> Bool {
    let options = try? JSONDecoder().decode(Manifest.Options.self, from: Data(earlier.options.utf8))
    let (zone, ranks) = (settings.timezone ?? stored?.zone, settings.ranks(stored: stored?.sourcePriority))
    // Rejects are listed and counted only when the export is read; what salvage left out, a strict run must not accept.
    return settings.rejectsPath == nil && settings.maxRejects == nil && (settings.isSalvage || !earlier.isSalvaged)
      && earlier.mappingVersion == Manifest.currentMappingVersion
      && earlier.zone == zone && stored?.summarizedZones.last == zone
      && options?.rawWindowDays == settings.rawWindowDays
      && options?.sourcePriority == ranks && stored?.summarizedPriority == ranks
      && settings.missingRows == .automatic
  }

  /// Are chunks that an unfinished run has staged those that this run would stage? The zone and the ranks may have been
  /// set since, and another database may have others.
  func accepts(_ manifest: Manifest) -> Bool {
    return settings.rejectsPath == nil && settings.maxRejects == nil
      && manifest.zone == (settings.timezone ?? stored?.zone ?? manifest.zone)
      && manifest.options.sourcePriority == settings.ranks(stored: stored?.sourcePriority)
  }

  func load(_ folder: ChunkFolder) throws -> LoadOutcome { try loader.load(folder) }

  /// Keeps the report in the ledger.
  func record(_ report: ImportReport, _ outcome: LoadOutcome) throws {
    try loader.ledger.record(report: try report.json(), importID: outcome.importID)
  }
}

extension ImportSettings {
  fileprivate func digest(of export: OpenExport) throws -> String? {
    if let knownDigest, knownDigest.identity == export.identity { return knownDigest.digest }
    return try export.computeDigest()
  }
}

extension ImportSettings.MissingRows {
  fileprivate var forLoading: Loading.MissingRows {
    switch self {
    case .automatic: .automatic
    case .keep: .keep
    case .remove: .remove
    }
  }
}

/// Turns what a load tells into progress.
struct LoadProgress: Sendable {
  private let progress: @Sendable (ProgressEvent) -> Void

  init(_ progress: @escaping @Sendable (ProgressEvent) -> Void) { self.progress = progress }

  @Sendable func receive(_ event: LoadEvent) {
    switch event {
    case .began(let phase, let total): progress(.began(LoadProgress.phase(phase), total: total))
    case .advanced(let phase, let done):
      progress(.advanced(LoadProgress.phase(phase), ProgressEvent.Advance(done: done, records: done)))
    case .ended(let phase): progress(.ended(LoadProgress.phase(phase)))
    case .waiting(let holder):
      progress(
        .note(
          "Waiting for another import of this user (process \(holder.processID) on \(holder.host), since \(holder.since))."
        ))
    case .tookOver(let holder):
      progress(.note("Taking over from an import that died (process \(holder.processID) on \(holder.host))."))
    case .resumed(let rows): progress(.note("Going on where a broken load stopped: \(rows) rows are there already."))
    }
  }

  private static func phase(_ phase: LoadEvent.Phase) -> ProgressEvent.Phase {
    switch phase {
    case .copy: .copy
    case .index: .index
    case .fingerprint, .compare: .compare
    case .publish: .publish
    case .vacuum: .vacuum
    }
  }
}
