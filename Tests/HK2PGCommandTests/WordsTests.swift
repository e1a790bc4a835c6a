import Testing

@testable import HK2PGCommand

@Suite struct WordsTests {
  @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1234, "-1,234")])
  func count(_ number: Int, _ expected: String) { #expect(Words.count(number) == expected) }

  @Test func nouns() {
    #expect(Words.count(1, "day") == "1 day")
    #expect(Words.count(2000, "day") == "2,000 days")
    #expect(Words.count(0, "index", "indexes") == "0 indexes")
  }

  @Test(
    arguments: [
      (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9949, "9.9 kB"), (9950, "10 kB"), (999_499, "999 kB"),
      (999_500, "1.0 MB"), (1_234_000_000, "1.2 GB"), (Int64.max, "9.2 EB"),
    ] as [(Int64, String)])
  func bytes(_ number: Int64, _ expected: String) { #expect(Words.bytes(number) == expected) }

  @Test(arguments: [
    (0.04, "0.0 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.4, "59 s"), (59.5, "1 min 00 s"), (125, "2 min 05 s"),
    (3600, "1 h 00 min"), (3_661, "1 h 01 min"), (.nan, "–"), (.infinity, "–"), (-1, "–"),
  ])
  func duration(_ seconds: Double, _ expected: String) { #expect(Words.duration(seconds) == expected) }

  @Test(arguments: [(0.0, "0:00"), (7.4, "0:07"), (725, "12:05"), (3725, "1:02:05"), (-3, "0:00")])
  func clock(_ seconds: Double, _ expected: String) { #expect(Words.clock(seconds) == expected) }

  @Test(arguments: [(0.0, "0"), (12.4, "12"), (999.4, "999"), (1004, "1,000"), (219_999, "220,000"), (.nan, "0")])
  func rate(_ perSecond: Double, _ expected: String) { #expect(Words.rate(perSecond) == expected) }
}
