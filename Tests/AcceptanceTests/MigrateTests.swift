import Foundation
import PostgresClient
import TestSupport
import Testing

/// Rows between two servers with the real programs: migrate, dump and load, verify.
///
/// 50,000 rows and five times three deaths by default; a million rows and twelve times three with HK2PG_SOAK. HK2PG_TEST_SEED
/// repeats a run.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(60)))
struct MigrateTests {
  private static let isSoak = ProcessInfo.processInfo.environment["HK2PG_SOAK"] != nil
  private static let uuid = "6f1c2a34-7b0e-4d8a-9c55-3f0a1b2c3d4e"

  /// An import of an export, and rows of a live app up to `count`.
  private func fill(_ database: TestDatabase, _ programs: Programs, upTo count: Int) throws -> String {
    let export = try programs.export("3MB")
    let run = try programs.run(["import", export, "--database", database.conninfo, "--user", "anna"])
    #expect(run.status == 0, "\(run.errors)")
    try database.query(
      """
      INSERT INTO healthkit_metrics (user_id, metric_type, value, unit, source_device, started_at, ended_at, metadata,
        synced_at)
      SELECT 'anna', 'HKQuantityTypeIdentifier' || CASE n % 3 WHEN 0 THEN 'HeartRate' WHEN 1 THEN 'StepCount' ELSE
          'ActiveEnergyBurned' END, n % 100 / 7.0, 'count', 'Live', '2020-01-01Z'::timestamptz + n * interval '31.7 s',
        '2020-01-01Z'::timestamptz + n * interval '31.7 s', CASE WHEN n % 5 = 0 THEN '{"a": [1.50, null]}'::jsonb END,
        '2021-01-01Z'::timestamptz + n * interval '1 ms'
      FROM generate_series(1, $1::int - (SELECT count(*)::int FROM healthkit_metrics)) n
      """, ["\(count)"])
    #expect(try database.value("SELECT count(*) FROM healthkit_metrics") == "\(count)")
    return export
  }

  /// Count and sum of hashes of all columns of the tables that move.
  private func state(_ connection: PostgresConnection) throws -> [String] {
    try [
      "SELECT * FROM healthkit_metrics", "SELECT * FROM healthkit_daily_summaries", "SELECT * FROM hk2pg.sources",
      "SELECT * FROM hk2pg.profiles", "SELECT * FROM hk2pg.route_points", "SELECT * FROM hk2pg.ecg_recordings",
      "SELECT * FROM hk2pg.type_units",
      "SELECT user_id, zone, source_priority, newest_export_date FROM hk2pg.user_settings",
      "SELECT export_digest, finished_at FROM hk2pg.imports WHERE strategy NOT LIKE 'copy%'",
    ].map { query in
      let row = try connection.query(
        """
        SELECT count(*) || ' ' || coalesce(sum(hashtextextended((t.*)::text, 0)), 0) FROM (\(query)) t
        """)
      return try row[0].text(0)
    }
  }

  private func json(_ run: CommandRun) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any] ?? [:]
  }

  private func moved(_ run: CommandRun) throws -> [String: Int] {
    let users = try json(run)["users"] as? [[String: Any]] ?? []
    let moved = users.first?["moved"] as? [String: Any] ?? [:]
    return moved["rows"] as? [String: Int] ?? [:]
  }

  private func number(_ name: String, of run: CommandRun) throws -> Int { try moved(run)[name] ?? -1 }

  /// By the program's own word: what the system counts for a child includes the process that has started it.
  private func peakMemory(of run: CommandRun) throws -> Int { try json(run)["peak_memory_bytes"] as? Int ?? .max }

  // MARK: Two servers

  /// Killed at a random moment of copying, loading or verifying: hk2pg itself, or a server, which then starts again.
  @Test func killedAndRunAgainItIsTheWhole() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let rows = Self.isSoak ? 1_000_000 : 50_000
    let (from, to) = (try TestServer(), try TestServer())
    defer { for server in [from, to] { try? server.stop() } }
    let source = try TestDatabase(on: from.settings)
    let export = try fill(source, programs, upTo: rows)
    let expected = try state(source.connection)

    let clean = try TestDatabase(on: to.settings)
    let start = Date()
    let run = try programs.run(["migrate", "--from", source.conninfo, "--to", clean.conninfo, "--json", "--quiet"])
    let seconds = Date().timeIntervalSince(start)
    let peak = try peakMemory(of: run)
    print("migrate: \(rows) rows in \(seconds) s, peak \(peak / 1_000_000) MB")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try number("new", of: run) == rows)
    #expect(peak > 0 && peak < 256 << 20)
    #expect(try state(clean.connection) == expected)

    var random = SplitMix(printing: "killedAndRunAgainItIsTheWhole")
    var cut: [Victim: Int] = [:]
    for attempt in 0..<(Self.isSoak ? 12 : 5) {
      let target = try TestDatabase(on: to.settings)
      let arguments = ["migrate", "--from", source.conninfo, "--to", target.conninfo, "--json", "--quiet"]
      // Three deaths on the way to one copy; the first two at a moment of the part that is left, or after it.
      for _ in 0..<3 {
        let victim = attempt == 0 ? .program : Victim.allCases[random.below(Victim.allCases.count)]
        let moment = Double.random(in: 0..<seconds * 1.1, using: &random)
        let status = try die(victim, after: moment, arguments, programs, from: from, to: to)
        if status != 0 { cut[victim, default: 0] += 1 }
        #expect(victim == .program ? [0, 128 + SIGKILL].contains(status) : [0, 1, 4].contains(status))
      }
      let (here, there) = (try PostgresConnection(source.settings), try PostgresConnection(target.settings))
      let again = try programs.run(arguments)
      #expect(again.status == 0, "\(again.errors)")
      #expect(try peakMemory(of: again) < 256 << 20)
      #expect(try state(there) == expected && state(here) == expected)
      let left = "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'incoming%'"
      #expect(try there.query(left)[0].int(0) == 0)
    }
    print("cut off: \(cut.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))")
    #expect(cut[.program] ?? 0 > 0)

    // Under another id, with user_id uuid, killed once; then the export once more.
    let copy = try TestDatabase(on: to.settings)
    try copy.execute(Self.uuidTables)
    let pair = ["--user", "anna", "--as", Self.uuid]
    let arguments = ["migrate", "--from", source.conninfo, "--to", copy.conninfo, "--quiet"] + pair
    #expect(try die(.program, after: seconds / 2, arguments, programs, from: from, to: to) == 128 + SIGKILL)
    let rekeyed = try programs.run(arguments)
    #expect(rekeyed.status == 0, "\(rekeyed.errors)")
    try expectVerifiedAndNothingNew(export, from: source, in: copy, programs)
  }

  private enum Victim: CaseIterable {
    case program, source, target
  }

  /// Runs the program; after `moment` seconds it is killed, or a server is, as by a crash, and started again.
  private func die(
    _ victim: Victim, after moment: Double, _ arguments: [String], _ programs: Programs, from: TestServer,
    to: TestServer
  ) throws -> Int32 {
    if victim == .program { return try programs.run(arguments, killAfter: moment).status }
    let (server, done) = (victim == .source ? from : to, DispatchSemaphore(value: 0))
    DispatchQueue.global().asyncAfter(deadline: .now() + moment) {
      do {
        try server.stop()
        try server.start()
      } catch { Issue.record(error) }
      done.signal()
    }
    let run = try programs.run(arguments)
    done.wait()
    // A lost connection is no difference between the databases.
    if run.status != 0 { #expect(run.errors.contains("hk2pg: error: ") && run.output.isEmpty, "\(run.errors)") }
    return run.status
  }

  /// Whatever shape and id the copy has: it verifies, and an import of the same export writes no row.
  private func expectVerifiedAndNothingNew(
    _ export: String, from source: TestDatabase, in copy: TestDatabase, _ programs: Programs
  ) throws {
    let verified = try programs.run([
      "verify", source.conninfo, "--database", copy.conninfo, "--user", "anna", "--as", Self.uuid,
    ])
    #expect(verified.status == 0, "\(verified.output) \(verified.errors)")
    let versions = "SELECT xmin, ctid, id FROM healthkit_metrics ORDER BY id"
    let before = try copy.lines(versions)
    let into = ["--database", copy.conninfo, "--user", Self.uuid]
    let known = try programs.run(["import", export] + into)
    #expect(known.status == 0 && known.output.contains("is loaded already"), "\(known.output)")
    let forced = try programs.run(["import", export, "--force", "--report", programs.path("r.json")] + into)
    #expect(forced.status == 0, "\(forced.errors)")
    let report = try Report(path: programs.path("r.json"))
    #expect(report.samples("written") == 0 && report.addsUp)
    #expect(try copy.lines(versions) == before)
  }

  /// Of another shape than ours.
  private static let uuidTables = """
    CREATE TABLE healthkit_metrics (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL,
      metric_type text NOT NULL, value float8, unit text, source_device text NOT NULL DEFAULT '',
      started_at timestamptz NOT NULL, ended_at timestamptz, metadata jsonb,
      synced_at timestamptz NOT NULL DEFAULT now(), UNIQUE (user_id, metric_type, started_at, source_device));
    CREATE TABLE healthkit_daily_summaries (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL,
      metric_type text NOT NULL, date date NOT NULL, avg_value float8, min_value float8, max_value float8,
      sum_value float8, sample_count int, unit text NOT NULL DEFAULT '', created_at timestamptz DEFAULT now(),
      UNIQUE (user_id, metric_type, date, unit))
    """

  /// A client of a pooler gets another session for every transaction.
  @Test(.enabled(if: PgBouncer.isAvailable, Comment(rawValue: PgBouncer.missing)))
  func throughATransactionPoolerAtEitherEnd() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let (source, target) = (try TestDatabase(), try TestDatabase())
    _ = try fill(source, programs, upTo: 12_000)
    // Sessions of the source: the one that is read. Of the target: two for all there is to do.
    let (from, to) = (try PgBouncer(before: source, poolSize: 1), try PgBouncer(before: target, poolSize: 2))
    let addresses = [
      "HK2PG_FROM": from.settings.address.description, "HK2PG_TO": to.settings.address.description,
    ]
    for point in ["after-chunk-1", "before-publish"] {
      let killed = try programs.run(["migrate", "--quiet"], adding: addresses.merging(["HK2PG_FAULT": point]) { $1 })
      #expect(killed.status == 128 + SIGKILL, "\(killed.errors)")
    }
    let plan = try programs.run(["migrate", "--dry-run"], adding: addresses)
    #expect(plan.status == 0, "\(plan.errors)")
    let first = try programs.run(["migrate", "--json", "--quiet"], adding: addresses)
    #expect(first.status == 0, "\(first.errors)")
    #expect(try state(target.connection) == state(source.connection))
    // A table that is there takes the other way: rows are compared and inserted.
    try source.execute(
      """
      INSERT INTO healthkit_metrics (user_id, metric_type, value, started_at)
      SELECT 'anna', 'HKQuantityTypeIdentifierStepCount', n, '2019-03-01Z'::timestamptz + n * interval '1 min'
      FROM generate_series(1, 7) n
      """)
    let second = try programs.run(["migrate", "--json", "--quiet"], adding: addresses)
    #expect(second.status == 0, "\(second.errors)")
    #expect(try number("copied", of: second) == 7 && number("new", of: second) == 7)
    #expect(try state(target.connection) == state(source.connection))
    let verified = try programs.run(
      ["verify", addresses["HK2PG_FROM"] ?? ""], adding: ["DATABASE_URL": addresses["HK2PG_TO"] ?? ""])
    #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
  }

  /// Both have imported, each something else: the second time nothing is sent, in either direction.
  @Test func twoMergedDatabasesSendNothingTwice() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let (one, two) = (try TestDatabase(), try TestDatabase())
    for (database, end, seed) in [(one, "2024-03-01", 1), (two, "2024-05-01", 2)] {
      let export = try programs.export("1MB", seed: seed, named: "\(seed).zip", extra: ["--end", end])
      #expect(try programs.run(["import", export, "--database", database.conninfo, "--user", "anna"]).status == 0)
    }
    for (from, to) in [(one, two), (two, one)] {
      let arguments = ["migrate", "--from", from.conninfo, "--to", to.conninfo]
      let first = try programs.run(arguments + ["--json", "--quiet"])
      #expect(first.status == 0, "\(first.output)\(first.errors)")
      #expect(try number("new", of: first) > 100)
      let versions = "SELECT xmin, ctid, id FROM healthkit_metrics ORDER BY id"
      let before =
        try to.lines(versions) + to.lines("SELECT import_id, strategy, finished_at FROM hk2pg.imports ORDER BY 1")
      let plan = try programs.run(arguments + ["--dry-run"])
      #expect(plan.status == 0 && plan.output.contains("nothing would be moved"), "\(plan.output)")
      let second = try programs.run(arguments + ["--json", "--quiet"])
      #expect(second.status == 0, "\(second.errors)")
      #expect(try number("copied", of: second) == 0)
      let users = try json(second)["users"] as? [[String: Any]] ?? []
      #expect(users.first?["rows_to_move"] as? Int == 0)
      let words = try programs.run(arguments)
      #expect(words.output.contains("Nothing new: the target had everything already."), "\(words.output)")
      #expect(
        try to.lines(versions) + to.lines("SELECT import_id, strategy, finished_at FROM hk2pg.imports ORDER BY 1")
          == before)
    }
  }

  @Test(arguments: [
    "after-lease", "in-chunk", "after-chunk-1", "after-chunks", "after-index-1", "before-publish", "in-publish",
    "after-publish",
  ])
  func killedAt(point: String) throws {
    let programs = try Programs()
    defer { programs.remove() }
    let source = try TestDatabase()
    _ = try fill(source, programs, upTo: 10_000)
    let server = try TestServer()
    defer { try? server.stop() }
    let target = try TestDatabase(on: server.settings)
    let arguments = ["migrate", "--from", source.conninfo, "--to", target.conninfo, "--json", "--quiet"]
    #expect(try programs.run(arguments, adding: ["HK2PG_FAULT": point]).status == 128 + SIGKILL)
    let again = try programs.run(arguments)
    #expect(again.status == 0, "\(again.errors)")
    #expect(try state(target.connection) == state(source.connection))
    if point == "after-chunks" {
      #expect(again.errors.isEmpty)
      // Chunks were there: nothing was copied twice, and the second look found nothing more.
      #expect(try number("copied", of: again) == 10_000)
    }
  }

  /// Into a table that has other rows, in the slow way; then what is new.
  @Test func runAgainItMovesWhatIsNew() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let source = try TestDatabase()
    _ = try fill(source, programs, upTo: 12_000)
    let target = try TestDatabase()
    let other = try programs.export("1MB", seed: 9, named: "other.zip")
    #expect(try programs.run(["import", other, "--database", target.conninfo, "--user", "bob"]).status == 0)
    let arguments = ["migrate", "--json", "--quiet"]
    let addresses = ["HK2PG_FROM": source.conninfo, "HK2PG_TO": target.conninfo]
    for point in ["after-compare", "before-insert"] {
      let killed = try programs.run(arguments, adding: addresses.merging(["HK2PG_FAULT": point]) { $1 })
      #expect(killed.status == 128 + SIGKILL)
    }
    let first = try programs.run(arguments, adding: addresses)
    #expect(first.status == 0, "\(first.errors)")
    #expect(try number("new", of: first) == 12_000)
    let versions = "SELECT xmin, ctid, id FROM healthkit_metrics ORDER BY id"
    let before = try target.lines(versions)
    let nothing = try programs.run(["migrate"], adding: addresses)
    #expect(nothing.status == 0 && nothing.output.contains("Nothing new"), "\(nothing.output)")
    #expect(try target.lines(versions) == before)

    try source.execute(
      """
      INSERT INTO healthkit_metrics (user_id, metric_type, value, started_at)
      SELECT 'anna', 'HKQuantityTypeIdentifierStepCount', n, '2019-03-01Z'::timestamptz + n * interval '1 min'
      FROM generate_series(1, 7) n
      """)
    let plan = try programs.run(arguments + ["--dry-run"], adding: addresses)
    let users = try json(plan)["users"] as? [[String: Any]] ?? []
    #expect(users.first?["rows_to_move"] as? Int == 7)
    #expect(try target.lines(versions) == before)
    let second = try programs.run(arguments, adding: addresses)
    #expect(try number("copied", of: second) == 7 && number("new", of: second) == 7)
    #expect(try target.value("SELECT count(*) FROM healthkit_metrics WHERE user_id = 'anna'") == "12007")

    // What cannot be made equal is a failure.
    try target.execute("UPDATE healthkit_metrics SET value = -1 WHERE started_at = '2019-03-01 00:03:00Z'")
    let different = try programs.run(["migrate"], adding: addresses)
    #expect(different.status == 1)
    #expect(
      different.output.contains("2019-03-01  HKQuantityTypeIdentifierStepCount: 1 row with other contents"),
      "\(different.output)")
  }

  @Test func theShippedPipelineRuns() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let (source, target) = (try TestDatabase(), try TestDatabase())
    _ = try fill(source, programs, upTo: 10_000)
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../pipelines/migrate.json5")
    let variables = [
      "SOURCE_DATABASE_URL": source.conninfo, "TARGET_DATABASE_URL": target.conninfo,
      "XDG_STATE_HOME": programs.path("state"),
    ]
    for words in ["10,000 rows of 1 user moved", "0 rows of 1 user moved"] {
      let run = try programs.run(["run", file.standardized.path()], adding: variables)
      #expect(run.status == 0 && run.output.contains(words), "\(run.output) \(run.errors)")
    }
    #expect(try state(target.connection) == state(source.connection))
  }

  @Test func textToUUIDUnderAnotherIDAndImportedAgain() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let source = try TestDatabase()
    let export = try fill(source, programs, upTo: 10_000)
    let target = try TestDatabase()
    try target.execute(Self.uuidTables)
    let run = try programs.run([
      "migrate", "--from", source.conninfo, "--to", target.conninfo, "--user", "anna", "--as", Self.uuid,
    ])
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    try expectVerifiedAndNothingNew(export, from: source, in: target, programs)
  }

  @Test func rightsToReadAreEnoughAtTheSource() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let source = try TestDatabase()
    _ = try fill(source, programs, upTo: 10_000)
    let role = "reader_\(UInt32.random(in: 0 ... .max))"
    try source.execute(
      """
      CREATE ROLE \(role) LOGIN; GRANT SELECT ON healthkit_metrics, healthkit_daily_summaries TO \(role);
      GRANT USAGE ON SCHEMA hk2pg TO \(role); GRANT SELECT ON ALL TABLES IN SCHEMA hk2pg TO \(role)
      """)
    defer { _ = try? source.execute("DROP OWNED BY \(role); DROP ROLE \(role)") }
    let target = try TestDatabase()
    let from = source.settings.replacing("user", role).address.description
    let run = try programs.run(["migrate", "--from", from, "--to", target.conninfo, "--quiet"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try state(target.connection) == state(source.connection))
    let refused = try programs.run(["migrate", "--from", target.conninfo, "--to", from, "--quiet"])
    #expect(refused.status == 4 && refused.errors.contains("lacks rights"), "\(refused.errors)")
  }

  // MARK: Archives

  @Test func dumpReadWithoutUsAndLoaded() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let source = try TestDatabase()
    _ = try fill(source, programs, upTo: 10_000)
    let folder = programs.path("archive")
    let dump = try programs.run(["dump", "--into", folder, "--database", source.conninfo, "--user", "anna"])
    #expect(dump.status == 0 && dump.output.contains("10,000"), "\(dump.output) \(dump.errors)")
    let manager = FileManager.default
    #expect(try manager.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)

    // The README's own lines, with zstd and psql alone.
    let bare = try TestDatabase()
    let readme = try String(contentsOfFile: folder + "/README.txt", encoding: .utf8)
    let parts = readme.components(separatedBy: "Lines for the shell:\n")
    let tables = try #require(parts[0].range(of: "CREATE SCHEMA")).lowerBound
    try bare.execute(String(parts[0][tables...]))
    let address = bare.settings.address
    let shell = try CommandRun(
      "/bin/bash", ["-ec", "cd '\(folder)'; \(parts[1])"],
      environment: programs.environment.merging([
        "PGHOST": address.host, "PGPORT": address.port, "PGUSER": address.user, "PGDATABASE": address.database,
      ]) { $1 })
    #expect(shell.status == 0, "\(shell.errors)")
    #expect(
      try bare.lines("SELECT * FROM healthkit_metrics ORDER BY id")
        == source.lines("SELECT * FROM healthkit_metrics ORDER BY id"))

    let target = try TestDatabase()
    for expected in ["10,000 new", "Nothing new"] {
      let load = try programs.run(["load", folder, "--database", target.conninfo])
      #expect(load.status == 0 && load.output.contains(expected), "\(load.output) \(load.errors)")
    }
    #expect(try state(target.connection) == state(source.connection))
    let verified = try programs.run(["verify", folder, "--database", target.conninfo])
    #expect(verified.status == 0 && verified.output.contains("Equal"), "\(verified.output)")

    try target.execute("DELETE FROM healthkit_metrics WHERE id = (SELECT min(id::text)::uuid FROM healthkit_metrics)")
    #expect(try programs.run(["verify", folder, "--database", target.conninfo]).status == 1)
    // A folder is not written over.
    #expect(try programs.run(["dump", "--into", folder, "--database", source.conninfo, "--user", "anna"]).status == 2)
  }

  // MARK: Verify

  @Test func verifyAnExport() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let export = try programs.export("3MB")
    let target = ["--database", database.conninfo, "--user", "anna"]
    #expect(try programs.run(["import", export] + target).status == 0)
    let equal = try programs.run(["verify", export] + target)
    #expect(equal.status == 0 && equal.output.contains("Equal"), "\(equal.output) \(equal.errors)")

    // Rows of another program, pruned days: said, and no difference.
    try database.execute(
      "INSERT INTO healthkit_metrics (user_id, metric_type, value, started_at) VALUES ('anna', 'HKQuantityTypeIdentifierStepCount', 5, '2011-01-01Z')"
    )
    #expect(try programs.run(["prune", "--older-than", "1d"] + target).status == 0)
    let pruned = try programs.run(["verify", export] + target)
    #expect(pruned.status == 0, "\(pruned.output)")
    #expect(pruned.output.contains("of days whose raw rows were pruned"), "\(pruned.output)")
    #expect(pruned.output.contains("written by another program"), "\(pruned.output)")

    // A value that somebody changed is named, and so is its day.
    let day = try #require(
      try database.value(
        """
        UPDATE healthkit_metrics SET value = value + 1 WHERE id = (
          SELECT id FROM healthkit_metrics WHERE metric_type = 'HKWorkoutTypeIdentifier'
            OR metric_type LIKE 'HKCorrelation%' OR metric_type LIKE '%Route%' ORDER BY value DESC NULLS LAST LIMIT 1)
        RETURNING (started_at AT TIME ZONE 'UTC')::date::text || '  ' || metric_type
        """))
    let changed = try programs.run(["verify", export] + target)
    #expect(changed.status == 1)
    #expect(changed.output.contains("\(day): 1 row with other contents"), "\(changed.output)")
    let report = try json(try programs.run(["verify", export, "--json", "--quiet"] + target))
    #expect(report["equal"] as? Bool == false)
  }

  @Test func verifyTwoDatabases() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let (one, two) = (try TestDatabase(), try TestDatabase())
    let export = try programs.export("1MB")
    for database in [one, two] {
      #expect(try programs.run(["import", export, "--database", database.conninfo, "--user", "anna"]).status == 0)
    }
    let arguments = ["verify", one.conninfo, "--database", two.conninfo]
    let equal = try programs.run(arguments)
    #expect(equal.status == 0, "\(equal.output)")
    #expect(try programs.run(["import", export, "--database", two.conninfo, "--user", "bob"]).status == 0)
    // A user whom only one side knows.
    #expect(try programs.run(arguments).status == 1)
    #expect(try programs.run(arguments + ["--user", "anna"]).status == 0)
    let staged = programs.path("chunks")
    #expect(try programs.run(["stage", export, "--into", staged, "--user", "anna"]).status == 0)
    #expect(try programs.run(["verify", staged, "--database", two.conninfo]).status == 0)
  }

  // MARK: Spread by user

  @Test(arguments: [[], ["--partitions", "3"]])
  func theDistributedTablesTakeAnImport(options: [String]) throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let script = try programs.run(["schema", "--distributed"] + options)
    #expect(script.status == 0)
    for _ in 0..<2 { try database.execute(script.output) }
    let keys = try database.lines(
      """
      SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype IN ('p', 'u')
        AND conrelid IN ('healthkit_metrics'::regclass, 'healthkit_daily_summaries'::regclass) ORDER BY 1
      """)
    #expect(
      keys == [
        "PRIMARY KEY (user_id, id)", "PRIMARY KEY (user_id, id)", "UNIQUE (user_id, metric_type, started_at)",
        "UNIQUE (user_id, metric_type, summary_date)",
      ])
    let export = try programs.export("1MB")
    for user in ["anna", "bob"] {
      let arguments = ["import", export, "--database", database.conninfo, "--user", user]
      #expect(try programs.run(arguments).status == 0)
      let again = try programs.run(arguments + ["--force", "--report", programs.path("r.json")])
      #expect(again.status == 0, "\(again.errors)")
      #expect(try Report(path: programs.path("r.json")).samples("written") == 0)
    }
    let plain = try TestDatabase()
    #expect(try programs.run(["import", export, "--database", plain.conninfo, "--user", "bob"]).status == 0)
    #expect(
      try database.lines("\(Contents.metrics) WHERE user_id = 'bob' ORDER BY id")
        == plain.lines("\(Contents.metrics) ORDER BY id"))
    #expect(
      try database.value(
        "SELECT count(*) FROM pg_constraint WHERE contype = 'p' AND conrelid = 'healthkit_metrics'::regclass AND pg_get_constraintdef(oid) = 'PRIMARY KEY (user_id, id)'"
      ) == "1")
  }

  // MARK: Secrets

  @Test func noPasswordIsShown() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let secret = "postgres://ann:hunter2@127.0.0.1:1/none"
    for arguments in [
      ["migrate", "--from", secret, "--to", database.conninfo], ["verify", secret, "--database", database.conninfo],
      ["migrate", "--from", "hunter2", "--to", database.conninfo],
    ] {
      let run = try programs.run(arguments + ["--debug"])
      #expect(run.status != 0)
      #expect(!run.errors.contains("hunter2") && !run.output.contains("hunter2"), "\(run.errors)")
    }
  }
}
