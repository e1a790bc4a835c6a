import Foundation
import PostgresClient
import TestSupport
import Testing

/// The main job, with the real programs and a real server (DESIGN §7).
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct ImportTests {
  private func contents(of database: TestDatabase) throws -> [String] { try Contents.all(of: database.connection) }

  @Test func anExportBecomesTables() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let export = try programs.export("3MB")
    let run = try programs.run([
      "import", export, "--database", database.conninfo, "--user", "anna", "--report", programs.path("r.json"),
    ])
    #expect(run.status == 0, "\(run.errors)")
    let report = try Report(path: programs.path("r.json"))
    #expect(report.addsUp, "\(report.json)")
    #expect(try database.value("SELECT count(*) FROM healthkit_metrics") == "\(report.samples("written"))")
    #expect(try database.value("SELECT count(DISTINCT user_id) FROM healthkit_metrics") == "1")
    let keys = try database.lines(
      "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = 'healthkit_metrics'::regclass ORDER BY 1")
    #expect(
      keys == [
        "healthkit_metrics_metadata", "healthkit_metrics_pkey", "healthkit_metrics_user_id_metric_type_started_at_key",
        "healthkit_metrics_user_time", "healthkit_metrics_user_type_time",
      ])
    #expect(try database.value("SELECT count(*) > 0 FROM healthkit_daily_summaries") == "t")
    #expect(try database.value("SELECT count(*) > 0 FROM v_healthkit_daily_quantity") == "t")
    #expect(try database.value("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'incoming%'") == "0")
  }

  @Test func theSameExportAgainWritesNoRow() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let export = try programs.export("3MB")
    let arguments = ["import", export, "--database", database.conninfo, "--user", "anna"]
    #expect(try programs.run(arguments).status == 0)
    let versions = try database.lines("SELECT id::text || xmin::text || ctid::text FROM healthkit_metrics ORDER BY 1")
    let summaryVersions = try database.lines(
      "SELECT id::text || xmin::text || ctid::text FROM healthkit_daily_summaries ORDER BY 1")
    #expect(!versions.isEmpty)

    let again = try programs.run(arguments)
    #expect(again.status == 0, "\(again.errors)")
    let forced = try programs.run(arguments + ["--force", "--report", programs.path("r.json")])
    #expect(forced.status == 0, "\(forced.errors)")
    let report = try Report(path: programs.path("r.json"))
    #expect(report.addsUp, "\(report.json)")
    #expect(report.samples("written") == 0)
    #expect(report.samples("already_there") == versions.count)
    #expect(
      try database.lines("SELECT id::text || xmin::text || ctid::text FROM healthkit_metrics ORDER BY 1") == versions)
    #expect(
      try database.lines("SELECT id::text || xmin::text || ctid::text FROM healthkit_daily_summaries ORDER BY 1")
        == summaryVersions)
  }

  @Test func aThousandMoreRecordsAddThose() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let old = try programs.export("3MB", named: "old.xml")
    let new = try programs.export("3MB", named: "new.xml", extra: ["--extra", "1000"])
    #expect(try programs.run(["import", old, "--database", database.conninfo, "--user", "anna"]).status == 0)
    let before = Int(try database.value("SELECT count(*) FROM healthkit_metrics") ?? "") ?? 0
    let run = try programs.run([
      "import", new, "--database", database.conninfo, "--user", "anna", "--report", programs.path("r.json"),
    ])
    #expect(run.status == 0, "\(run.errors)")
    let report = try Report(path: programs.path("r.json"))
    #expect(report.samples("written") == 1000, "\(report.json)")
    #expect(report.changes("removed") == 0)
    #expect(try database.value("SELECT count(*) FROM healthkit_metrics") == "\(before + 1000)")

    // A then B equals B.
    let direct = try TestDatabase()
    #expect(try programs.run(["import", new, "--database", direct.conninfo, "--user", "anna"]).status == 0)
    #expect(try contents(of: database) == contents(of: direct))
  }

  @Test func aChunkLoadsWithoutUs() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let export = try programs.export("1MB")
    let staged = try programs.run(["stage", export, "--into", programs.path("chunks"), "--user", "anna"])
    #expect(staged.status == 0, "\(staged.errors)")

    let loaded = try TestDatabase()
    #expect(
      try programs.run(["load", programs.path("chunks"), "--database", loaded.conninfo]).status == 0)
    let byHand = try TestDatabase()
    let ddl = try programs.run(["schema", "--print"])
    #expect(ddl.status == 0)
    _ = try byHand.execute(ddl.output)
    let script = """
      set -e; cd '\(programs.path("chunks"))'
      python3 - <<'PYTHON'
      import json, subprocess
      for chunk in json.load(open("manifest.json"))["chunks"]:
          if not chunk["table"].startswith("healthkit_"): continue
          columns = ",".join(chunk["columns"])
          copy = "\\\\copy %s(%s) from stdin (format binary)" % (chunk["table"], columns)
          subprocess.run("zstd -dc %s | psql -v ON_ERROR_STOP=1 -d '\(byHand.conninfo)' -c '%s'" % (chunk["file"], copy),
                         shell=True, check=True)
      PYTHON
      """
    let psql = try CommandRun("/bin/bash", ["-c", script])
    #expect(psql.status == 0, "\(psql.errors)")
    #expect(try contents(of: byHand) == contents(of: loaded))
    #expect(try Int(loaded.value("SELECT count(*) FROM healthkit_metrics") ?? "") ?? 0 > 1000)
  }

  @Test(arguments: [0.05, 0.15, 0.3, 0.6, 1.0])
  func killedAndRunAgain(after seconds: Double) throws {
    let programs = try Programs()
    defer { programs.remove() }
    let export = try programs.export("20MB")
    let clean = try TestDatabase()
    #expect(try programs.run(["import", export, "--database", clean.conninfo, "--user", "anna"]).status == 0)

    let database = try TestDatabase()
    let arguments = ["import", export, "--database", database.conninfo, "--user", "anna"]
    _ = try programs.run(arguments, killAfter: seconds)
    let resumed = try programs.run(arguments)
    #expect(resumed.status == 0, "\(resumed.errors)")
    #expect(try contents(of: database) == contents(of: clean))
    #expect(try database.value("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'incoming%'") == "0")
  }
}

/// What has to be equal: everything but synced_at and created_at.
enum Contents {
  static let metrics = """
    SELECT id, user_id, metric_type, value, unit, source_device, started_at, ended_at, metadata FROM healthkit_metrics
    """
  static let summaries = """
    SELECT id, user_id, metric_type, summary_date, avg_value, min_value, max_value, sum_value, sample_count, unit
    FROM healthkit_daily_summaries
    """

  /// All rows as text, in order.
  static func all(of connection: PostgresConnection) throws -> [String] {
    try [metrics, summaries].flatMap { query in
      try connection.query("SELECT (t.*)::text FROM (\(query)) t ORDER BY 1").rows.map { try $0.text(0) }
    }
  }
}
