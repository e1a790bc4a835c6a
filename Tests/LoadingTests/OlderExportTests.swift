import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// An older export after a newer one never makes a summary less (DESIGN §3.9, §4.6).
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct OlderExportTests {
  private let fixture: LoadingFixture

  init() throws { fixture = try LoadingFixture() }

  private typealias F = LoadingFixture

  private func export(_ minutes: Int, date: String, source: String = "Apple Watch") -> ChunkFolderFixture {
    var export = F.export(0, date: date)
    export.rows = (0..<minutes).map { minute in
      F.row(F.steps, "2024-05-01T10:\(minute + 10):00Z", value: 10, source: source)
    }
    return export
  }

  /// All raw rows are there: the newer export's samples are the truth.
  @Test func itShrinksNoSummary() throws {
    try fixture.load(try F.summed(export(10, date: "2024-06-01T12:00:00Z")))
    let versions = try fixture.versions()
    let outcome = try fixture.load(try F.summed(export(4, date: "2024-05-10T12:00:00Z")))
    #expect(outcome.isBalanced)
    #expect((outcome.new, outcome.alreadyThere, outcome.removed) == (0, 4, 0))
    #expect(try fixture.sums() == ["2024-05-01|100|10"])
    #expect(try fixture.versions() == versions)
  }

  /// The newer export's raw rows were withheld, so nothing but the number of samples tells which summary is better.
  @Test func itShrinksNoneOfWithheldRows() throws {
    try fixture.load(try F.windowed(export(10, date: "2024-07-01T12:00:00Z"), days: 30))
    #expect(try fixture.count() == 0)
    let outcome = try fixture.load(try F.summed(export(4, date: "2024-05-10T12:00:00Z")))
    // The rows are new to the table; its summary holds them already.
    #expect(outcome.new == 4)
    #expect(try fixture.sums() == ["2024-05-01|100|10"])
    // One with more samples, at other times and of a source that the newer export did not have, counts.
    var more = export(0, date: "2024-05-11T12:00:00Z")
    more.rows = (10..<22).map { F.row(F.steps, "2024-05-01T12:\($0):00Z", value: 10, source: "Pedometer") }
    #expect(try fixture.load(try F.summed(more)).new == 12)
    #expect(try fixture.sums() == ["2024-05-01|160|16"])
  }

  @Test func itShrinksNoneOfPrunedRows() throws {
    try fixture.load(try F.summed(export(10, date: "2024-06-01T12:00:00Z")))
    #expect(try fixture.prune(today: "2024-07-01").rows == 10)
    let outcome = try fixture.load(try F.summed(export(4, date: "2024-05-10T12:00:00Z")))
    #expect(outcome.withheld == 4)
    #expect(try fixture.sums() == ["2024-05-01|100|10"])
  }
}
