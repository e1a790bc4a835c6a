/// The known word a mistyped one was probably meant to be.
package enum NearestWord {
  /// Nil when nothing is near. A beginning counts as near (`--time` for `--timezone`), else at most a third of the
  /// letters may differ, and never more than three.
  package static func of(_ word: String, among known: [String]) -> String? {
    let typed = Array(word.lowercased().utf8)
    guard typed.count >= 2 else { return nil }
    var best: (word: String, distance: Int)?
    for candidate in known {
      let letters = Array(candidate.utf8)
      let distance = letters.starts(with: typed) ? 1 : self.distance(typed, letters)
      if distance <= min(3, max(1, max(typed.count, letters.count) / 3)), distance < best?.distance ?? .max {
        best = (candidate, distance)
      }
    }
    return best?.word
  }

  /// Letters to insert, delete, replace, or swap with their neighbour (optimal string alignment).
  static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1] + [Int](repeating: 0, count: b.count)
      for j in 0..<b.count {
        row[j + 1] = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { row[j + 1] = min(row[j + 1], beforeLast[j - 1] + 1) }
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
