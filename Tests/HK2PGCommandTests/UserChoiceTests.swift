import Foundation
import Testing

@testable import HK2PGCommand

@Suite struct UserChoiceTests {
  private func surroundings(_ folder: String, _ variables: [String: String] = [:]) -> Surroundings {
    Surroundings(variables: variables, coreCount: 2, homeFolder: folder)
  }

  @Test func flagBeatsVariable() throws {
    let around = surroundings("/nowhere", ["HEALTHKIT_USER_ID": "env"])
    let named = try UserChoice.named(RawArguments(parsing: ["import", "e", "--user", "flag"]), around)
    #expect(named == UserChoice(id: "flag", isExplicit: true))
    #expect(try UserChoice.named(RawArguments(parsing: ["import", "e"]), around)?.id == "env")
    #expect(try UserChoice.named(RawArguments(parsing: ["import", "e"]), surroundings("/nowhere")) == nil)
  }

  @Test func isMadeOnceAndKeptPrivate() throws {
    try withFolder { home throws in
      let around = surroundings(home)
      #expect(try UserChoice.kept(around, mayMake: false) == nil)
      #expect(!FileManager.default.fileExists(atPath: home + "/.config"))
      let first = try #require(try UserChoice.kept(around, mayMake: true))
      #expect(first.madeIn == home + "/.config/hk2pg/user-id")
      #expect(UUID(uuidString: first.id) != nil && first.id == first.id.lowercased())
      #expect(!first.isExplicit)
      let second = try #require(try UserChoice.kept(around, mayMake: true))
      #expect(second == UserChoice(id: first.id, isExplicit: false))
      let file = try FileManager.default.attributesOfItem(atPath: home + "/.config/hk2pg/user-id")
      #expect((file[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      #expect(try FileManager.default.contentsOfDirectory(atPath: home + "/.config/hk2pg") == ["user-id"])
    }
  }

  @Test func honoursXDG() throws {
    try withFolder { folder throws in
      let around = surroundings("/nowhere", ["XDG_CONFIG_HOME": folder])
      #expect(try UserChoice.kept(around, mayMake: true)?.madeIn == folder + "/hk2pg/user-id")
      #expect(surroundings("/h", ["XDG_CONFIG_HOME": "relative"]).configurationFolder == "/h/.config/hk2pg")
    }
  }

  @Test func theSecondOfTwoFirstRunsTakesTheFirstOnesId() throws {
    try withFolder { folder throws in
      let file = UserFile(folder: folder)
      #expect(try file.make("first") == "first")
      #expect(try file.make("second") == "first")
    }
  }

  @Test func aBrokenFileIsNamed() throws {
    try withFolder { folder throws in
      try Data("\n".utf8).write(to: URL(filePath: folder + "/user-id"))
      #expect(throws: UsageError.userFile(path: folder + "/user-id", reason: "it does not hold a user id")) {
        try UserFile(folder: folder).read()
      }
    }
  }

  @Test(arguments: ["", " ann", "a\nb", String(repeating: "x", count: 513)])
  func refusesOddIds(_ id: String) {
    #expect(throws: UsageError.self) {
      try UserChoice.named(RawArguments(parsing: ["import", "e", "--user=" + id]), surroundings("/nowhere"))
    }
  }
}
