import Loading
import PostgresClient

/// `hk2pg schema`: the DDL as text, or applied.
struct SchemaRun {
  let access: DatabaseAccess
  let output: OutputSettings

  func printScript() throws { try show(Schema.script()) }

  func printDistributed(partitions: Int) throws { try show(Schema.distributedScript(partitions: partitions)) }

  private func show(_ script: String) throws {
    output.writeResult(output.isJSON ? try ReportJSON.text(["ddl": script]) : script)
  }

  func apply(to choice: DatabaseChoice) throws {
    let connection = try access.connect(choice)
    defer { connection.close() }
    try Schema.apply(connection)
    let database = connection.settings.address.words
    if output.isJSON {
      output.writeResult(try ReportJSON.text(["applied_to": database]))
    } else if !output.isQuiet {
      output.writeResult("Everything hk2pg needs is there: \(database)\n")
    }
  }
}
