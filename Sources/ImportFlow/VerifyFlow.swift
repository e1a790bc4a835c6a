package import BoundedQueues
import ExportReader
import Foundation
import Loading
import PostgresClient
import Staging
import Transfer

/// `hk2pg verify`: a database against an export, a chunk folder or another database. Writes nothing but temporary
/// tables.
extension ImportFlow {
  package static func verify(
    _ settings: VerifySettings, interruption: Interruption, progress: @escaping Progress
  ) throws -> VerifyResult {
    let clock = RunClock()
    let target = try SourceDatabase(
      connection(settings.conninfo, interruption, progress), isInterrupted: { interruption.isRequested })
    defer { target.close() }
    var result = VerifyResult(reference: "", database: target.address.words, users: [], seconds: 0)
    switch settings.reference {
    case .database(let conninfo):
      let other = try SourceDatabase(
        ConnectionSettings(conninfo: conninfo), isInterrupted: { interruption.isRequested })
      defer { other.close() }
      result.reference = other.address.words
      result.users = try compare(other, target, settings, progress)
    case .folder(let path):
      let folder = try ChunkFolder.open(at: path)
      if settings.isUserExplicit, let user = settings.user, user != folder.manifest.user {
        throw FlowError.stagedForOtherUser(staged: folder.manifest.user)
      }
      if !folder.isWhole { throw FlowError.partialChunks(path: path) }
      result.reference = path
      result.users = [try compare(folder, target, settings, progress)]
    case .export(let path):
      result.reference = path
      result.users = [try compare(export: path, target, settings, interruption, progress)]
    }
    result.seconds = clock.seconds
    return result
  }

  private static func compare(
    _ other: SourceDatabase, _ target: SourceDatabase, _ settings: VerifySettings, _ progress: @escaping Progress
  ) throws -> [UserVerification] {
    let there = Set(try other.users()).union(settings.newUser == nil ? try target.users() : [])
    let users = there.filter { settings.user == nil || $0 == settings.user }.sorted()
    if users.isEmpty { throw FlowError.noRows(database: other.address.words, isOfUser: settings.user != nil) }
    progress(.began(.verify, total: nil))
    defer { progress(.ended(.verify)) }
    return try users.map { user in
      let newUser = settings.newUser ?? user
      return try other.snapshot { left in
        try target.snapshot { right in
          UserVerification(
            user: user, newUser: newUser,
            outcome: try Verification(
              ComparedSide(left, user: user), ComparedSide(right, user: newUser), rules: VerifyRules(.exact)
            ).run())
        }
      }
    }
  }

  private static func compare(
    _ folder: ChunkFolder, _ target: SourceDatabase, _ settings: VerifySettings, _ progress: @escaping Progress
  ) throws -> UserVerification {
    let user = folder.manifest.user
    let newUser = settings.newUser ?? user
    progress(.began(.verify, total: nil))
    defer { progress(.ended(.verify)) }
    return try target.snapshot(mayWrite: true) { snapshot in
      let left = try ComparedSide.temporary(folder, snapshot)
      let rules =
        folder.manifest.archive == nil
        ? try VerifyRules.export(folder.manifest, user: newUser, snapshot) : VerifyRules(.exact)
      let right = ComparedSide(snapshot, user: newUser)
      return UserVerification(
        user: user, newUser: newUser, outcome: try Verification(left, right, rules: rules).run())
    }
  }

  /// The export is staged as an import would, with the zone and the ranks that the database has.
  private static func compare(
    export path: String, _ target: SourceDatabase, _ settings: VerifySettings, _ interruption: Interruption,
    _ progress: @escaping Progress
  ) throws -> UserVerification {
    let export = try OpenExport.open(path: path, salvage: settings.isSalvage)
    let user = settings.user ?? ""
    let users = try target.users()
    if !users.contains(user) {
      if !settings.isUserExplicit, users.count == 1 { throw FlowError.otherUserInTable(existing: users[0]) }
      throw FlowError.noRows(database: target.address.words, isOfUser: true)
    }
    var staging = ImportSettings(exportPath: path, user: user, isUserExplicit: true, jobs: settings.jobs)
    staging.isSalvage = settings.isSalvage
    let work = try WorkFolder.take(
      named: "verify-" + WorkFolder.digest(of: [path, user, "\(target.address)"]), orAt: settings.stagingPath)
    defer { work.remove() }
    let stored = try Ledger(target.connection).settings(of: user)
    let unfinished = try work.begin()
    let staged = try StageFlow(settings: staging, interruption: interruption, progress: progress).run(
      export, into: unfinished, segmentDirectory: unfinished.segmentDirectory, storedZone: stored?.zone,
      storedPriority: stored?.sourcePriority)
    guard let folder = staged.folder else { preconditionFailure("staging into a folder gives one") }
    return try compare(folder, target, settings, progress)
  }
}
