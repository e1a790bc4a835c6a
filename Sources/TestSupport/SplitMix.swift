internal import Foundation

/// A seeded source of random numbers, the same on every machine. The seed is printed, and HK2PG_TEST_SEED repeats it.
package struct SplitMix: RandomNumberGenerator {
  package let seed: UInt64
  private var state: UInt64

  /// `name` of the test, for the line that is printed; `stream` tells apart several generators of one seed.
  package init(printing name: String, stream: UInt64 = 0) {
    let given = ProcessInfo.processInfo.environment["HK2PG_TEST_SEED"].flatMap(UInt64.init)
    seed = given ?? UInt64.random(in: 0 ... .max)
    state = seed ^ stream &* 0xD1B5_4A32_D192_ED03
    print("\(name): HK2PG_TEST_SEED=\(seed)")
  }

  /// Where the seed is part of what is printed already.
  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// 0 ..< bound.
  package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
