import Testing

@testable import Loading

@Suite struct CleanUpTests {
  private func outcome(rows: Int, of total: Int, summaries: Int, unchanged: Int, kept: Int = 0) -> LoadOutcome {
    var outcome = LoadOutcome()
    (outcome.new, outcome.rowsInTable) = (rows, total)
    (outcome.summaries.written, outcome.summaries.unchanged, outcome.summaries.kept) = (summaries, unchanged, kept)
    return outcome
  }

  @Test func oneRowInTwentyIsWorthAPassOverTheTable() {
    func tables(_ outcome: LoadOutcome) -> [PublishedTable] { CleanUp.changedTables(outcome) }
    #expect(tables(outcome(rows: 50, of: 1_000, summaries: 5, unchanged: 95)) == [.metrics, .dailySummaries])
    #expect(tables(outcome(rows: 49, of: 1_000, summaries: 5, unchanged: 90, kept: 6)) == [])
    #expect(tables(outcome(rows: 1_000, of: 1_000, summaries: 0, unchanged: 0)) == [.metrics])
    #expect(tables(outcome(rows: 0, of: 0, summaries: 1, unchanged: 0)) == [.dailySummaries])
    #expect(tables(LoadOutcome()) == [])
  }

  /// Dead rows are what VACUUM is for, whether they were changed, removed or made way.
  @Test func everyKindOfWritingCounts() {
    for field in [\LoadOutcome.new, \.changed, \.removed, \.steppedAside] {
      var outcome = LoadOutcome()
      outcome.rowsInTable = 100
      outcome[keyPath: field] = 5
      #expect(CleanUp.changedTables(outcome) == [.metrics])
    }
    var outcome = LoadOutcome()
    (outcome.summaries.removed, outcome.summaries.unchanged) = (1, 19)
    #expect(CleanUp.changedTables(outcome) == [.dailySummaries])
  }
}
