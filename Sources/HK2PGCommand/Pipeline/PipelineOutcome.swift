import Foundation
import Pipelines

/// What one step did.
struct StepOutcome: Sendable {
  var command: CommandName
  var code: ExitCode
  var seconds = 0.0
  /// What the command prints with `--json`.
  var result = ""
  var failure: Failure?

  init(command: CommandName, code: ExitCode) {
    self.command = command
    self.code = code
  }

  /// The next step may run.
  var isDone: Bool { code == .done || code == .doneWithRejects }

  var json: [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(result.utf8))) as? [String: Any]
  }

  var exportDigest: String? { isDone ? (json?["export"] as? [String: Any])?["digest"] as? String : nil }
}

/// What a pass of a pipeline's steps did: one line for people, JSON for programs.
struct PipelineOutcome: Sendable {
  var pipeline: String
  var export: String?
  var user: String?
  var steps: [StepOutcome] = []
  var seconds = 0.0
  /// What went wrong outside of the steps.
  var failure: Failure?
  /// Why there was nothing to do.
  var note: String?

  init(_ plan: PipelinePlan, _ subject: PipelinePlan.Subject) {
    pipeline = plan.file.name
    export = subject.export
    user = subject.user
  }

  var code: ExitCode { ExitCode.worst(steps.map(\.code) + [failure?.code ?? .done]) }

  /// `reimport: export.zip: 1,234 new, 5 changed, 2,000 already there; 12 s`
  var line: String {
    var parts = steps.map(\.words)
    if let failure { parts.append(failure.what) }
    if let note { parts.append(note) }
    let name = export.map { " \(($0.split(separator: "/").last.map(String.init) ?? $0).shown(limit: 80)):" } ?? ""
    let end = code == .done ? "" : " (exit code \(code.rawValue))"
    return "\(pipeline):\(name) \(parts.joined(separator: "; ")); \(Words.duration(seconds))\(end)\n"
  }

  var json: [String: Any] {
    var object: [String: Any] = [
      "pipeline": pipeline, "exit_code": Int(code.rawValue), "seconds": seconds, "steps": steps.map(\.object),
    ]
    object["export"] = export
    object["user"] = user
    object["note"] = note
    if let failure { object["error"] = failure.object }
    return object
  }
}

extension StepOutcome {
  fileprivate var object: [String: Any] {
    var object: [String: Any] = ["step": command.rawValue, "exit_code": Int(code.rawValue), "seconds": seconds]
    object["result"] = json
    object["error"] = failure?.object
    return object
  }
}

extension Failure {
  var object: [String: Any] {
    var object: [String: Any] = ["what": what, "exit_code": Int(code.rawValue)]
    object["next"] = next
    return object
  }
}

/// JSON of values that are put together here, in the dress of all other results.
enum PipelineJSON {
  static func text(_ object: [String: Any]) -> String {
    let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let data = (try? JSONSerialization.data(withJSONObject: object, options: options)) ?? Data("{}".utf8)
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}

extension ExitCode {
  /// Of several: what most needs somebody's eye.
  static func worst(_ codes: [ExitCode]) -> ExitCode {
    let order: [ExitCode] = [
      .done, .doneWithRejects, .busy, .failed, .usage, .refused, .interrupted, .terminated,
    ]
    return codes.max { (order.firstIndex(of: $0) ?? 0) < (order.firstIndex(of: $1) ?? 0) } ?? .done
  }
}
