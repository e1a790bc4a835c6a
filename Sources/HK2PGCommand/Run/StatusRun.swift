import ImportFlow
import Loading
import PostgresClient
import PrivateCluster

/// `hk2pg status`: past imports, what is running, what was left behind; `--clean` tidies up.
struct StatusRun {
  let access: DatabaseAccess
  let output: OutputSettings

  func run(_ choice: DatabaseChoice, user: String?, isCleaning: Bool) throws {
    let folders = isCleaning ? try AbandonedWork.remove() : nil
    if choice.origin == .cluster, try PrivateCluster().state == .absent {
      // Looking must not make a cluster.
      let database = "the private cluster, which is not made yet"
      let cleaned: [Leftover]? = isCleaning ? [] : nil
      try show(
        StatusReport(of: database, imports: [], leftovers: [], cleaned: cleaned, cleanedFolders: folders))
      return
    }
    let connection = try access.connect(choice)
    defer { connection.close() }
    let ledger = Ledger(connection)
    let cleaned = isCleaning ? try ledger.clean() : nil
    try show(
      StatusReport(
        of: connection.settings.address.words, imports: try ledger.imports(user: user, limit: StatusReport.limit),
        leftovers: try ledger.leftovers(), cleaned: cleaned, cleanedFolders: folders))
  }

  private func show(_ report: StatusReport) throws {
    if output.isJSON {
      output.writeResult(try ReportJSON.text(report))
    } else if !output.isQuiet {
      output.writeResult(report.text(Paint(isOn: output.isColoured)))
    }
  }
}
