/// What a step did, in a few words for the one line of a run.
extension StepOutcome {
  var words: String {
    if code == .failed, json?["equal"] as? Bool == false { return "verify found differences" }
    guard isDone else { return "\(command.rawValue) failed" }
    guard let json else { return "\(command.rawValue) done" }
    switch command {
    case .importExport: return StepOutcome.loaded(json)
    // A dump's load reports otherwise than an export's.
    case .load: return json["samples"] == nil ? "load done" : StepOutcome.loaded(json)
    case .verify: return "verified, equal"
    case .stage: return "staged \(Words.count(StepOutcome.samples(json, "written"), "row"))"
    case .inspect: return "holds \(Words.count(StepOutcome.samples(json, "read"), "sample"))"
    case .prune:
      let rows = Words.count(json["rows"] as? Int ?? 0, "raw row")
      return json["dry_run"] as? Bool == true ? "\(rows) could be pruned" : "\(rows) pruned"
    case .summarize:
      let summaries = json["summaries"] as? [String: Any]
      return "\(Words.count(summaries?["written"] as? Int ?? 0, "summary", "summaries")) rewritten"
    case .migrate:
      let users = json["users"] as? [[String: Any]] ?? []
      if json["dry_run"] as? Bool == true { return "a plan for \(Words.count(users.count, "user"))" }
      let new = users.reduce(0) { sum, user in
        let rows = (user["moved"] as? [String: Any])?["rows"] as? [String: Any]
        return sum + (rows?["new"] as? Int ?? 0)
      }
      return "\(Words.count(new, "row")) of \(Words.count(users.count, "user")) moved"
    default: return "\(command.rawValue) done"
    }
  }

  private static func loaded(_ json: [String: Any]) -> String {
    if let earlier = json["same_as_import"] as? [String: Any] {
      let day = (earlier["finished_at"] as? String)?.prefix(10) ?? ""
      return "nothing new, imported on \(day) (import \(earlier["import_number"] as? Int ?? 0))"
    }
    let changes = json["changes"] as? [String: Any]
    let parts: [(Int, String)] = [
      (samples(json, "written"), "new"), (changes?["changed"] as? Int ?? 0, "changed"),
      (changes?["removed"] as? Int ?? 0, "removed"), (samples(json, "already_there"), "already there"),
      (samples(json, "aside_for_live"), "left to another program"), (samples(json, "withheld"), "withheld"),
      (samples(json, "rejected"), "rejected"),
    ]
    return parts.enumerated().filter { $0.offset == 0 || $0.element.0 > 0 }
      .map { "\(Words.count($0.element.0)) \($0.element.1)" }.joined(separator: ", ")
  }

  static func samples(_ json: [String: Any], _ key: String) -> Int {
    (json["samples"] as? [String: Any])?[key] as? Int ?? 0
  }
}
