import Foundation
import HealthModel
import TestSupport

/// Scripts in the folder Python, run by the python that `Tests/python-packages.sh` has made.
enum PythonScripts {
  static let missing = "no Python environment: bash Tests/python-packages.sh makes it"

  private static let python: String = {
    if let path = ProcessInfo.processInfo.environment["HK2PG_TEST_PYTHON"] { return path }
    return root.appending(path: ".build/python-tests/bin/python").path(percentEncoded: false)
  }()

  private static let root = folder.appending(path: "../../..").standardized
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Python")

  static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: python) }

  /// `environment` is added to that of the test's programs.
  static func run(_ name: String, _ programs: Programs, _ environment: [String: String]) throws -> CommandRun {
    let added = ["HK2PG": Programs.hk2pg, "PYTHONDONTWRITEBYTECODE": "1"].merging(environment) { $1 }
    return try CommandRun(
      python, [folder.appending(path: name).path(percentEncoded: false)],
      environment: programs.environment.merging(added) { $1 })
  }
}

extension CommandRun {
  /// What a script prints last: how much it compared.
  var checks: Int {
    let words = output.split(separator: "\n").last?.split(separator: " ") ?? []
    return words.count == 3 && words[1...] == ["checks", "passed"] ? Int(words[0]) ?? 0 : 0
  }
}

extension Programs {
  static let zone = "Europe/Berlin"

  /// An export that ends the day before yesterday, made yesterday: what commands that look back from today need.
  func recentExport(_ size: String, days: Int, seed: Int = 11) throws -> String {
    let today = Instant(seconds: Int64(Date().timeIntervalSince1970)).utcDay
    return try export(
      size, seed: seed,
      extra: [
        "--start", "\(today.advanced(by: -days))", "--end", "\(today.advanced(by: -2))", "--zone", Programs.zone,
      ])
  }
}
