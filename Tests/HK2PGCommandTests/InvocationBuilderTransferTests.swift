import Foundation
import ImportFlow
import Testing

@testable import HK2PGCommand

@Suite struct InvocationBuilderTransferTests {
  private func build(_ words: [String], _ variables: [String: String] = [:]) throws -> Invocation.Command {
    var builder = InvocationBuilder(
      try RawArguments(parsing: words), Surroundings(variables: variables, coreCount: 7, homeFolder: "/nowhere"))
    return try builder.build().command
  }

  private func migrate(_ words: [String], _ variables: [String: String] = [:]) throws -> MigrateSettings {
    guard case .migrate(let settings) = try build(["migrate"] + words, variables) else {
      throw UsageError.missingCommand
    }
    return settings
  }

  private func verify(_ words: [String], _ variables: [String: String] = [:]) throws -> VerifySettings {
    guard case .verify(let settings, _) = try build(["verify"] + words, variables) else {
      throw UsageError.missingCommand
    }
    return settings
  }

  @Test func migrateTakesFlagsBeforeVariables() throws {
    let variables = ["HK2PG_FROM": "postgres://a/x", "HK2PG_TO": "postgres://b/x", "HEALTHKIT_USER_ID": "ann"]
    let all = try migrate([], variables)
    #expect(all.from == "postgres://a/x" && all.to == "postgres://b/x")
    // The variable names whose data is loaded; a migration is of everybody.
    #expect(all.user == nil && all.newUser == nil && !all.isDryRun && !all.isNoWait && all.jobs == 7)
    let one = try migrate(
      [
        "--from", "host=c", "--user", "ann", "--as", "bob", "--dry-run", "--no-wait", "--jobs", "3", "--staging", "/s",
      ], variables)
    #expect(one.from == "host=c" && one.to == "postgres://b/x")
    #expect(one.user == "ann" && one.newUser == "bob" && one.isDryRun && one.isNoWait && one.jobs == 3)
    #expect(one.stagingPath == "/s")
  }

  @Test func migrateNeedsBothSidesAndWhoIsMeant() throws {
    #expect(throws: UsageError.missingOption(.from, .migrate)) { try migrate(["--to", "host=b"]) }
    #expect(throws: UsageError.missingOption(.to, .migrate)) { try migrate(["--from", "host=b"]) }
    #expect(throws: UsageError.missingOption(.user, .migrate)) {
      try migrate(["--from", "host=a", "--to", "host=b", "--as", "bob"])
    }
    #expect(throws: UsageError.self) { try migrate(["--from", "secret", "--to", "host=b"]) }
  }

  @Test func verifyKnowsWhatItIsGiven() throws {
    let folder = NSTemporaryDirectory() + "hk2pg-verify-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let ann = ["HEALTHKIT_USER_ID": "ann"]
    #expect(try verify([folder], ann).reference == .export(path: folder))
    #expect(try verify([folder], ann).user == "ann")
    try Data().write(to: URL(filePath: folder + "/manifest.json"))
    #expect(try verify([folder], ann).reference == .folder(path: folder))
    #expect(try verify([folder], ann).user == nil)
    #expect(try verify(["postgres://h/d"], ann).reference == .database(conninfo: "postgres://h/d"))
    #expect(try verify(["host=h dbname=d", "--user", "bob"], ann).user == "bob")
    #expect(try verify(["export.zip"], ann).reference == .export(path: "export.zip"))
    try Data().write(to: URL(filePath: folder + "/a=b.zip"))
    #expect(try verify([folder + "/a=b.zip"], ann).reference == .export(path: folder + "/a=b.zip"))
    #expect(throws: UsageError.missingOption(.user, .verify)) { try verify(["export.zip"]) }
    #expect(throws: UsageError.foreignOption(.newUser, .verify)) { try verify(["export.zip", "--as", "bob"], ann) }
    #expect(throws: UsageError.missingOption(.user, .verify)) { try verify(["host=h", "--as", "bob"], ann) }
  }

  @Test func dumpNeedsAFolderAndAUser() throws {
    #expect(throws: UsageError.missingOption(.into, .dump)) { try build(["dump", "--user", "ann"]) }
    #expect(throws: UsageError.missingOption(.user, .dump)) { try build(["dump", "--into", "d"]) }
    guard case .dump(let settings, let folder, _) = try build(["dump", "--into", "d", "--user", "ann"]) else {
      Issue.record("not a dump")
      return
    }
    #expect(settings.user == "ann" && folder == "d")
  }

  @Test func distributedSchema() throws {
    guard case .schemaDistributed(let none) = try build(["schema", "--distributed"]),
      case .schemaDistributed(let some) = try build(["schema", "--distributed", "--partitions", "16"])
    else {
      Issue.record("not the distributed schema")
      return
    }
    #expect(none == 0 && some == 16)
    #expect(throws: UsageError.exclusiveOptions(.distributed, .apply)) {
      try build(["schema", "--distributed", "--apply"])
    }
    #expect(throws: UsageError.missingOption(.distributed, .schema)) { try build(["schema", "--partitions", "16"]) }
  }
}
