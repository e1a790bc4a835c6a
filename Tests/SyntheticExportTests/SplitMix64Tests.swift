import Testing

@testable import SyntheticExport

@Suite struct SplitMix64Tests {
  /// The published sequence of the algorithm for this seed.
  @Test func reproducesTheReferenceSequence() {
    var random = SplitMix64(seed: 1_234_567)
    let drawn = (0..<5).map { _ in random.next() }
    #expect(
      drawn == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
      ])
  }

  @Test func staysWithinItsBounds() {
    var random = SplitMix64(seed: 7)
    var seen: Set<Int> = []
    for _ in 0..<1000 {
      seen.insert(random.between(-2, 2))
      #expect((10...20).contains(random.around(10, 20)))
      #expect(random.below(1) == 0)
    }
    #expect(seen == [-2, -1, 0, 1, 2])
  }

  @Test func streamsAndDaysAreIndependent() {
    var firsts: Set<UInt64> = []
    for stream in UInt64(0)..<20 {
      for day in -1..<50 {
        var random = SplitMix64(seed: 1, stream: stream, index: day)
        firsts.insert(random.next())
      }
    }
    #expect(firsts.count == 20 * 51)
  }

  @Test func writesVersionFourUUIDs() {
    var random = SplitMix64(seed: 3)
    let uuid = random.uuid()
    #expect(uuid.count == 36)
    #expect(Array(uuid)[14] == "4")
    #expect("89AB".contains(Array(uuid)[19]))
  }
}
