import Loading

extension Failure {
  init(load error: LoadError) {
    switch error {
    case .serverTooOld(let version):
      self.init(
        .refused, "the server is PostgreSQL \(version / 10_000).\(version % 10_000)",
        next: "hk2pg needs version 15 or newer.")
    case .encoding(let name):
      self.init(
        .refused, "the database's encoding is \(name), and hk2pg needs UTF-8",
        next: "Make another one: createdb --encoding=UTF8 --template=template0 NAME")
    case .readOnly:
      self.init(
        .refused, "the database is read-only",
        next:
          "Connect to the primary server, not to a replica; see also default_transaction_read_only."
      )
    case .missingRights(let what, let sql):
      self.init(
        .refused, "the database role lacks rights: \(what)", next: "Its owner can run: \(sql)")
    case .alienShape(let table, let differences):
      self.init(
        .refused,
        "the table \(table) has a shape hk2pg does not serve: "
          + differences.map(Failure.words).joined(separator: "; "),
        next: "Use another database or schema; hk2pg schema shows the shape it makes.")
    case .userIsNoUUID:
      self.init(
        .usage, "the table's user_id is a uuid, and the user named is none",
        next: "Name one with --user (migrate: --as), for instance 6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b.")
    case .busy(let holder):
      self.init(
        .refused,
        "another import of this user runs on \(holder.host), process \(holder.processID), since \(holder.since)",
        next: "Wait for it to end; without --no-wait hk2pg waits by itself.")
    case .leaseLost:
      self.init(
        .refused,
        "another import of this user has taken over, since this one was silent for too long",
        next: "Let that one end, then run the same command again.")
    case .wouldRemoveTooMuch(let losses):
      let shown = losses.prefix(3).map {
        "\($0.metricType.shown()) would lose \(Words.count($0.lost)) of \(Words.count($0.rows)) rows"
      }
      let more = losses.count > 3 ? " and \(losses.count - 3) more" : ""
      self.init(
        .failed, "--missing-rows remove goes too far: " + shown.joined(separator: ", ") + more,
        next: "Nothing was changed. If it is right, add --force.")
    case .badChunk(let file, let reason):
      self.init(
        .failed, "the chunk \(file) cannot be loaded: \(reason)", next: "Stage the export again.")
    case .leftOut(let metricType, let day):
      self.init(
        .failed,
        "the chunks lack \(metricType.shown()) on \(day), which the database they were staged for held already",
        next: "Import the export itself, or stage it again.")
    case .otherUser:
      self.init(
        .usage, "these chunks were staged for another user than the one named",
        next: "Load them without naming a user, or stage again with --user ID.")
    case .olderSchema(let found, let owner):
      self.init(
        .refused,
        "the schema hk2pg in the database is of an earlier version (\(found)), and this role may not change it",
        next: "Let its owner (\(owner)) run hk2pg schema --apply.")
    case .newerSchema(let found):
      self.init(
        .refused, "the schema hk2pg in the database is of a newer version (\(found))",
        next: "Use a newer hk2pg.")
    case .malformedRanks(let column, let user):
      self.init(
        .usage, "the table hk2pg.user_settings has a \(column) for the user “\(user.shown())” that cannot be read",
        next: """
          Expected: lists of source names by metric type, best first, such as {"": ["Watch", "Phone"]}; "" is for all \
          types. Repair the row, or empty it: UPDATE hk2pg.user_settings SET \(column) = '{}' WHERE user_id = …
          """)
    case .malformedDays(let user):
      self.init(
        .usage, "the table hk2pg.user_settings has summarized_days for the user “\(user.shown())” that cannot be read",
        next: "hk2pg writes this column itself: put back what it had, for instance from a backup.")
    case .daysOfOtherZone(let summaries, let wanted):
      self.init(
        .usage,
        "the summaries are of days in \(summaries.shown()), so --days cannot make some of them in \(wanted.shown())",
        next: "Run hk2pg summarize without --days: it makes all of them in one time zone.")
    case .daysByOtherRanks:
      self.init(
        .usage, "the summaries were made by another order of sources, so --days cannot make some of them by this one",
        next: "Run hk2pg summarize without --days: it makes all of them by one order.")
    case .fault(let name):
      self.init(.failed, "a fault was injected at “\(name)”", next: "Unset HK2PG_FAULT.")
    }
  }

  private static func words(_ difference: ShapeDifference) -> String {
    switch difference {
    case .notATable(let kind): "it is a \(kind)"
    case .missingColumn(let column): "no column \(column)"
    case .columnType(let column, let expected, let found):
      "column \(column) is \(found), not \(expected)"
    case .notNull(let column): "column \(column) is NOT NULL"
    case .extraColumnWithoutDefault(let column): "column \(column) is NOT NULL without a default"
    case .missingKey(let columns): "no unique key (\(columns.joined(separator: ", ")))"
    case .extraKey(let name, let columns):
      "the unique key \(name) (\(columns.joined(separator: ", "))) is in the way"
    case .partitioning(let how): "partitioned \(how)"
    }
  }
}
