import HealthModel
import Testing

@testable import HK2PGCommand
@testable import Loading

@Suite struct FailureLoadTests {
  @Test(arguments: [
    (
      LoadError.serverTooOld(version: 140_007), ExitCode.refused, "the server is PostgreSQL 14.7",
      "hk2pg needs version 15 or newer."
    ),
    (
      .encoding("SQL_ASCII"), .refused,
      "the database's encoding is SQL_ASCII, and hk2pg needs UTF-8",
      "Make another one: createdb --encoding=UTF8 --template=template0 NAME"
    ),
    (
      .readOnly, .refused, "the database is read-only",
      "Connect to the primary server, not to a replica; see also default_transaction_read_only."
    ),
    (
      .missingRights(what: "no CREATE on the database", sql: "GRANT …"), .refused,
      "the database role lacks rights: no CREATE on the database", "Its owner can run: GRANT …"
    ),
    (
      .userIsNoUUID, .usage, "the table's user_id is a uuid, and the user named is none",
      "Name one with --user (migrate: --as), for instance 6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b."
    ),
    (
      .busy(LeaseHolder(host: "h", processID: 7, since: "2025-01-01T00:00:00Z")), .refused,
      "another import of this user runs on h, process 7, since 2025-01-01T00:00:00Z",
      "Wait for it to end; without --no-wait hk2pg waits by itself."
    ),
    (
      .leaseLost, .refused,
      "another import of this user has taken over, since this one was silent for too long",
      "Let that one end, then run the same command again."
    ),
    (
      .wouldRemoveTooMuch([TypeLoss(metricType: "HKX", rows: 2000, lost: 1500)]), .failed,
      "--missing-rows remove goes too far: HKX would lose 1,500 of 2,000 rows",
      "Nothing was changed. If it is right, add --force."
    ),
    (
      .badChunk(file: "a.zst", reason: "no trailer"), .failed,
      "the chunk a.zst cannot be loaded: no trailer",
      "Stage the export again."
    ),
    (
      .leftOut(metricType: "HKX", day: CivilDay(year: 2024, month: 5, day: 3)), .failed,
      "the chunks lack HKX on 2024-05-03, which the database they were staged for held already",
      "Import the export itself, or stage it again."
    ),
    (
      .otherUser(staged: "Ann"), .usage,
      "these chunks were staged for another user than the one named",
      "Load them without naming a user, or stage again with --user ID."
    ),
    (
      .malformedRanks(column: "source_priority", user: "anna"), .usage,
      "the table hk2pg.user_settings has a source_priority for the user “anna” that cannot be read",
      #"Expected: lists of source names by metric type, best first, such as {"": ["Watch", "Phone"]}; "" is for all "#
        + "types. Repair the row, or empty it: "
        + "UPDATE hk2pg.user_settings SET source_priority = '{}' WHERE user_id = …"
    ),
    (
      .olderSchema(found: 1, owner: "ann"), .refused,
      "the schema hk2pg in the database is of an earlier version (1), and this role may not change it",
      "Let its owner (ann) run hk2pg schema --apply."
    ),
    (
      .newerSchema(found: 9), .refused,
      "the schema hk2pg in the database is of a newer version (9)",
      "Use a newer hk2pg."
    ),
    (
      .malformedDays(user: "ann"), .usage,
      "the table hk2pg.user_settings has summarized_days for the user “ann” that cannot be read",
      "hk2pg writes this column itself: put back what it had, for instance from a backup."
    ),
    (
      .daysOfOtherZone(summaries: "Europe/Berlin", wanted: "Asia/Tokyo"), .usage,
      "the summaries are of days in Europe/Berlin, so --days cannot make some of them in Asia/Tokyo",
      "Run hk2pg summarize without --days: it makes all of them in one time zone."
    ),
    (
      .daysByOtherRanks, .usage,
      "the summaries were made by another order of sources, so --days cannot make some of them by this one",
      "Run hk2pg summarize without --days: it makes all of them by one order."
    ),
    (.fault("x"), .failed, "a fault was injected at “x”", "Unset HK2PG_FAULT."),
  ])
  func sentence(_ error: LoadError, _ code: ExitCode, _ what: String, _ next: String) {
    let failure = Failure(error)
    #expect(failure.code == code)
    #expect(failure.what == what)
    #expect(failure.next == next)
  }

  @Test func anAlienShapeIsListed() {
    let failure = Failure(
      LoadError.alienShape(
        table: "public.healthkit_metrics",
        differences: [
          .notATable(kind: "view"), .missingColumn("a"),
          .columnType("b", expected: "text", found: "int4"),
          .notNull("c"), .extraColumnWithoutDefault("d"), .missingKey(["e", "f"]),
          .extraKey("k", ["g"]),
          .partitioning("by range (started_at)"),
        ]))
    #expect(failure.code == .refused)
    #expect(
      failure.what
        == "the table public.healthkit_metrics has a shape hk2pg does not serve: it is a view; no column a; "
        + "column b is int4, not text; column c is NOT NULL; column d is NOT NULL without a default; "
        + "no unique key (e, f); the unique key k (g) is in the way; partitioned by range (started_at)"
    )
  }

  @Test func manyLossesAreCutShort() {
    let losses = (1...5).map { TypeLoss(metricType: "T\($0)", rows: 10, lost: 9) }
    #expect(
      Failure(LoadError.wouldRemoveTooMuch(losses)).what.hasSuffix(
        "T3 would lose 9 of 10 rows and 2 more"))
  }
}
