import HealthModel

extension Span<UInt8> {
  /// Whether `self[a]` and `other[b]` hold the same bytes.
  func isEqual(_ a: Range<Int>, to other: Span<UInt8>, _ b: Range<Int>) -> Bool {
    guard a.count == b.count else { return false }
    guard a.count >= 8 else {
      for i in 0..<a.count where self[a.lowerBound + i] != other[b.lowerBound + i] { return false }
      return true
    }
    // Bounds once for both, not for each of many words: device strings are long, and are compared with every record.
    precondition(a.lowerBound >= 0 && a.upperBound <= count && b.lowerBound >= 0 && b.upperBound <= other.count)
    func differ(at i: Int) -> Bool {
      let x = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: a.lowerBound + i, as: UInt64.self)
      let y = unsafe other.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: b.lowerBound + i, as: UInt64.self)
      return x != y
    }
    let last = a.count - 8
    var i = 0
    while i < last {
      if differ(at: i) { return false }
      i += 8
    }
    // The last eight bytes overlap those before.
    return !differ(at: last)
  }

  func string(_ range: Range<Int>) -> String {
    var copy: [UInt8] = []
    copy.append(range, of: self)
    return String(decoding: copy, as: UTF8.self)
  }

  func hasPrefix(_ prefix: String, _ range: Range<Int>) -> Bool {
    guard range.count >= prefix.utf8.count else { return false }
    return zip(range, prefix.utf8).allSatisfy { self[$0] == $1 }
  }

  func isEqual(_ range: Range<Int>, to text: String) -> Bool {
    range.count == text.utf8.count && hasPrefix(text, range)
  }

  /// Made of nothing but what numbers are made of.
  func looksLikeNumber(_ range: Range<Int>) -> Bool {
    !range.isEmpty
      && range.allSatisfy { index in
        let byte = self[index]
        return byte &- 0x30 <= 9 || byte | 0x20 == UInt8(ascii: "e") || byte == UInt8(ascii: ".")
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      }
  }

  /// Bytewise order of two pieces: negative, zero or positive. A piece precedes what it begins.
  func order(_ a: Range<Int>, _ b: Range<Int>) -> Int { order(a, self, b) }

  /// Bytewise order of `self[a]` and `other[b]`.
  func order(_ a: Range<Int>, _ other: Span<UInt8>, _ b: Range<Int>) -> Int {
    for i in 0..<Swift.min(a.count, b.count) {
      let (x, y) = (self[a.lowerBound + i], other[b.lowerBound + i])
      if x != y { return x < y ? -1 : 1 }
    }
    return a.count - b.count
  }
}
