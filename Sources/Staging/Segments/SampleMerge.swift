package import HealthModel

/// All records of one type in order of (start, end, place in the input), group by group. Reads each segment one block
/// at a time; several merges may run at once on different threads.
package struct SampleMerge: ~Copyable {
  private struct Entry: BitwiseCopyable {
    var start: Int64
    var end: Int64
    /// Makes the order independent of which worker's buffer a record came in.
    var inputOffset: Int64
    var cursor: Int32

    @inline(__always) static func precedes(_ a: Entry, _ b: Entry) -> Bool {
      if a.start != b.start { return a.start < b.start }
      if a.end != b.end { return a.end < b.end }
      if a.inputOffset != b.inputOffset { return a.inputOffset < b.inputOffset }
      return a.cursor < b.cursor
    }
  }

  private var cursors: [RunCursor]
  private var blocks: BlockReader
  /// Binary heap: the first is the next record's cursor.
  private var heap: [Entry]

  init(_ runs: [RunCursor]) throws(StagingError) {
    var cursors = runs
    var blocks = try BlockReader()
    var heap: [Entry] = []
    for index in cursors.indices {
      if cursors[index].records.isEmpty {
        guard try cursors[index].refill(&blocks) else { continue }
      }
      heap.append(SampleMerge.entry(cursors[index], index))
    }
    for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { SampleMerge.siftDown(&heap, from: index) }
    self.cursors = cursors
    self.blocks = blocks
    self.heap = heap
  }

  /// Memory of the merge itself.
  package var bufferByteCount: Int { cursors.reduce(blocks.bufferByteCount) { $0 + $1.bufferByteCount } }

  /// Replaces `group` by the records of the next start second; false when there are no more. Payload offsets count
  /// from the start of the group's payload.
  package mutating func nextGroup(into group: inout SampleGroup) throws(StagingError) -> Bool {
    group.removeAll()
    guard let first = heap.first else { return false }
    let limit = (first.start.flooredQuotient(1_000_000) + 1) * 1_000_000
    repeat {
      let cursor = Int(heap[0].cursor)
      try copyRecord(of: cursor, into: &group)
      try advance(cursor)
    } while !heap.isEmpty && heap[0].start < limit
    return true
  }

  /// Replaces `batch` by up to `limit` records, whatever their seconds, or fewer that have `payloadLimit` bytes of
  /// metadata or more; false when there are no more.
  mutating func nextBatch(
    limit: Int, payloadLimit: Int, into batch: inout SampleGroup
  ) throws(StagingError) -> Bool {
    batch.removeAll()
    while !heap.isEmpty && batch.records.count < limit && batch.payload.count < payloadLimit {
      let cursor = Int(heap[0].cursor)
      try copyRecord(of: cursor, into: &batch)
      try advance(cursor)
    }
    return !batch.records.isEmpty
  }

  @inline(__always)
  private mutating func copyRecord(of cursor: Int, into group: inout SampleGroup) throws(StagingError) {
    var record = cursors[cursor].records[cursors[cursor].index]
    if record.payloadLength > 0 {
      try cursors[cursor].readDeferredPayload(&blocks)
      let start = Int(record.payloadOffset)
      guard let offset = UInt32(exactly: group.payload.count) else {
        throw .groupTooLarge(byteCount: group.payload.count)
      }
      record.payloadOffset = offset
      group.payload.append(cursors[cursor].payload, start..<start + Int(record.payloadLength))
    } else {
      record.payloadOffset = 0
    }
    group.records.append(record)
  }

  @inline(__always)
  private mutating func advance(_ cursor: Int) throws(StagingError) {
    cursors[cursor].index += 1
    if cursors[cursor].index == cursors[cursor].records.count {
      guard try cursors[cursor].refill(&blocks) else {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        if heap.count > 1 { SampleMerge.siftDown(&heap, from: 0) }
        return
      }
    }
    heap[0] = SampleMerge.entry(cursors[cursor], cursor)
    if heap.count > 1 { SampleMerge.siftDown(&heap, from: 0) }
  }

  @inline(__always)
  private static func entry(_ run: RunCursor, _ cursor: Int) -> Entry {
    let record = run.records[run.index]
    return Entry(
      start: record.start.microseconds, end: record.end.microseconds, inputOffset: record.inputOffset,
      cursor: Int32(cursor))
  }

  private static func siftDown(_ heap: inout [Entry], from index: Int) {
    var span = heap.mutableSpan
    let count = span.count
    let entry = span[index]
    var place = index
    while true {
      var child = 2 * place + 1
      if child >= count { break }
      if child + 1 < count && Entry.precedes(span[child + 1], span[child]) { child += 1 }
      if !Entry.precedes(span[child], entry) { break }
      span[place] = span[child]
      place = child
    }
    span[place] = entry
  }
}
