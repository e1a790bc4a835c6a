import BoundedQueues
import Foundation
import ImportFlow
import PrivateCluster

/// `hk2pg summarize` and `hk2pg prune`: commands on rows that are stored already.
struct TierRun {
  let output: OutputSettings
  let reporter: ProgressReporter
  let interruption: Interruption

  func summarize(_ settings: TierSettings, _ options: SummarizeOptions, _ choice: DatabaseChoice) throws {
    try checkCluster(choice)
    let result = try reporter.whileRunning { [interruption, reporter] in
      try ImportFlow.summarize(settings, options, interruption: interruption) { reporter.receive($0) }
    }
    let report = SummarizeReport(result)
    try show(report, report.text(Paint(isOn: output.isColoured)))
  }

  func prune(_ settings: TierSettings, keptDays: Int, isDryRun: Bool, _ choice: DatabaseChoice) throws {
    try checkCluster(choice)
    let result = try reporter.whileRunning { [interruption, reporter] in
      try ImportFlow.prune(settings, keptDays: keptDays, isDryRun: isDryRun, interruption: interruption) {
        reporter.receive($0)
      }
    }
    let report = PruneReport(result, keptDays: keptDays)
    try show(report, report.text(Paint(isOn: output.isColoured)))
  }

  /// Without a cluster there are no rows: none is made to find that out.
  private func checkCluster(_ choice: DatabaseChoice) throws {
    if choice.origin == .cluster, try PrivateCluster().state == .absent { throw FlowError.noClusterYet }
  }

  private func show(_ report: some Encodable, _ text: String) throws {
    if output.isJSON {
      output.writeResult(try ReportJSON.text(report))
    } else if !output.isQuiet {
      output.writeResult(text)
    }
    if let path = output.reportPath { try ReportJSON.write(try ReportJSON.text(report), to: path) }
  }
}
