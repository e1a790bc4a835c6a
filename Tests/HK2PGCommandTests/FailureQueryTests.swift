import HealthModel
import Queries
import Testing

@testable import HK2PGCommand

@Suite struct FailureQueryTests {
  private static let day = CivilDay(year: 2024, month: 6, day: 2)

  @Test(arguments: [
    (QueryError.noTables, ExitCode.refused, "neither healthkit_metrics nor healthkit_daily_summaries"),
    (.unknownMetric("stesp", nearest: "steps"), .usage, "no metric “stesp”"),
    (.noDailyValues("HKCorrelationTypeIdentifierFood"), .usage, "food has no figures by day"),
    (.emptyRange(day, day.advanced(by: -1)), .usage, "2024-06-02 is after 2024-06-01"),
  ])
  func sentences(_ error: QueryError, _ code: ExitCode, _ words: String) {
    let failure = Failure(error)
    #expect(failure.code == code)
    #expect(failure.what.contains(words), "\(failure.what)")
    #expect(
      failure.next?.hasSuffix(".") == true || failure.next?.hasSuffix("?") == true
        || failure.next?.contains("hk2pg") == true)
  }

  @Test func anAssistantIsPointedToToolsAndAPersonToCommands() {
    let error = QueryError.unknownMetric("stesp", nearest: "steps")
    let failure = Failure(error)
    #expect(failure.next == "Did you mean steps? All there is: hk2pg query")
    #expect(
      MCPRun.words(error, failure)
        == "There is no metric “stesp”. Did you mean steps? The tool list_metrics has all there is.")
    #expect(
      MCPRun.words(QueryError.noTables, Failure(QueryError.noTables)).hasPrefix("The database has neither"))
  }
}
