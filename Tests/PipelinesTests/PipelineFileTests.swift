import Foundation
import Testing

@testable import Pipelines

@Suite struct PipelineFileTests {
  static let vocabulary = PipelineVocabulary(
    steps: [
      "import": .init(
        options: [
          "database": .text, "user": .text, "raw_window": .text, "source_priority": .ranks, "salvage": .flag,
          "jobs": .number, "rejects": .path, "report": .path,
        ], readsExport: true),
      "prune": .init(options: ["database": .text, "user": .text, "older_than": .text]),
      "load": .init(options: ["database": .text, "jobs": .number], argument: "dir"),
    ],
    stepOnly: ["report"], holdsSecret: { $0.contains("secret") })

  private func read(_ text: String, _ variables: [String: String] = [:]) throws -> PipelineFile {
    try PipelineFile(
      path: "pipelines/weekly.json5", Array(text.utf8), Self.vocabulary, home: "/home/ann", variables: { variables[$0] }
    )
  }

  @Test func aWholeFile() throws {
    let file = try read(
      """
      {
        steps: ["import", { run: "prune", older_than: "400d" }, { run: "load", dir: "~/chunks", jobs: 2 }],
        folder: "${EXPORTS:-~/Health}",   // a comment
        database: "${URL}",
        source_priority: { all: ["A, B"], HKX: ["${NAME}"] },
        salvage: true,
        jobs: 3,
        report: "/tmp/r.json",
        settle_seconds: 1,
        raw_window: null,
        user: "${NOBODY:-}",
      }
      """, ["URL": "postgres://h/d", "NAME": "Watch"])
    #expect(file.name == "weekly")
    #expect(file.source == .folder("/home/ann/Health") && file.sourceLine == 3)
    #expect(file.reportPath == "/tmp/r.json")
    #expect(file.timing.settle == 1 && file.timing.poll == 30)
    #expect(file.settings.keys.sorted() == ["database", "jobs", "salvage", "source_priority"])
    #expect(file.settings["database"] == .init(value: .text("postgres://h/d"), line: 4, variables: ["URL"]))
    #expect(file.settings["source_priority"]?.value == .ranks(["": ["A, B"], "HKX": ["Watch"]]))
    #expect(file.settings["salvage"] == .init(value: .flag(true), line: 6))
    #expect(file.settings["jobs"]?.value == .text("3"))
    #expect(file.steps.map(\.command) == ["import", "prune", "load"])
    #expect(file.steps[1].settings == ["older_than": .init(value: .text("400d"), line: 2)])
    #expect(file.steps[2].argument?.value == .text("/home/ann/chunks"))
    #expect(file.steps[2].settings["jobs"]?.value == .text("2"))
  }

  @Test func sources() throws {
    #expect(try read(#"{ steps: ["import"], export: "e.zip" }"#).source == .export("e.zip"))
    #expect(try read(#"{ steps: ["import"], exports: "x/{user}.zip" }"#).source == .exports("x/{user}.zip"))
    #expect(try read(#"{ steps: ["import"], exports: "x/list.CSV" }"#).source == .exports("x/list.CSV"))
    #expect(try read(#"{ steps: [{ run: "prune", older_than: "3d" }] }"#).source == .none)
    #expect(try read(#"{ steps: ["import"], exports: "{user}", rejects: "{user}.jsonl" }"#).settings.count == 1)
  }

  @Test(arguments: [
    ("{ steps: [\"import\"],\n  databse: \"x\" }", "unknown databse 2"),
    ("{ steps: [\"import\", { run: \"prune\", older: \"x\" }] }", "unknown steps[1].older 1"),
    ("{ steps: [\"import\"], export: \"e\", older_than: \"3d\" }", "unused older_than 1 prune"),
    ("{ steps: [{ run: \"import\", older_than: \"3d\" }] }", "unused steps[0].older_than 1 prune"),
    ("{ steps: [\"prune\"], export: \"e\" }", "unused export 1 import"),
    ("{ steps: \"import\" }", "type steps 1 text"), ("{ steps: [] }", "type steps 1 an empty list"),
    ("{ steps: [3] }", "type steps[0] 1 a number"), ("[]", "type  1 a list"),
    ("{ steps: [\"import\"], export: 3 }", "type export 1 a number"),
    ("{ steps: [\"import\"], export: \"e\", salvage: \"yes\" }", "type salvage 1 text"),
    ("{ steps: [\"import\"], export: \"e\", jobs: 1.5 }", "type jobs 1 a number"),
    ("{ steps: [\"import\"], export: \"e\", source_priority: [1] }", "type source_priority[0] 1 a number"),
    ("{ steps: [\"import\"], folder: \"e\", settle_seconds: 0 }", "type settle_seconds 1 “0”"),
    ("{ steps: [\"import\"], exports: \"all.zip\" }", "type exports 1 a path without"),
    ("{}", "missing steps"), ("{ steps: [\"import\"] }", "missing export"),
    ("{ steps: [{ older_than: \"3d\" }] }", "missing steps[0].run"), ("{ steps: [\"load\"] }", "missing steps[0].dir"),
    ("{ steps: [\"improt\"] }", "step improt 1"),
    ("{ steps: [\"import\"], export: \"a\", folder: \"b\" }", "exclusive export folder"),
    ("{ steps: [\"import\"], export: \"e\",\n database: \"${NO_URL}\" }", "variable NO_URL database 2"),
    ("{ steps: [\"import\"], export: \"${\" }", "reference export 1"),
    ("{ steps: [\"import\"], export: \"e\", database: \"a secret\" }", "secret database 1"),
    ("{ steps: [\"import\"], export: \"e\", database: \"${U:-a secret}\" }", "secret database 1"),
    ("{ steps: [\"import\"], export: \"e\", rejects: \"{user}\" }", "user rejects 1"),
    ("{ steps: [\"import\"], export: \"e\", export: \"f\" }", "doubled export 1"),
    ("{ steps: [\"import\"]\n export: \"e\" }", "json 2"),
  ])
  func mistakes(_ text: String, _ expected: String) {
    do {
      _ = try read(text)
      Issue.record("read without an error")
    } catch let error as PipelineFileError {
      #expect(Self.words(error) == expected)
    } catch { Issue.record("\(error)") }
  }

  private static func words(_ error: PipelineFileError) -> String {
    func text(_ line: Int?) -> String { line.map(String.init) ?? "?" }
    switch error {
    case .unreadable(let code): return "unreadable \(code)"
    case .notJSON(let line, _): return "json \(text(line))"
    case .doubledKey(let key, let line): return "doubled \(key) \(text(line))"
    case .unknownKey(let key, let line, _): return "unknown \(key) \(text(line))"
    case .unusedKey(let key, let line, let steps): return "unused \(key) \(text(line)) \(steps.joined(separator: ","))"
    case .wrongType(let key, let line, _, let found): return "type \(key) \(text(line)) \(found)"
    case .missingKey(let key, _): return "missing \(key)"
    case .unknownStep(let word, _, let line, _): return "step \(word) \(text(line))"
    case .exclusiveKeys(let a, let b, _): return "exclusive \(a) \(b)"
    case .missingVariable(let name, let key, let line): return "variable \(name) \(key) \(text(line))"
    case .badReference(let key, let line): return "reference \(key) \(text(line))"
    case .literalSecret(let key, let line): return "secret \(key) \(text(line))"
    case .noUserHere(let key, let line): return "user \(key) \(text(line))"
    }
  }

  @Test func aVariablesSecretIsNone() throws {
    let file = try read(#"{ steps: ["import"], export: "e", database: "${U}" }"#, ["U": "a secret"])
    #expect(file.settings["database"]?.plainText == "a secret")
  }

  @Test func unreadableFiles() {
    func error(_ path: String) -> PipelineFileError? {
      #expect(throws: PipelineFileError.self) {
        try PipelineFile.read(path, Self.vocabulary, home: "/", variables: { _ in nil })
      }
    }
    #expect(error("/nowhere/x.json5") == .unreadable(errno: ENOENT))
    #expect(error("/tmp") == .unreadable(errno: EISDIR))
  }
}
