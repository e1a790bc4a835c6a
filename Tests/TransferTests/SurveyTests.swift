import HealthModel
import Loading
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Transfer

/// What a migration has to move.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct SurveyTests {
  private typealias F = TransferFixture

  /// What the target lacks of the source.
  private func lack(_ fixture: TransferFixture) throws -> ArchiveSelection {
    let readers = try [fixture.source, fixture.target].map { try SourceDatabase($0.settings, isInterrupted: { false }) }
    defer { for reader in readers { reader.close() } }
    return try readers[0].snapshot { a in
      try readers[1].snapshot { b in
        let (left, right) = (ComparedSide(a, user: F.anna), ComparedSide(b, user: F.anna))
        let rules = try VerifyRules.migration(from: left, to: right, b)
        return try Verification(left, right, rules: rules).lack(Survey(left), Survey(right))
      }
    }
  }

  /// Sends that, and returns what became of it; the chunks hold as many raw rows as the selection says.
  private func send(_ selection: ArchiveSelection, _ fixture: TransferFixture) throws -> ArchiveOutcome {
    let reader = try SourceDatabase(fixture.source.settings, isInterrupted: { false })
    defer { reader.close() }
    let archive = try reader.snapshot {
      try ArchiveWriter($0, user: F.anna, newUser: F.anna).write(
        into: try ChunkFolder.create(at: fixture.newPath()), selection: selection, name: "test", version: "0")
    }
    #expect(archive.manifest.archive?.isPartial == true)
    #expect(
      archive.chunks(of: .metrics).reduce(0) { $0 + $1.rowCount } == selection.rowsByType.values.reduce(0, +))
    return try fixture.receive(archive)
  }

  @Test func monthsThatTheTargetLacksAndDaysThatDiffer() throws {
    let fixture = try F()
    let months = ["2024-03-05", "2024-04-05", "2024-05-01"]
    try fixture.load(F.export(months.flatMap { F.rows(10, from: $0 + "T08:00:00Z") }), into: fixture.source)
    let all = try lack(fixture)
    #expect(all.groups[.metrics]?.months.periods == [F.steps: ["2024-03-01", "2024-04-01", "2024-05-01"]])
    #expect(all.rowsByType == [F.steps: 30])
    try fixture.copy()
    #expect(try lack(fixture).isEmpty)

    try F.insertLive(
      fixture.source, id: "0f8fad5b-d9cb-469f-a165-70867728950e", at: "2024-04-05T09:00:00Z", value: 7)
    try F.insertLive(
      fixture.source, id: "2f8fad5b-d9cb-469f-a165-70867728950e", at: "2024-04-09T09:00:00Z", value: 7)
    try fixture.source.execute(
      """
      UPDATE healthkit_metrics SET value = 1, synced_at = synced_at + interval '1 h' WHERE started_at = '2024-05-01 08:09Z'
      """)
    let selection = try lack(fixture)
    #expect(selection.groups[.metrics]?.months.isEmpty == true)
    // The day with another row, the day that is absent, and the day with a row of other contents.
    #expect(selection.groups[.metrics]?.days.periods == [F.steps: ["2024-04-05", "2024-04-09", "2024-05-01"]])
    #expect(selection.groups[.dailySummaries]?.isEmpty == true)
    #expect(selection.rowsByType == [F.steps: 22])
    let outcome = try send(selection, fixture)
    #expect(outcome.rows.copied == 22 && outcome.rows.new == 2 && outcome.rows.changed == 1 && outcome.rows.same == 19)
    #expect(try lack(fixture).isEmpty)
    #expect(try fixture.verify(.contained).isEqual)
  }

  /// Two databases that each have their own: after one copy the target lacks nothing, though no digest is equal.
  @Test func aMergedTargetLacksNothing() throws {
    let fixture = try F()
    var old = F.export(F.rows(20) + F.rows(5, from: "2024-04-05T08:00:00Z"))
    old.rows[0].source = "iPhone"
    var new = F.export(
      F.rows(8, from: "2024-05-01T20:00:00Z") + F.rows(3, from: "2024-06-01T08:00:00Z"), date: "2024-07-01T12:00:00Z")
    new.summaries[0].sampleCount = 28
    new.me = ["HKCharacteristicTypeIdentifierBloodType": "HKBloodTypeBNegative"]
    try fixture.load(old, into: fixture.source)
    try fixture.load(new, into: fixture.target)
    for (database, n) in [(fixture.source, 1), (fixture.target, 2)] {
      try database.query(
        """
        INSERT INTO hk2pg.pruned_days (user_id, metric_type, day, starts_at, ends_at, row_count) VALUES
          ($1, $2, '2024-02-0\(n)', '2024-02-0\(n)T00:00:00Z', '2024-02-0\(n + 1)T00:00:00Z', \(n)),
          ($1, $2, '2024-06-01', '2024-06-01T00:00:00Z', '2024-06-02T00:00:00Z', 7)
        """, [F.anna, F.steps])
      try database.query(
        "INSERT INTO hk2pg.route_points (user_id, file_digest, ordinal, longitude, latitude) VALUES ($1, 'd\(n)', 0, 13, 52)",
        [F.anna])
    }
    try fixture.target.execute("DELETE FROM hk2pg.pruned_days WHERE day = '2024-06-01'")
    let first = try lack(fixture)
    // May has rows of other times there, April has none; June is the target's alone.
    #expect(first.groups[.metrics]?.months.periods == [F.steps: ["2024-04-01"]])
    #expect(first.groups[.metrics]?.days.periods == [F.steps: ["2024-05-01"]])
    // Its summary of the day counts 28 samples, the source's 25.
    #expect(first.groups[.dailySummaries]?.isEmpty == true)
    #expect(first.ownTables.isSuperset(of: [.sources, .imports, .routePoints, .prunedDays]))
    #expect(!first.ownTables.contains(.userSettings) && !first.ownTables.contains(.profiles))
    let outcome = try send(first, fixture)
    #expect(outcome.rows.copied == 25 && outcome.rows.new == 25)
    let second = try lack(fixture)
    #expect(second.isEmpty, "\(second)")
    #expect(try fixture.target.value("SELECT count(*) FROM healthkit_metrics") == "36")
    #expect(try fixture.target.lines("SELECT day FROM hk2pg.pruned_days ORDER BY 1") == ["2024-02-01", "2024-02-02"])

    // Any new fact of the source is moved again.
    for (table, change) in [
      (ChunkTable.sources, "UPDATE hk2pg.sources SET models = models || '{iPhone9}' WHERE name = 'iPhone'"),
      (.prunedDays, "UPDATE hk2pg.pruned_days SET day = '2024-02-09' WHERE day = '2024-02-01'"),
      (.routePoints, "UPDATE hk2pg.route_points SET ordinal = 1"),
      (.imports, "UPDATE hk2pg.imports SET finished_at = finished_at + interval '1 s'"),
      (.typeUnits, "UPDATE hk2pg.type_units SET exported_unit = 'dozen'"),
      (.profiles, "UPDATE hk2pg.profiles SET characteristic = 'HKCharacteristicTypeIdentifierDateOfBirth'"),
    ] {
      #expect(try fixture.source.execute(change).affectedRows > 0, "\(table)")
      let selection = try lack(fixture)
      #expect(selection.ownTables == [table])
      _ = try send(selection, fixture)
      #expect(try lack(fixture).isEmpty, "\(table)")
    }
    // Facts of the newer export win, whichever side has it.
    try fixture.source.execute(
      """
      UPDATE hk2pg.user_settings SET newest_export_date = '2024-08-01Z', zone = 'Asia/Tokyo';
      UPDATE hk2pg.profiles SET value = 'later'; UPDATE hk2pg.type_units SET sample_count = sample_count + 100
      """)
    let newest = try lack(fixture)
    #expect(newest.ownTables.isSuperset(of: [.userSettings, .profiles, .typeUnits, .sources]))
    #expect(newest.groups[.metrics]?.isEmpty == true)
    _ = try send(newest, fixture)
    #expect(try lack(fixture).isEmpty)
    #expect(try fixture.target.value("SELECT zone FROM hk2pg.user_settings") == "Asia/Tokyo")
    // So does its calendar, and no calendar arrives as none.
    for (month, days) in [(9, "'{\"HKX\": []}'"), (10, "NULL")] {
      try fixture.source.execute(
        "UPDATE hk2pg.user_settings SET newest_export_date = '2024-\(month)-01Z', summarized_days = \(days)")
      _ = try send(try lack(fixture), fixture)
      #expect(
        try fixture.target.value("SELECT summarized_days IS NOT DISTINCT FROM \(days)::jsonb FROM hk2pg.user_settings")
          == "t")
    }
    let verified = try fixture.verify(.contained)
    #expect(verified.isEqual && verified.explained[.fullerSummary] == 1, "\(verified.days) \(verified.tables)")
  }

  @Test func sizesByType() throws {
    let fixture = try F()
    try fixture.load(F.export(F.rows(10)), into: fixture.source)
    let reader = try SourceDatabase(fixture.source.settings, isInterrupted: { false })
    let bytes = try reader.snapshot { snapshot in
      try Survey(ComparedSide(snapshot, user: F.anna)).bytesByType(snapshot, user: F.anna)
    }
    // Header, ids, instants and short texts: some 180 bytes a row.
    #expect((1_000...3_000).contains(bytes[F.steps] ?? 0), "\(bytes)")
  }
}
