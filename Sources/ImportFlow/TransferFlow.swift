package import BoundedQueues
import Foundation
import Loading
import PostgresClient
import PrivateCluster
import Staging
import Transfer

/// Rows between databases, and between a database and an archive folder.
///
/// ```
/// migrate   for each user: survey of both sides ─► what differs ─► chunks ─► target ─► verify, all on one snapshot
/// dump      snapshot ─► chunks, manifest, README.txt
/// load      such a folder ─► database
/// ```
extension ImportFlow {
  /// `hk2pg migrate`.
  package static func migrate(
    _ settings: MigrateSettings, interruption: Interruption, progress: @escaping Progress
  ) throws -> MigrateResult {
    let clock = RunClock()
    let isInterrupted: @Sendable () -> Bool = { interruption.isRequested }
    let (from, to) = (
      try ConnectionSettings(conninfo: settings.from), try ConnectionSettings(conninfo: settings.to)
    )
    let source = try SourceDatabase(from, isInterrupted: isInterrupted)
    defer { source.close() }
    let users = try source.users().filter { settings.user == nil || $0 == settings.user }
    if users.isEmpty { throw FlowError.noRows(database: source.address.words, isOfUser: settings.user != nil) }
    var result = MigrateResult(
      from: source.address.words, to: to.address.words, isDryRun: settings.isDryRun, users: [], seconds: 0,
      peakMemoryBytes: 0)
    for (index, user) in users.enumerated() {
      if users.count > 1 { progress(.note("User \(index + 1) of \(users.count).")) }
      let migration = UserMigrator(
        settings: settings, source: source, to: to, user: user, newUser: settings.newUser ?? user,
        isInterrupted: isInterrupted, progress: progress)
      result.users.append(try settings.isDryRun ? migration.plan() : migration.run())
    }
    (result.seconds, result.peakMemoryBytes) = (clock.seconds, RunClock.peakMemoryBytes)
    return result
  }

  /// `hk2pg dump --into DIR`.
  package static func dump(
    _ settings: TierSettings, into path: String, interruption: Interruption, progress: @escaping Progress
  ) throws -> DumpResult {
    let clock = RunClock()
    let source = try SourceDatabase(
      connection(settings.conninfo, interruption, progress), isInterrupted: { interruption.isRequested })
    defer { source.close() }
    try check(settings, source)
    let unfinished = try ChunkFolder.create(at: path)
    do {
      let folder = try source.snapshot { snapshot in
        progress(.began(.dump, total: nil))
        defer { progress(.ended(.dump)) }
        return try ArchiveWriter(snapshot, user: settings.user, newUser: settings.user) {
          progress(.advanced(.dump, ProgressEvent.Advance(done: Int64($0), records: Int64($0))))
        }.write(into: unfinished, name: source.address.archiveName, version: HK2PGVersion.current)
      }
      try folder.writeReadme(ArchiveReadme.text(folder))
      let rows = Dictionary(folder.manifest.chunks.map { ($0.table, $0.rowCount) }, uniquingKeysWith: +)
      return DumpResult(
        database: source.address.words, user: settings.user, folder: path,
        takenAt: folder.manifest.archive?.takenAt ?? "", rows: rows,
        byteCount: folder.manifest.chunks.reduce(0) { $0 + Int64($1.compressedByteCount) }, seconds: clock.seconds)
    } catch {
      try? unfinished.abandon()
      throw error
    }
  }

  /// A user that nobody named, and who has no rows, is not the one that was meant.
  private static func check(_ settings: TierSettings, _ source: SourceDatabase) throws {
    let users = try source.users()
    if users.contains(settings.user) { return }
    if !settings.isUserExplicit, users.count == 1 { throw FlowError.otherUserInTable(existing: users[0]) }
    throw FlowError.noRows(database: source.address.words, isOfUser: true)
  }

  /// Whether `path` is a folder that `dump` wrote, and not staged from an export.
  package static func isArchive(_ path: String) throws -> Bool {
    try ChunkFolder.open(at: path).manifest.archive != nil
  }

  /// `hk2pg load DIR` of such a folder.
  package static func loadArchive(
    folder path: String, settings: ImportSettings, interruption: Interruption, progress: @escaping Progress
  ) throws -> ArchiveResult {
    let clock = RunClock()
    let folder = try ChunkFolder.open(at: path)
    if settings.isUserExplicit && settings.user != folder.manifest.user {
      throw FlowError.stagedForOtherUser(staged: folder.manifest.user)
    }
    let target = try connection(settings.conninfo, interruption, progress)
    var options = LoadOptions()
    options.jobs = settings.jobs
    options.isNoWait = settings.isNoWait
    let loader = try Loader(
      target, user: folder.manifest.user, options: options, isInterrupted: { interruption.isRequested },
      onEvent: LoadProgress(progress).receive)
    defer { loader.close() }
    return ArchiveResult(
      database: target.address.words, user: folder.manifest.user, folder: path, outcome: try loader.receive(folder),
      seconds: clock.seconds)
  }

  /// The named database, else the private cluster, which is started.
  static func connection(
    _ conninfo: String?, _ interruption: Interruption, _ progress: @escaping Progress
  ) throws -> ConnectionSettings {
    if let conninfo { return try ConnectionSettings(conninfo: conninfo) }
    let isInterrupted: @Sendable () -> Bool = { interruption.isRequested }
    return try PrivateCluster().start(isInterrupted: isInterrupted) { progress(.note($0.sentence)) }
  }
}

extension ServerAddress {
  /// For the ledger and the manifest: which database the rows come from.
  var archiveName: String { "database \(database) on \(host)" }
}
