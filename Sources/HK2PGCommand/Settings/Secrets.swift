/// Finds passwords in connection strings, so that neither a message nor the process list shows them.
///
/// `postgres://ann:secret@host/db?sslpassword=key` and `host=h password='se cret'`: the ranges of `secret`, `key`,
/// `se cret`. Works on bytes: the same ranges are overwritten in the memory of the command line.
enum Secrets {
  static func ranges(in text: [UInt8]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    if let range = urlPassword(in: text) { found.append(range) }
    var start = 0
    while let range = keywordPassword(in: text, from: start) {
      if !range.isEmpty { found.append(range) }
      start = max(range.upperBound, start + 1)
    }
    return united(found)
  }

  /// A greedy URL range may overlap a keyword's: one range then covers both.
  private static func united(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, range.lowerBound <= last.upperBound {
        result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }

  /// The text with every byte of a password replaced by one `***`.
  static func masked(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var position = 0
    for range in ranges(in: bytes) {
      result += bytes[position..<range.lowerBound]
      result += Array("***".utf8)
      position = range.upperBound
    }
    result += bytes[position...]
    return String(decoding: result, as: UTF8.self)
  }

  /// Between the first `:` after `://` and the last `@` before the path.
  private static func urlPassword(in text: [UInt8]) -> Range<Int>? {
    guard let scheme = firstIndex(of: Array("://".utf8), in: text, from: 0) else { return nil }
    let authority = scheme + 3
    // A password may hold an unescaped `/`, `?` or `#`: everything up to the last `@` may belong to it.
    guard let at = text[authority...].lastIndex(of: UInt8(ascii: "@")) else { return nil }
    guard let colon = text[authority..<at].firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return colon + 1 < at ? colon + 1..<at : nil
  }

  /// The value after `password=` (also `sslpassword = '…'`), up to its end.
  private static func keywordPassword(in text: [UInt8], from start: Int) -> Range<Int>? {
    let word = Array("password".utf8)
    var search = start
    while let index = firstIndex(of: word, in: text, from: search) {
      var position = index + word.count
      while position < text.count, text[position] == UInt8(ascii: " ") { position += 1 }
      guard position < text.count, text[position] == UInt8(ascii: "=") else {
        search = index + 1
        continue
      }
      position += 1
      while position < text.count, text[position] == UInt8(ascii: " ") { position += 1 }
      return value(in: text, from: position)
    }
    return nil
  }

  private static func value(in text: [UInt8], from start: Int) -> Range<Int> {
    guard start < text.count else { return start..<start }
    let isQuoted = text[start] == UInt8(ascii: "'")
    let ends: [UInt8] = isQuoted ? [UInt8(ascii: "'")] : [UInt8(ascii: " "), UInt8(ascii: "&")]
    var position = isQuoted ? start + 1 : start
    let first = position
    while position < text.count, !ends.contains(text[position]) {
      position += text[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return first..<min(position, text.count)
  }

  private static func firstIndex(of word: [UInt8], in text: [UInt8], from start: Int) -> Int? {
    guard text.count >= word.count, start <= text.count - word.count else { return nil }
    return (start...text.count - word.count).first { text[$0..<$0 + word.count].elementsEqual(word) }
  }
}
