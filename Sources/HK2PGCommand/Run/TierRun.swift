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
    try choice.checkCluster()
    let result = try reporter.whileRunning { [interruption, reporter] in
      try ImportFlow.summarize(settings, options, interruption: interruption) { reporter.receive($0) }
    }
    let report = SummarizeReport(result)
    try output.show(report, report.text(Paint(isOn: output.isColoured)))
  }

  func prune(_ settings: TierSettings, keptDays: Int, isDryRun: Bool, _ choice: DatabaseChoice) throws {
    try choice.checkCluster()
    let result = try reporter.whileRunning { [interruption, reporter] in
      try ImportFlow.prune(settings, keptDays: keptDays, isDryRun: isDryRun, interruption: interruption) {
        reporter.receive($0)
      }
    }
    let report = PruneReport(result, keptDays: keptDays)
    try output.show(report, report.text(Paint(isOn: output.isColoured)))
  }
}

extension DatabaseChoice {
  /// Without a cluster there are no rows: none is made to find that out.
  func checkCluster() throws {
    if origin == .cluster, try PrivateCluster().state == .absent { throw FlowError.noClusterYet }
  }
}

extension OutputSettings {
  /// The result goes to stdout first: it is there even when the report file cannot be written.
  func show(_ report: some Encodable, _ text: String) throws {
    if isJSON {
      writeResult(try ReportJSON.text(report))
    } else if !isQuiet {
      writeResult(text)
    }
    if let path = reportPath { try ReportJSON.write(try ReportJSON.text(report), to: path) }
  }
}
