import HealthModel

/// Sorts the records of one run by (start, end); equal ones keep their order.
///
/// Exports list a type's samples source by source, each ascending, so a run is a few ascending stretches. A natural
/// merge sort finds these and merges them: linear on sorted input, n log(stretches) else. It moves 24-byte keys, and
/// each 64-byte record only once.
enum RecordSort {
  struct Key: BitwiseCopyable {
    var start: Int64
    var end: Int64
    var index: UInt32

    @inline(__always) static func precedes(_ a: Key, _ b: Key) -> Bool {
      a.start < b.start || (a.start == b.start && a.end < b.end)
    }
  }

  /// Shorter stretches are made this long by insertion.
  private static let shortestStretch = 24

  static func sorted(_ records: [SampleRecord]) -> [SampleRecord] {
    if isSorted(records) { return records }
    let order = sortedKeys(records)
    let keys = order.span
    let source = records.span
    return Array(capacity: records.count) { output in
      for position in keys.indices { output.append(source[Int(keys[position].index)]) }
    }
  }

  private static func isSorted(_ records: [SampleRecord]) -> Bool {
    let span = records.span
    for index in stride(from: 1, to: span.count, by: 1) {
      let (a, b) = (span[index - 1], span[index])
      let (aStart, bStart) = (a.start.microseconds, b.start.microseconds)
      if bStart < aStart || (bStart == aStart && b.end.microseconds < a.end.microseconds) { return false }
    }
    return true
  }

  private static func sortedKeys(_ records: [SampleRecord]) -> [Key] {
    let source = records.span
    var keys: [Key] = Array(capacity: records.count) { output in
      for index in source.indices {
        let record = source[index]
        output.append(
          Key(start: record.start.microseconds, end: record.end.microseconds, index: UInt32(index)))
      }
    }
    var stretches = stretches(&keys)
    var other = keys
    while stretches.count > 2 {
      stretches = mergePairs(keys.span, into: &other, stretches)
      swap(&keys, &other)
    }
    return keys
  }

  /// Borders of ascending stretches, 0 and the count included; descending ones are turned round.
  private static func stretches(_ keys: inout [Key]) -> [Int] {
    var span = keys.mutableSpan
    let count = span.count
    var borders = [0]
    var start = 0
    while start < count {
      var end = start + 1
      if end < count {
        let isDescending = Key.precedes(span[end], span[start])
        end += 1
        while end < count && Key.precedes(span[end], span[end - 1]) == isDescending { end += 1 }
        if isDescending {
          var (low, high) = (start, end - 1)
          while low < high {
            span.swapAt(low, high)
            low += 1
            high -= 1
          }
        }
      }
      let target = min(start + shortestStretch, count)
      while end < target {
        insert(&span, at: end, from: start)
        end += 1
      }
      borders.append(end)
      start = end
    }
    return borders
  }

  /// Moves the key at `position` to its place in the sorted `span[start..<position]`.
  private static func insert(_ span: inout MutableSpan<Key>, at position: Int, from start: Int) {
    let key = span[position]
    var place = position
    while place > start && Key.precedes(key, span[place - 1]) {
      span[place] = span[place - 1]
      place -= 1
    }
    span[place] = key
  }

  private static func mergePairs(_ source: Span<Key>, into target: inout [Key], _ borders: [Int]) -> [Int] {
    var output = target.mutableSpan
    var merged = [0]
    var index = 0
    while index + 1 < borders.count {
      let middle = borders[index + 1]
      let end = index + 2 < borders.count ? borders[index + 2] : middle
      merge(source, borders[index], middle, end, into: &output)
      merged.append(end)
      index += 2
    }
    return merged
  }

  private static func merge(
    _ source: Span<Key>, _ start: Int, _ middle: Int, _ end: Int, into target: inout MutableSpan<Key>
  ) {
    var (left, right, place) = (start, middle, start)
    while left < middle && right < end {
      if Key.precedes(source[right], source[left]) {
        target[place] = source[right]
        right += 1
      } else {
        target[place] = source[left]
        left += 1
      }
      place += 1
    }
    while left < middle {
      target[place] = source[left]
      left += 1
      place += 1
    }
    while right < end {
      target[place] = source[right]
      right += 1
      place += 1
    }
  }
}
