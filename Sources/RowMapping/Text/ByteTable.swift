import HealthModel

/// A fixed set of words, found from bytes without allocation. Open addressing; words are added once, at the start.
struct ByteTable {
  private struct Slot: BitwiseCopyable {
    var hash: UInt64 = 0
    var start = 0
    var length = -1
    var index = 0
  }

  private var slots: [Slot]
  private var storage: [UInt8] = []
  private var count = 0

  /// The index of a word is its place in `words`.
  init(_ words: [String]) {
    var size = 64
    while size < words.count * 4 { size *= 2 }
    slots = Array(repeating: Slot(), count: size)
    for word in words {
      let start = storage.count
      storage.append(contentsOf: word.utf8)
      let hash = ByteTable.hash(start..<storage.count, of: storage.span)
      var place = Int(truncatingIfNeeded: hash) & (size - 1)
      while slots[place].length >= 0 { place = (place + 1) & (size - 1) }
      slots[place] = Slot(hash: hash, start: start, length: storage.count - start, index: count)
      count += 1
    }
  }

  /// The index of the word `bytes[range]`, nil when it is none of them.
  func index(of range: Range<Int>, in bytes: Span<UInt8>) -> Int? {
    let hash = ByteTable.hash(range, of: bytes)
    var place = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[place].length >= 0 {
      let slot = slots[place]
      if slot.hash == hash, bytes.isEqual(range, to: storage.span, slot.start..<slot.start + slot.length) {
        return slot.index
      }
      place = (place + 1) & (slots.count - 1)
    }
    return nil
  }

  private static func hash(_ range: Range<Int>, of bytes: Span<UInt8>) -> UInt64 {
    var hash = UInt64(truncatingIfNeeded: range.count) &* 0x9E37_79B9_7F4A_7C15
    var i = range.lowerBound
    while i + 8 <= range.upperBound {
      hash = (hash ^ bytes.word(at: i)) &* 0x9FB2_1C65_1E98_DF25
      hash ^= hash >> 32
      i += 8
    }
    if i < range.upperBound, range.count >= 8 {
      // The last eight bytes overlap those before.
      hash = (hash ^ bytes.word(at: range.upperBound - 8)) &* 0x9FB2_1C65_1E98_DF25
      i = range.upperBound
    }
    while i < range.upperBound {
      hash = (hash ^ UInt64(bytes[i])) &* 0x0000_0100_0000_01B3
      i += 1
    }
    return hash ^ hash >> 29
  }
}
