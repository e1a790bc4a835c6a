import Loading

/// What a user should know about a load beyond its numbers.
enum LoadNotes {
  static func sentences(for outcome: LoadOutcome) -> [String] {
    keptRows(outcome.keptMissing) + outcome.notes.map(sentence)
  }

  private static func keptRows(_ kept: LoadOutcome.KeptMissing) -> [String] {
    var sentences: [String] = []
    func add(_ count: Int, _ reason: String) {
      let rows = count == 1 ? "1 row that this export lacks was" : "\(count) rows that this export lacks were"
      if count > 0 { sentences.append("\(rows) kept: \(reason).") }
    }
    add(kept.groupNotInExport, "it has no sample of that type, source and day (history stays)")
    add(kept.underHalf, "it has less than half as many samples of that type, source and day")
    add(
      kept.overFivePercent,
      "more than 5 % of a type would go (\(kept.sparedTypes.joined(separator: ", "))); --force removes them")
    add(kept.notAsked, "it is older than the newest import, salvaged, or --missing-rows keep was given")
    return sentences
  }

  private static func sentence(for note: LoadOutcome.Note) -> String {
    switch note {
    case .olderExport: "This export is older than the newest one in the database: only what was absent was added."
    case .vacuumSkipped: "VACUUM (ANALYZE) was left out: the role does not own the tables."
    case .indexRebuilt: "An index that was missing was built again."
    case .viewInOwnSchema: "A view of that name exists, so ours is hk2pg.v_healthkit_daily_quantity."
    case .zoneUnknownToServer: "The server does not know this time zone, so the view shows UTC days for raw rows."
    case .hashesDiffer: "This server hashes differently, so every row was compared; that is slower, and as safe."
    }
  }
}
