import HealthModel
import TestSupport
import Testing

@testable import Staging

@Suite struct RecordSortTests {
  /// The stable sort of the standard library.
  private func expected(_ records: [SampleRecord]) -> [SampleRecord] {
    records.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
  }

  private func check(_ records: [SampleRecord], _ comment: Comment) {
    let sorted = RecordSort.sorted(records)
    let matches = zip(sorted, expected(records)).allSatisfy {
      RecordContent($0, payload: []) == RecordContent($1, payload: [])
    }
    #expect(sorted.count == records.count && matches, comment)
  }

  @Test func randomRecordsOfAnyNumber() {
    var random = SplitMix(printing: "RecordSortTests.randomRecordsOfAnyNumber")
    for count in Array(0...70) + [1000, 4097] {
      for spread in [1, 5, 100_000] {
        check((0..<count).map { random.record(within: spread, offset: Int64($0)) }, "\(count) within \(spread)")
      }
    }
  }

  @Test func stretchesAsExportsHaveThem() {
    var random = SplitMix(printing: "RecordSortTests.stretchesAsExportsHaveThem")
    for stretches in 1...9 {
      let records = (0..<stretches).flatMap { _ in
        expected((0..<random.below(300)).map { random.record(within: 5000, offset: Int64($0)) })
      }
      check(records, "\(stretches) ascending")
      check(records.reversed(), "\(stretches) descending")
    }
  }

  @Test func equalRecordsKeepTheirOrder() {
    let records = (0..<500).map { index in
      var record = SampleRecord(start: Instant(seconds: Int64(index % 3)), end: Instant(seconds: 5))
      record.inputOffset = Int64(index)
      return record
    }
    let offsets = RecordSort.sorted(records).map(\.inputOffset)
    let expected = (0..<3).flatMap { start in (0..<500).filter { $0 % 3 == start }.map(Int64.init) }
    #expect(offsets == expected)
  }
}
