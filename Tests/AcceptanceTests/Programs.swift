import Foundation
import PostgresClient
import TestSupport

/// The built programs, as a user runs them. `Tests/run.sh` names the release build; else the one beside the tests.
struct Programs {
  /// A folder of its own for every test: exports, staging, and the user's home.
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("hk2pg-test-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  static let hk2pg = path("HK2PG_BINARY", "hk2pg")
  static let synthExport = path("HK2PG_SYNTH", "synth-export")

  private static func path(_ variable: String, _ product: String) -> String {
    if let path = ProcessInfo.processInfo.environment[variable] { return path }
    let beside = Bundle.main.bundleURL.deletingLastPathComponent().appendingPathComponent(product).path
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    return FileManager.default.currentDirectoryPath + "/.build/debug/\(product)"
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Environment without anything that could name another database or user.
  var environment: [String: String] {
    var result = ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("PG") && !["DATABASE_URL", "HEALTHKIT_USER_ID"].contains(name)
    }
    result["HOME"] = folder.path
    for name in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"] { result[name] = path(name.lowercased()) }
    // As root, the place would be the machine's own.
    result["HK2PG_DB_DIR"] = path("cluster")
    return result
  }

  func run(
    _ arguments: [String], adding variables: [String: String] = [:], input: String? = nil, killAfter: Double? = nil,
    signal: Int32 = SIGKILL
  ) throws -> CommandRun {
    try CommandRun(
      Programs.hk2pg, arguments, environment: environment.merging(variables) { $1 }, input: input,
      killAfter: killAfter, signal: signal)
  }

  /// A synthetic export in this test's folder.
  func export(_ size: String, seed: Int = 1, named name: String = "export.zip", extra: [String] = []) throws -> String {
    let path = path(name)
    let run = try CommandRun(Programs.synthExport, [size, "--seed", "\(seed)"] + extra + [path])
    guard run.status == 0 else { throw Failure(run.errors) }
    return path
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}

/// The facts of `--report FILE.json` that tests look at.
struct Report {
  let json: [String: Any]

  init(path: String) throws {
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
    guard let json = object as? [String: Any] else { throw Programs.Failure("no JSON object in \(path)") }
    self.json = json
  }

  func samples(_ key: String) -> Int { (json["samples"] as? [String: Any])?[key] as? Int ?? -1 }
  func changes(_ key: String) -> Int { (json["changes"] as? [String: Any])?[key] as? Int ?? -1 }

  /// DESIGN §7.1.
  var addsUp: Bool {
    let parts = ["written", "already_there", "repeats", "superseded", "aside_for_live", "withheld", "rejected"]
    return samples("read") > 0 && samples("read") == parts.reduce(0) { $0 + samples($1) }
  }
}

extension TestDatabase {
  /// For `--database`.
  var conninfo: String { settings.address.description }
}
