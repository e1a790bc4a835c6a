import Foundation
import Testing

@testable import Pipelines

@Suite struct ExportPatternTests {
  private func members(_ files: [String], _ pattern: String) throws -> [String] {
    try withFolder { folder throws in
      for file in files { try write("x", folder + "/" + file) }
      return try ExportPattern(folder + "/" + pattern).members().map { member in
        let names = member.exports.map { $0.replacing(folder + "/", with: "") }
        return "\(member.user): \(names.joined(separator: ", "))"
      }
    }
  }

  @Test func theUserIsWhatTheMarkStandsFor() throws {
    let files = ["p-2.zip", "p-10.zip", "notes.txt", ".p-3.zip", "p-4.zip.part"]
    #expect(try members(files, "{user}.zip") == ["p-10: p-10.zip", "p-2: p-2.zip"])
    #expect(try members(files, "p-{user}.zip") == ["10: p-10.zip", "2: p-2.zip"])
  }

  @Test func foldersMayNameTheUser() throws {
    let files = ["a/export.zip", "b/export.zip", "b/other.zip", "c/none.txt", "d/d.zip", "e/x.zip"]
    #expect(try members(files, "{user}/export.zip") == ["a: a/export.zip", "b: b/export.zip"])
    #expect(
      try members(files, "{user}/*.zip") == [
        "a: a/export.zip", "b: b/export.zip, b/other.zip", "d: d/d.zip", "e: e/x.zip",
      ])
    #expect(try members(files, "{user}/{user}.zip") == ["d: d/d.zip"])
  }

  @Test func starsMatchAnythingButSlashes() throws {
    let files = ["site-1/u1-2024.zip", "site-2/u2-2023-x.zip", "other/u3-2024.zip"]
    #expect(try members(files, "site-*/{user}-20*.zip") == ["u1: site-1/u1-2024.zip", "u2: site-2/u2-2023-x.zip"])
  }

  @Test func mistakes() throws {
    #expect(throws: CohortError.badPattern("x/{user}{user}", .doubledUser)) { try ExportPattern("x/{user}{user}") }
    #expect(throws: CohortError.badPattern("x/*{user}", .adjacentMarks)) { try ExportPattern("x/*{user}") }
    #expect(throws: CohortError.unreadable(path: "/nowhere", errno: ENOENT)) {
      try ExportPattern("/nowhere/{user}.zip").members()
    }
    try withFolder { folder throws in
      _ = #expect(throws: CohortError.empty(path: folder + "/{user}.zip")) {
        try ExportPattern(folder + "/{user}.zip").members()
      }
    }
  }
}

@Suite struct CohortTableTests {
  private func members(_ text: String) throws -> [CohortMember] {
    try CohortTable.members(Array(text.utf8), path: "study/list.csv")
  }

  @Test func aTable() throws {
    let text =
      "\u{FEFF}user,Export,timezone\r\np-1,a.zip,\r\n\r\n\"p,2\",\"b \"\"x\"\".zip\",Europe/Berlin\r\np3,/c.zip,"
    #expect(
      try members(text) == [
        CohortMember(user: "p-1", exports: ["study/a.zip"]),
        CohortMember(user: "p,2", exports: ["study/b \"x\".zip"], timezone: "Europe/Berlin"),
        CohortMember(user: "p3", exports: ["/c.zip"]),
      ])
    #expect(try CohortTable.members(Array("export,user\na.zip,p".utf8), path: "list.csv")[0].exports == ["a.zip"])
  }

  @Test(arguments: [
    ("", 1, CohortError.Table.noHeader), ("export\na", 1, .missingColumn("user")),
    ("export,user,age\n", 1, .unknownColumn("age")), ("user,user,export\n", 1, .doubledColumn("user")),
    ("export,user\na.zip\n", 2, .wrongCount(expected: 2, found: 1)), ("export,user\na.zip,\n", 2, .emptyField("user")),
    ("export,user\na,p\nb,p\n", 3, .doubledUser(firstLine: 2)), ("export,user\n\"a,p\n", 2, .unclosedQuote),
    ("export,user\n\"a\"b,p\n", 2, .textAfterQuote),
  ])
  func mistakes(_ text: String, _ line: Int, _ reason: CohortError.Table) {
    #expect(throws: CohortError.badTable(path: "study/list.csv", line: line, reason)) { try members(text) }
  }

  @Test func emptyAndForeignFiles() {
    #expect(throws: CohortError.empty(path: "study/list.csv")) { try members("export,user\n") }
    #expect(throws: CohortError.badTable(path: "l", line: 1, .notUTF8)) {
      try CohortTable.members([0x65, 0xFF], path: "l")
    }
    #expect(throws: CohortError.unreadable(path: "/nowhere.csv", errno: ENOENT)) {
      try CohortTable.read("/nowhere.csv")
    }
  }
}
