import BoundedQueues
import ImportFlow

/// migrate, dump, load of a dump, and verify.
struct TransferRun {
  let output: OutputSettings
  let reporter: ProgressReporter
  let interruption: Interruption

  private var paint: Paint { Paint(isOn: output.isColoured) }

  /// What is not at the target afterwards makes it a failure.
  func migrate(_ settings: MigrateSettings) throws -> ExitCode {
    let result = try reporter.whileRunning { [interruption, reporter] in
      try ImportFlow.migrate(settings, interruption: interruption) { reporter.receive($0) }
    }
    let report = MigrateReport(result)
    try output.show(report, report.text(paint))
    return report.users.allSatisfy { $0.verified?.equal ?? true } ? .done : .failed
  }

  func dump(_ settings: TierSettings, into folder: String, _ choice: DatabaseChoice) throws {
    try choice.checkCluster()
    let result = try reporter.whileRunning { [interruption, reporter] in
      try ImportFlow.dump(settings, into: folder, interruption: interruption) { reporter.receive($0) }
    }
    let report = DumpReport(result)
    try output.show(report, report.text(paint))
  }

  func load(_ folder: String, _ settings: ImportSettings, _ choice: DatabaseChoice) throws {
    let result = try reporter.whileRunning { [interruption, reporter] in
      try ImportFlow.loadArchive(folder: folder, settings: settings, interruption: interruption) {
        reporter.receive($0)
      }
    }
    let report = ArchiveReport(result)
    try output.show(report, report.text(paint))
  }

  func verify(_ settings: VerifySettings, _ choice: DatabaseChoice) throws -> ExitCode {
    try choice.checkCluster()
    let result = try reporter.whileRunning { [interruption, reporter] in
      try ImportFlow.verify(settings, interruption: interruption) { reporter.receive($0) }
    }
    let report = VerifyReport(result)
    try output.show(report, report.text(paint))
    return report.equal ? .done : .failed
  }
}
