import Testing

@testable import Bench

struct MeasurementTests {
  @Test(arguments: [([3.0], 3.0), ([3, 1], 2), ([9, 1, 2], 2), ([4, 1, 2, 8], 3)] as [([Double], Double)])
  func median(_ seconds: [Double], _ expected: Double) {
    #expect(Measurement(name: "", seconds: seconds).median == expected)
  }

  @Test func roundsOfOneFigureStandTogether() {
    var book = MeasurementBook()
    book.add("a", seconds: 4, peakMemory: 10)
    book.add("b", seconds: 1)
    book.add("a", seconds: 2, peakMemory: 30)
    #expect(book.measurements.map(\.name) == ["a", "b"])
    #expect(book.ratio("a", to: "b") == 3)
    #expect(book.peakMemory == 30)
    #expect(book.median("c").isNaN)
  }

  @Test func goalsAreMetUpToTheirLimit() {
    #expect(Goal(figure: "", measured: 1.3, limit: 1.3, unit: "×").isMet)
    #expect(!Goal(figure: "", measured: 1.31, limit: 1.3, unit: "×").isMet)
    #expect(Goal(figure: "", measured: 150_000, limit: 150_000, unit: "/s", isAtLeast: true).isMet)
    #expect(!Goal(figure: "", measured: 149_999, limit: 150_000, unit: "/s", isAtLeast: true).isMet)
    // A figure that was not measured meets nothing.
    #expect(!Goal(figure: "", measured: .nan, limit: 1, unit: "×").isMet)
  }
}
