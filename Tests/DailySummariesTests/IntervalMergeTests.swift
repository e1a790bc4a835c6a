import DailySummaries
import HealthModel
import TestSupport
import Testing

/// Random small inputs against a reference that knows seconds only, and the laws the merge must obey.
@Suite struct IntervalMergeTests {
  struct Sample {
    var source: String
    var start: Int
    var end: Int
    var value: Double
    var isUserEntered = false
  }

  /// Best first.
  static let sources = ["Ann’s Watch", "Ann’s iPhone", "Pedometer", "Scale"]
  static let origin = FoldCase.instant("2024-03-01 23:50")
  static let priority = ["": sources]

  static func random(_ random: inout SplitMix, count: Int, spread: Int, userEntered: Bool = true) -> [Sample] {
    (0..<count).map { _ in
      let start = Int.random(in: 0..<spread, using: &random)
      let length = Int.random(in: 0...3, using: &random) == 0 ? 0 : Int.random(in: 1...spread / 2, using: &random)
      return Sample(
        source: sources[Int.random(in: 0..<sources.count, using: &random)], start: start, end: start + length,
        value: Double(Int.random(in: 0...500, using: &random)) / 4,
        isUserEntered: userEntered && Int.random(in: 0...5, using: &random) == 0)
    }
  }

  static func fold(_ samples: [Sample], internFirst: [String] = []) -> [String: Double] {
    var fold = FoldCase(FoldCase.steps, priority: priority)
    for name in internFirst { _ = fold.table.intern(name) }
    for sample in samples {
      fold.add(
        sample.source, Instant(seconds: origin.seconds + Int64(sample.start)),
        Instant(seconds: origin.seconds + Int64(sample.end)), sample.value, userEntered: sample.isUserEntered)
    }
    return fold.sums()
  }

  /// Second by second: the best source with a sample in the second counts, with all samples it has there.
  static func reference(_ samples: [Sample]) -> [String: Double] {
    var sums: [String: Double] = [:]
    func day(_ second: Int) -> String { Instant(seconds: origin.seconds + Int64(second)).utcDay.description }
    func rank(_ sample: Sample) -> Int {
      (sources.firstIndex(of: sample.source) ?? 0) + (sample.isUserEntered ? 0 : sources.count)
    }
    for sample in samples where sample.start == sample.end { sums[day(sample.start), default: 0] += sample.value }
    for second in 0..<(samples.map(\.end).max() ?? 0) {
      let here = samples.filter { $0.start <= second && second < $0.end }
      guard let best = here.min(by: { rank($0) < rank($1) }) else { continue }
      for sample in here where sample.source == best.source {
        sums[day(second), default: 0] += sample.value / Double(sample.end - sample.start)
      }
    }
    return sums
  }

  static func total(_ sums: [String: Double]) -> Double { sums.values.reduce(0, +) }

  @Test func equalsTheReferenceOfSeconds() {
    var random = SplitMix(printing: "equalsTheReferenceOfSeconds")
    for _ in 0..<400 {
      let count = Int.random(in: 1...14, using: &random)
      let samples = Self.random(&random, count: count, spread: 1200)
      let got = Self.fold(samples)
      let expected = Self.reference(samples)
      #expect(Set(expected.keys).isSubset(of: got.keys), "\(samples)")
      for (day, sum) in got { #expect(near(sum, expected[day] ?? 0), "\(day) \(samples)") }
    }
  }

  /// Never below the largest source is more than can be promised: rank decides, not size. A Watch that was worn without
  /// a step for an hour (zeros cover) stands for an iPhone that counted a hundred. What holds of any samples is: not
  /// below the best-ranked source; and below none, where all agree on the pace (`isNotBelowAnySourceOfTheSameWalk`).
  @Test func liesBetweenTheBestSourceAndThePlainSum() {
    var random = SplitMix(printing: "liesBetweenTheBestSourceAndThePlainSum")
    for _ in 0..<400 {
      let samples = Self.random(&random, count: 20, spread: 900, userEntered: false)
      let merged = Self.total(Self.fold(samples))
      let plain = samples.reduce(0) { $0 + $1.value }
      #expect(merged <= plain * (1 + 1e-12) + 1e-9)
      let best = Self.sources.first { name in samples.contains { $0.source == name } }
      let ofBest = samples.filter { $0.source == best }.reduce(0) { $0 + $1.value }
      #expect(merged >= ofBest * (1 - 1e-12) - 1e-9)
    }
  }

  /// Devices that record one walk agree on its pace; then no source alone has more than the merge.
  @Test func isNotBelowAnySourceOfTheSameWalk() {
    var random = SplitMix(printing: "isNotBelowAnySourceOfTheSameWalk")
    for _ in 0..<400 {
      var samples: [Sample] = []
      for source in Self.sources {
        var time = Int.random(in: 0...300, using: &random)
        while time < 1500 {
          let length = Int.random(in: 1...200, using: &random)
          samples.append(Sample(source: source, start: time, end: time + length, value: Double(length) * 1.5))
          time += length + (Bool.random(using: &random) ? 0 : Int.random(in: 1...200, using: &random))
        }
      }
      let merged = Self.total(Self.fold(samples))
      for source in Self.sources {
        let alone = samples.filter { $0.source == source }.reduce(0) { $0 + $1.value }
        #expect(merged >= alone - 1e-6)
      }
    }
  }

  @Test func equalsThePlainSumWhereNothingOverlaps() {
    var random = SplitMix(printing: "equalsThePlainSumWhereNothingOverlaps")
    for _ in 0..<200 {
      var time = 0
      var samples: [Sample] = []
      for _ in 0..<30 {
        let length = Int.random(in: 0...60, using: &random)
        let source = Self.sources[Int.random(in: 0..<Self.sources.count, using: &random)]
        let value = Double(Int.random(in: 0...100, using: &random))
        samples.append(Sample(source: source, start: time, end: time + length, value: value))
        time += length + Int.random(in: 0...20, using: &random)
      }
      let plain = samples.reduce(0) { $0 + $1.value }
      #expect(near(Self.total(Self.fold(samples)), plain))
      // Within one day the sum is exact.
      for i in samples.indices {
        samples[i].start += 600
        samples[i].end += 600
      }
      #expect(Self.total(Self.fold(samples)) == plain)
    }
  }

  @Test func dependsNeitherOnOrderNorOnSymbols() {
    var random = SplitMix(printing: "dependsNeitherOnOrderNorOnSymbols")
    for _ in 0..<300 {
      // Many samples of equal start: their order of arrival is free.
      let samples = Self.random(&random, count: 30, spread: 40)
      let first = Self.fold(samples)
      #expect(Self.fold(samples.shuffled(using: &random)) == first)
      #expect(Self.fold(samples, internFirst: Self.sources.shuffled(using: &random) + ["x"]) == first)
    }
  }

  @Test func splittingASampleChangesNothing() {
    var random = SplitMix(printing: "splittingASampleChangesNothing")
    for _ in 0..<300 {
      let samples = Self.random(&random, count: 10, spread: 900)
      var split: [Sample] = []
      for sample in samples {
        guard sample.end - sample.start > 1 else {
          split.append(sample)
          continue
        }
        let cut = Int.random(in: sample.start + 1..<sample.end, using: &random)
        let share = Double(cut - sample.start) / Double(sample.end - sample.start)
        var (a, b) = (sample, sample)
        (a.end, a.value) = (cut, sample.value * share)
        (b.start, b.value) = (cut, sample.value * (1 - share))
        split += [a, b]
      }
      let (whole, parts) = (Self.fold(samples), Self.fold(split))
      for (day, sum) in whole { #expect(near(sum, parts[day] ?? 0)) }
    }
  }

  /// 60,000 samples under way at once: neither quadratic nor wrong.
  @Test(.timeLimit(.minutes(20))) func manySamplesAtOnce() {
    var fold = FoldCase(FoldCase.steps)
    for i in 0..<60_000 {
      fold.add(
        i % 2 == 0 ? "Watch" : "iPhone", Instant(seconds: Self.origin.seconds - 80_000 + Int64(i)),
        Instant(seconds: Self.origin.seconds + 86_400 * 3 - Int64(i)), 1)
    }
    // The Watch has a sample under way as soon as the phone has, until the last one ends.
    #expect(near(Self.total(fold.sums()), 30_000, 1e-6))
  }
}
