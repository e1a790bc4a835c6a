import HealthModel
import TestSupport
import Testing

@Suite struct SymbolTests {
  /// Strings of every length around the word size, looked up with and without what was looked up before.
  @Test(arguments: [1, 2] as [UInt64])
  func equalStringsAreEqualSymbols(seed: UInt64) {
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    let table = SymbolTable()
    var caches = [SymbolCache(table), SymbolCache(table)]
    var recent = SymbolCache.Recent()
    var known: [[UInt8]: Symbol] = [[]: .empty]
    for _ in 0..<20_000 {
      let length = Int.random(in: 0...20, using: &random)
      let text = (0..<length).map { _ in UInt8.random(in: 0x61...0x62, using: &random) }
      let padded = [0x7A] + text + [0x7A]
      let range = 1..<length + 1
      let place = Int.random(in: 0...1, using: &random)
      let symbol =
        Bool.random(using: &random)
        ? caches[place].symbol(for: range, of: padded.span)
        : caches[0].symbol(for: range, of: padded.span, recent: &recent)
      #expect(known[text, default: symbol] == symbol)
      known[text] = symbol
      #expect(table.bytes(of: symbol) == text)
    }
    #expect(Set(known.values).count == known.count && table.count == known.count)
  }
}
