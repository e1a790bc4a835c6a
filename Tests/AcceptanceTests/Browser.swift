import Foundation
import TestSupport

/// Chromium without a window, driven by `Tests/Browser/visit.py`.
enum Browser {
  static let missing = "no Chromium (apt-get install chromium, or HK2PG_CHROMIUM=PATH), or no python3"

  static let program: String? = {
    if let path = ProcessInfo.processInfo.environment["HK2PG_CHROMIUM"] { return path }
    let names = ["chromium", "google-chrome", "chrome"]
    return names.map { "/usr/bin/\($0)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  static var isAvailable: Bool {
    program != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
  }

  /// How a page is looked at.
  struct Plan {
    var page: String
    /// Behind the `#`.
    var hash = ""
    var width = 1280
    var height = 900
    var isDark = false
    var isTouch = false
    /// JavaScript expressions, one after the other, each with the page drawn anew before the next one.
    var steps: [(name: String, script: String)] = []
  }

  struct Visit {
    var results: [String: Any]
    var requests: [String]
    /// Everything that the console says, errors that nobody caught and refusals of the content security policy.
    var complaints: [String]

    func text(_ name: String) -> String { results[name] as? String ?? "" }
    func number(_ name: String) -> Double { (results[name] as? NSNumber)?.doubleValue ?? .nan }
    func list(_ name: String) -> [String] { results[name] as? [String] ?? [] }
    func isTrue(_ name: String) -> Bool { results[name] as? Bool ?? false }
  }

  static func visit(_ plan: Plan, _ programs: Programs) throws -> Visit {
    let object: [String: Any] = [
      "page": "file://\(plan.page)#\(plan.hash)", "width": plan.width, "height": plan.height, "dark": plan.isDark,
      "touch": plan.isTouch, "steps": plan.steps.map { ["name": $0.name, "script": $0.script] },
    ]
    let path = programs.path("plan-\(UUID().uuidString.prefix(8)).json")
    try JSONSerialization.data(withJSONObject: object).write(to: URL(fileURLWithPath: path))
    let script = FileManager.default.currentDirectoryPath + "/Tests/Browser/visit.py"
    let run = try CommandRun("/usr/bin/python3", [script, program ?? "", path], environment: programs.environment)
    guard run.status == 0,
      let answer = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    else { throw Programs.Failure("the browser failed: \(run.errors)") }
    return Visit(
      results: answer["results"] as? [String: Any] ?? [:], requests: answer["requests"] as? [String] ?? [],
      complaints: (answer["console"] as? [String] ?? []) + (answer["errors"] as? [String] ?? []))
  }
}
