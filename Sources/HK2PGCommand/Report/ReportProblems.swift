import HealthModel
import ImportFlow

/// The part of a report that says how the input differed from a clean export, and what became of it.
struct ReportProblems {
  let report: ImportReport
  var paint = Paint(isOn: false)

  private static let shownNames = 8

  var sections: [[String]] {
    let order: [ProblemKind.Severity] = [.repaired, .kept, .notLoaded, .salvaged, .rejected]
    return order.map(section)
  }

  private func section(_ severity: ProblemKind.Severity) -> [String] {
    var table = TextTable([("", .right), ("", .left)])
    let problems = report.problems.filter { $0.severity == severity }
    for problem in problems.sorted(by: { ($1.count, $0.kind.rawValue) < ($0.count, $1.kind.rawValue) }) {
      let what = ProblemWords.text(problem.kind, count: problem.count) ?? problem.kind.rawValue
      table.add([Words.count(problem.count), "\(what) (first at byte \(Words.count(problem.firstOffset)))"])
    }
    if severity == .kept { add(report.unknownNames, "unknown, kept: ", to: &table) }
    let lines = table.lines()
    if lines.isEmpty { return [] }
    let heading = ProblemWords.heading(severity)
    let isBad = severity == .rejected || severity == .salvaged
    return [isBad ? paint.warning(heading) : paint.bold(heading)] + lines + hint(severity)
  }

  private func add(_ names: [String: Int], _ prefix: String, to table: inout TextTable) {
    let sorted = names.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    for (name, count) in sorted.prefix(ReportProblems.shownNames) {
      table.add([Words.count(count), prefix + name.shown()])
    }
    let rest = sorted.dropFirst(ReportProblems.shownNames)
    if !rest.isEmpty {
      table.add([
        Words.count(rest.reduce(0) { $0 + $1.value }), "of \(Words.count(rest.count, "other name")): see --json",
      ])
    }
  }

  private func hint(_ severity: ProblemKind.Severity) -> [String] {
    switch severity {
    case .rejected:
      [
        "  Everything else \(report.command == "inspect" ? "can be" : "is") loaded. --rejects FILE.jsonl lists them, with their text."
      ]
    case .salvaged: ["  Make a new export to have it all."]
    case .repaired, .kept, .notLoaded: []
    }
  }
}
