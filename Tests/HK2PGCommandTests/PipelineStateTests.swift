import Foundation
import ImportFlow
import Testing

@testable import HK2PGCommand

@Suite struct PipelineStateTests {
  private func plan(_ home: String, _ variables: [String: String] = [:]) throws -> PipelinePlan {
    let path = home + "/weekly.json5"
    try Data("{ steps: [\"import\"], export: \"e\" }".utf8).write(to: URL(filePath: path))
    var variables = variables
    variables["HEALTHKIT_USER_ID"] = variables["HEALTHKIT_USER_ID"] ?? "ann"
    return try PipelinePlan.read(
      PipelineRequest(
        path: path, arguments: try RawArguments(parsing: ["run", path]),
        surroundings: Surroundings(variables: variables, coreCount: 1, homeFolder: home)))
  }

  @Test func oneAtATime() throws {
    try withFolder { home throws in
      let state = try PipelineState(plan(home), user: nil)
      let lock = try state.lock(name: "weekly")
      let error = #expect(throws: PipelineError.self) {
        try PipelineState(plan(home), user: nil).lock(name: "weekly")
      }
      guard case .alreadyRunning("weekly", let holder?) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(holder.hasPrefix("process \(getpid()) since 2"))
      // The same file for another user or another database is another matter.
      for variables in [["HEALTHKIT_USER_ID": "bob"], ["DATABASE_URL": "postgres://h/d"]] {
        try PipelineState(plan(home, variables), user: nil).lock(name: "weekly").release()
      }
      lock.release()
      try PipelineState(plan(home), user: nil).lock(name: "weekly").release()
      let folder = home + "/.local/state/hk2pg"
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
  }

  @Test func digestsAreRemembered() throws {
    try withFolder { home throws in
      let state = try PipelineState(plan(home), user: nil)
      #expect(state.digest(of: "x") == nil)
      for number in 0..<40 { state.remember("d\(number)", of: "i\(number)") }
      state.remember("new", of: "i39")
      #expect(state.digest(of: "i39") == ImportSettings.KnownDigest(identity: "i39", digest: "new"))
      #expect(state.digest(of: "i9")?.digest == "d9" && state.digest(of: "i8")?.digest == "d8")
      #expect(state.digest(of: "i7") == nil)
      #expect(try PipelineState(plan(home, ["HEALTHKIT_USER_ID": "bob"]), user: nil).digest(of: "i39") == nil)
    }
  }
}
