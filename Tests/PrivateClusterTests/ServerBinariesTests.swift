import Foundation
import PrivateCluster
import Testing

struct ServerBinariesTests {
  /// A folder as `/usr/lib/postgresql`, with the given versions, each with the given programs.
  private func withRoot(
    _ versions: [String: [String]], _ body: (String) throws -> Void
  ) throws {
    let root = NSTemporaryDirectory() + "hk2pg-binaries-\(UInt32.random(in: 0...UInt32.max))"
    defer { try? FileManager.default.removeItem(atPath: root) }
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    for (version, programs) in versions {
      try FileManager.default.createDirectory(atPath: "\(root)/\(version)/bin", withIntermediateDirectories: true)
      for program in programs {
        let script = Data("#!/bin/sh\necho 'postgres (PostgreSQL) \(version).4 (Debian)'\n".utf8)
        _ = FileManager.default.createFile(
          atPath: "\(root)/\(version)/bin/\(program)", contents: script, attributes: [.posixPermissions: 0o755])
      }
    }
    try body(root)
  }

  private let whole = ["postgres", "initdb", "pg_ctl"]

  @Test func theNewestCompleteVersionIsTaken() throws {
    try withRoot(["9.6": whole, "15": whole, "17": whole, "18": ["psql"]]) { (root: String) throws in
      #expect(try ServerBinaries.find(environment: [:], root: root).folder == "\(root)/17/bin")
      #expect(try ServerBinaries.find(major: 15, environment: [:], root: root).major == 15)
      #expect(try ServerBinaries.find(major: 16, environment: [:], root: root).major == 17)
    }
  }

  @Test func olderThan15IsRefused() throws {
    try withRoot(["14": whole]) { (root: String) throws in
      #expect(throws: ClusterError.binariesTooOld(major: 14, folder: "\(root)/14/bin")) {
        try ServerBinaries.find(environment: [:], root: root)
      }
    }
  }

  @Test func noneIsSaidSo() throws {
    try withRoot(["17": ["psql", "pg_dump"]]) { (root: String) throws in
      #expect(throws: ClusterError.noBinaries(searched: root)) {
        try ServerBinaries.find(environment: [:], root: root)
      }
    }
    #expect(throws: ClusterError.noBinaries(searched: "/nowhere")) {
      try ServerBinaries.find(environment: [:], root: "/nowhere")
    }
  }

  @Test func aNamedFolderWins() throws {
    try withRoot(["15": whole, "17": whole]) { (root: String) throws in
      let named = ["HK2PG_PG_BINDIR": "\(root)/15/bin"]
      #expect(try ServerBinaries.find(environment: named, root: root).major == 15)
      #expect(throws: ClusterError.incompleteBinaries(folder: "/nowhere")) {
        try ServerBinaries.find(environment: ["HK2PG_PG_BINDIR": "/nowhere"], root: root)
      }
    }
  }
}
