/// Where the clean bytes of a segment stand in the original input. Cuts and repairs move what follows them, so one
/// entry is kept for each stretch that was copied unchanged; most segments have a single one.
///
/// ```
/// original  …a "Tom & Jerry" b          entries  clean 0  original 1000
/// clean       a "Tom &amp; Jerry" b              clean 12 original 1008
/// ```
package struct OffsetMap: Sendable, Equatable {
  struct Entry: BitwiseCopyable, Sendable, Equatable {
    var clean: UInt32
    var original: Int64
  }
  private(set) var entries: [Entry] = []

  package init() {}

  /// Original offset of the clean byte `offset`. Inside of a replacement: where the replaced bytes began or ended.
  package func original(of offset: Int) -> Int64 {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if Int(entries[middle].clean) <= offset { low = middle + 1 } else { high = middle }
    }
    return original(of: offset, entry: max(0, low - 1))
  }

  /// The same for ascending offsets: `cursor` starts at 0 and remembers the entry.
  func original(of offset: Int, cursor: inout Int) -> Int64 {
    while cursor + 1 < entries.count && Int(entries[cursor + 1].clean) <= offset { cursor += 1 }
    return original(of: offset, entry: cursor)
  }

  private func original(of offset: Int, entry: Int) -> Int64 {
    guard entry < entries.count else { return Int64(offset) }
    let found = entries[entry].original + Int64(offset) - Int64(entries[entry].clean)
    return entry + 1 < entries.count ? min(found, entries[entry + 1].original) : found
  }

  /// From clean offset `clean` on, bytes come from `original`. An entry of the same clean offset is replaced.
  mutating func append(clean: Int, original: Int64) {
    let entry = Entry(clean: UInt32(clean), original: original)
    if let last = entries.last {
      if Int(last.clean) == clean {
        entries[entries.count - 1] = entry
        return
      }
      // Nothing moved since the last entry.
      if last.original + Int64(clean) - Int64(last.clean) == original { return }
    }
    entries.append(entry)
  }

  /// Forgets what was said about clean bytes from `clean` on.
  mutating func truncate(to clean: Int) {
    while let last = entries.last, Int(last.clean) >= clean && entries.count > 1 { entries.removeLast() }
  }
}
