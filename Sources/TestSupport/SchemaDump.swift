internal import Foundation
internal import PostgresClient
internal import PrivateCluster

extension TestDatabase {
  /// What `pg_dump --schema-only` says of everything but the schema `hk2pg` and our view: tables, keys, indexes, views,
  /// triggers, policies, comments, owners and rights.
  package func foreignSchema() throws -> String {
    let run = try CommandRun(
      ServerBinaries.find().path("pg_dump"),
      [
        "--schema-only", "--exclude-schema=hk2pg", "--exclude-table=public.v_healthkit_daily_quantity",
        "--dbname=\(settings.address.description)",
      ])
    guard run.status == 0 else { throw TestServerError.notStarted("pg_dump: \(run.errors)") }
    // Newer ones print a random word against injected commands.
    return run.output.split(separator: "\n").filter { !$0.contains("restrict ") }.joined(separator: "\n")
  }
}
