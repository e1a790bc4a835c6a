import Foundation
import Loading
import PostgresClient
import Staging
import Transfer

/// Moves one user's rows. Chunks that a killed run had written to the end are loaded first; then source and target are
/// compared by type and month, and what differs moves.
struct UserMigrator {
  let settings: MigrateSettings
  let source: SourceDatabase
  let to: ConnectionSettings
  let user: String
  let newUser: String
  let isInterrupted: @Sendable () -> Bool
  let progress: ImportFlow.Progress

  private var name: String { source.address.archiveName }

  /// What would be moved; nothing is written.
  func plan() throws -> UserMigration {
    let target = try SourceDatabase(to, isInterrupted: isInterrupted)
    defer { target.close() }
    let there = try target.snapshot { try Survey(ComparedSide($0, user: newUser)) }
    return try source.snapshot { snapshot in
      let survey = try Survey(ComparedSide(snapshot, user: user))
      var migration = migration(survey, selection: survey.selection(against: there))
      migration.bytes = try survey.bytesByType(snapshot, user: user)
      return migration
    }
  }

  func run() throws -> UserMigration {
    var options = LoadOptions()
    options.jobs = settings.jobs
    options.isNoWait = settings.isNoWait
    let loader = try Loader(
      to, user: newUser, options: options, isInterrupted: isInterrupted, onEvent: LoadProgress(progress).receive)
    defer { loader.close() }
    let facts = ["\(source.address)", "\(to.address)", user, newUser]
    let work = try WorkFolder.take(named: "migrate-" + WorkFolder.digest(of: facts), orAt: settings.stagingPath)
    var outcome = ArchiveOutcome()
    if let folder = unfinished(work) {
      progress(.note("Going on with the chunks that an unfinished migration has written."))
      outcome = try loader.receive(folder)
      try folder.remove()
    }
    let migration = try source.snapshot { try move($0, loader, work, after: outcome) }
    work.remove()
    return migration
  }

  /// Complete chunks of a run that was killed while it loaded them.
  private func unfinished(_ work: WorkFolder) -> ChunkFolder? {
    guard let folder = work.stagedChunks(), let archive = folder.manifest.archive, folder.manifest.user == newUser,
      archive.formerUser ?? newUser == user, folder.manifest.export.name == name
    else { return nil }
    return folder
  }

  /// The source is read in one transaction to the end, so that what is verified is what was moved.
  private func move(
    _ snapshot: Snapshot, _ loader: Loader, _ work: WorkFolder, after earlier: ArchiveOutcome
  ) throws -> UserMigration {
    let side = ComparedSide(snapshot, user: user)
    progress(.began(.compare, total: nil))
    let survey = try Survey(side)
    let target = try SourceDatabase(to, isInterrupted: isInterrupted)
    defer { target.close() }
    let there = try target.snapshot { try Survey(ComparedSide($0, user: newUser)) }
    progress(.ended(.compare))
    let selection = survey.selection(against: there)
    var migration = migration(survey, selection: selection)
    migration.outcome = earlier
    if !selection.isEmpty {
      let isEverything = there.rows == 0 && there.rows(of: .dailySummaries) == 0
      let folder = try write(
        snapshot, survey, isEverything ? nil : selection, into: work, total: migration.movedRows.values.reduce(0, +))
      migration.outcome.add(try loader.receive(folder))
      try folder.remove()
    }
    progress(.began(.verify, total: nil))
    migration.verification = try target.snapshot { there in
      try Verification(
        side, ComparedSide(there, user: newUser), rules: .database(.contained, user: newUser, there), known: survey
      ).run()
    }
    progress(.ended(.verify))
    return migration
  }

  private func write(
    _ snapshot: Snapshot, _ survey: Survey, _ selection: ArchiveSelection?, into work: WorkFolder, total: Int
  ) throws -> ChunkFolder {
    progress(.began(.dump, total: Int64(total)))
    defer { progress(.ended(.dump)) }
    let writer = ArchiveWriter(snapshot, user: user, newUser: newUser) { [progress] rows in
      progress(.advanced(.dump, ProgressEvent.Advance(done: Int64(min(rows, total)), records: Int64(rows))))
    }
    return try writer.write(into: try work.begin(), selection: selection, name: name, version: HK2PGVersion.current)
  }

  private func migration(_ survey: Survey, selection: ArchiveSelection) -> UserMigration {
    UserMigration(
      user: user, newUser: newUser, sourceRows: survey.rowsByType,
      sourceSummaries: survey.rows(of: .dailySummaries), movedRows: survey.rowsByType(in: selection))
  }
}
