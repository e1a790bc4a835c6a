/// Places of samples that share a type and a second with rows that stay where they are (DESIGN §3.7).
enum Placement {
  /// `wanted` are the staged offsets in microseconds, ascending and distinct; the result has one free offset for each,
  /// in the same order, the least possible from the wanted one on. nil: the second is full.
  static func offsets(wanted: [Int], held: Set<Int>) -> [Int]? {
    var result: [Int] = []
    var next = 0
    for offset in wanted {
      next = max(next, offset)
      while held.contains(next) { next += 1 }
      if next > 999_999 { return nil }
      result.append(next)
      next += 1
    }
    return result
  }
}
