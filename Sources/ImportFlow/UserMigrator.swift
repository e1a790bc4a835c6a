import Foundation
import Loading
import PostgresClient
import Staging
import Transfer

/// Moves one user's rows. Chunks that a killed run had written to the end are loaded first; then source and target are
/// compared by type, month and day, and what the target lacks moves.
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
    try source.snapshot { snapshot in
      let side = ComparedSide(snapshot, user: user)
      let survey = try Survey(side)
      let lack = try lack(side, survey)
      var migration = migration(survey, lack.selection)
      migration.bytes = try survey.bytesByType(snapshot, user: user)
      return migration
    }
  }

  /// What the target lacks; `isAll`: it has nothing of the user yet.
  private func lack(_ side: ComparedSide, _ survey: Survey) throws -> (selection: ArchiveSelection, isAll: Bool) {
    progress(.began(.compare, total: nil))
    defer { progress(.ended(.compare)) }
    return try onTarget { snapshot in
      let other = ComparedSide(snapshot, user: newUser)
      let there = try Survey(other)
      let rules = try VerifyRules.migration(from: side, to: other, snapshot)
      let selection = try Verification(side, other, rules: rules).lack(survey, there)
      return (selection, there.rows == 0 && there.rows(of: .dailySummaries) == 0)
    }
  }

  /// Connects anew: between comparing and verifying, more time may go by than a server keeps an idle connection.
  private func onTarget<T>(_ body: (Snapshot) throws -> T) throws -> T {
    let target = try SourceDatabase(to, isInterrupted: isInterrupted)
    defer { target.close() }
    return try target.snapshot(body)
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
    let survey = try Survey(side)
    let lack = try lack(side, survey)
    var migration = migration(survey, lack.selection)
    migration.outcome = earlier
    if !lack.selection.isEmpty {
      let total = lack.selection.rowsByType.values.reduce(0, +)
      let folder = try write(snapshot, lack.isAll ? nil : lack.selection, into: work, total: total)
      migration.outcome.add(try loader.receive(folder))
      try folder.remove()
    }
    progress(.began(.verify, total: nil))
    migration.verification = try onTarget { there in
      let other = ComparedSide(there, user: newUser)
      return try Verification(
        side, other, rules: .migration(from: side, to: other, there), known: survey
      ).run()
    }
    progress(.ended(.verify))
    return migration
  }

  private func write(
    _ snapshot: Snapshot, _ selection: ArchiveSelection?, into work: WorkFolder, total: Int
  ) throws -> ChunkFolder {
    progress(.began(.dump, total: Int64(total)))
    defer { progress(.ended(.dump)) }
    let writer = ArchiveWriter(snapshot, user: user, newUser: newUser) { [progress] rows in
      progress(.advanced(.dump, ProgressEvent.Advance(done: Int64(min(rows, total)), records: Int64(rows))))
    }
    return try writer.write(into: try work.begin(), selection: selection, name: name, version: HK2PGVersion.current)
  }

  private func migration(_ survey: Survey, _ selection: ArchiveSelection) -> UserMigration {
    UserMigration(
      user: user, newUser: newUser, sourceRows: survey.rowsByType,
      sourceSummaries: survey.rows(of: .dailySummaries), movedRows: selection.rowsByType)
  }
}
