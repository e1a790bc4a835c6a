import Foundation
import ImportFlow
import Staging

/// Settings of the commands that move rows between databases, or compare them.
extension InvocationBuilder {
  func migrateSettings() throws(UsageError) -> MigrateSettings {
    var settings = MigrateSettings(from: try address(.from, "HK2PG_FROM"), to: try address(.to, "HK2PG_TO"))
    // HEALTHKIT_USER_ID names whose data is loaded; a migration without --user is of everybody.
    settings.user = raw.has(.user) ? try UserChoice.named(raw, surroundings)?.id : nil
    settings.newUser = try newUser()
    if settings.newUser != nil && settings.user == nil { throw .missingOption(.user, .migrate) }
    settings.isDryRun = raw.has(.dryRun)
    settings.isNoWait = raw.has(.noWait)
    settings.jobs = try jobs()
    settings.stagingPath = try raw.path(.staging)
    return settings
  }

  func verifySettings(_ database: DatabaseChoice) throws(UsageError) -> VerifySettings {
    let reference = try reference()
    var settings = VerifySettings(reference, conninfo: database.conninfo)
    switch reference {
    case .export:
      // An id that was just made would have no rows: none is made.
      var user = try UserChoice.named(raw, surroundings)
      if user == nil { user = try UserChoice.kept(surroundings, mayMake: false) }
      if user == nil && isTrial { user = UserChoice(id: "", isExplicit: false) }
      guard let user else { throw .missingOption(.user, .verify) }
      settings.user = user.id
      settings.isUserExplicit = user.isExplicit
    case .folder, .database:
      settings.user = raw.has(.user) ? try UserChoice.named(raw, surroundings)?.id : nil
      settings.isUserExplicit = settings.user != nil
    }
    settings.newUser = try newUser()
    if settings.newUser != nil {
      if case .export = reference { throw .foreignOption(.newUser, .verify) }
      if case .database = reference, settings.user == nil { throw .missingOption(.user, .verify) }
    }
    settings.isSalvage = raw.has(.salvage)
    settings.jobs = try jobs()
    settings.stagingPath = try raw.path(.staging)
    return settings
  }

  /// A path that is there is a path, whatever it looks like.
  private func reference() throws(UsageError) -> VerifySettings.Reference {
    let word = raw.positionals[0]
    let manager = FileManager.default
    if manager.fileExists(atPath: "\(word)/\(Manifest.fileName)") { return .folder(path: word) }
    if manager.fileExists(atPath: word) { return .export(path: word) }
    let isAddress = word.contains("://") || word.contains("=")
    return isAddress
      ? .database(conninfo: try DatabaseChoice.checked(word, origin: "EXPORT|DIR|URL")) : .export(path: word)
  }

  private func address(_ option: OptionName, _ variable: String) throws(UsageError) -> String {
    if let given = raw.flagValue(option) { return try DatabaseChoice.checked(given, origin: option.flag) }
    if let url = surroundings.variable(variable) { return try DatabaseChoice.checked(url, origin: variable) }
    guard let given = raw.fileValue(option) else { throw .missingOption(option, .migrate) }
    return try DatabaseChoice.checked(given, origin: raw.origin(of: option))
  }

  private func newUser() throws(UsageError) -> String? {
    guard let id = raw.value(.newUser) else { return nil }
    return try UserChoice.checked(id, origin: raw.origin(of: .newUser))
  }

  private func jobs() throws(UsageError) -> Int {
    try raw.count(.jobs, in: 1...1024) ?? max(1, surroundings.coreCount)
  }
}
