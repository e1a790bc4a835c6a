import Foundation

/// How the run of one of many exports ended.
struct CohortLine: Sendable {
  var user: String
  var code: ExitCode
  var export: String?
  var new = 0
  var alreadyThere = 0
  var rejected = 0
  /// What was done, or what went wrong.
  var words: String
  var next: String?
  var seconds: Double
  /// The JSON of its steps, without long lists: thousands of users have to fit into memory.
  var steps = ""
}

extension CohortLine {
  init(user: String, failure: Failure, seconds: Double) {
    self.init(user: user, code: failure.code, words: failure.what, next: failure.next, seconds: seconds)
  }

  /// - Parameters:
  ///   - status: exit code of its process, or 128 + signal.
  ///   - json: what it printed.
  init(user: String, status: Int32, json: String, seconds: Double) {
    guard let code = ExitCode(rawValue: status),
      let run = (try? JSONSerialization.jsonObject(with: Data(json.utf8))) as? [String: Any]
    else {
      self.init(user: user, failure: Failure(PipelineError.crashed(status: status)), seconds: seconds)
      return
    }
    let ran = run["steps"] as? [[String: Any]] ?? []
    let error = (ran.compactMap { $0["error"] } + [run["error"]].compactMap(\.self)).first as? [String: Any]
    let results = ran.compactMap { $0["result"] as? [String: Any] }.filter { $0["samples"] != nil }
    self.init(user: user, code: code, words: "done", seconds: seconds)
    export = run["export"] as? String
    if let result = results.last {
      new = StepOutcome.samples(result, "written")
      alreadyThere = StepOutcome.samples(result, "already_there")
      rejected = StepOutcome.samples(result, "rejected")
      if let earlier = result["same_as_import"] as? [String: Any] {
        words = "imported before (import \(earlier["import_number"] as? Int ?? 0))"
      }
    }
    if let error {
      words = error["what"] as? String ?? "failed"
      next = error["next"] as? String
    }
    if !ran.isEmpty { steps = PipelineJSON.text(["steps": ran.map(CohortLine.brief)]) }
  }

  private static let keptKeys: Set<String> = [
    "changes", "export", "rows", "same_as_import", "samples", "summaries", "timing", "user", "zone",
  ]

  private static func brief(_ step: [String: Any]) -> [String: Any] {
    var step = step
    step["result"] = (step["result"] as? [String: Any])?.filter { keptKeys.contains($0.key) }
    return step
  }
}

/// One line per user, and one for all.
struct CohortReport {
  var pipeline: String
  var members: [CohortLine]
  /// How many there are; after an interruption some have no line.
  var count: Int
  var seconds: Double
  /// A signal came before all were done.
  var interruption: ExitCode?

  var code: ExitCode { ExitCode.worst(members.map(\.code) + [interruption ?? .done]) }

  func text(_ paint: Paint) -> String {
    var table = TextTable([
      ("user", .left), ("exit", .right), ("new", .right), ("already there", .right), ("rejected", .right),
      ("seconds", .right), ("", .left),
    ])
    for member in members {
      table.add([
        member.user.shown(limit: 40), "\(member.code.rawValue)", Words.count(member.new),
        Words.count(member.alreadyThere), Words.count(member.rejected), Words.decimal(member.seconds, 1),
        member.words.shown(limit: 120),
      ])
    }
    return (table.lines(indent: 0, paint: paint) + [line]).map { $0 + "\n" }.joined()
  }

  private var line: String {
    let done = members.count { $0.code == .done || $0.code == .doneWithRejects }
    let stopped = members.count { $0.code == .interrupted || $0.code == .terminated }
    let failed = members.count - done - stopped
    var parts = ["\(Words.count(done)) of \(Words.count(count, "export")) done"]
    if failed > 0 { parts.append("\(Words.count(failed)) failed") }
    parts.append(Words.count(members.reduce(0) { $0 + $1.new }, "new sample"))
    if interruption != nil { parts.append("interrupted, run it again") }
    parts.append(Words.duration(seconds))
    return "\(pipeline): " + parts.joined(separator: ", ")
  }

  var json: [String: Any] {
    [
      "pipeline": pipeline, "exit_code": Int(code.rawValue), "seconds": seconds,
      "users": members.map(\.object),
    ]
  }
}

extension CohortLine {
  fileprivate var object: [String: Any] {
    let run = (try? JSONSerialization.jsonObject(with: Data(steps.utf8))) as? [String: Any]
    var object: [String: Any] = ["user": user, "exit_code": Int(code.rawValue), "seconds": seconds]
    object["export"] = export
    object["steps"] = run?["steps"]
    if run?["steps"] == nil {
      var error: [String: Any] = ["what": words]
      error["next"] = next
      object["error"] = error
    }
    return object
  }
}
