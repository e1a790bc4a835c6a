import HealthModel

/// The sweep that counts overlapping sources once (DESIGN §4.1): at each moment only the samples of the best source
/// that has any count, each in proportion to the time in which its source was the best.
///
/// ```
/// Watch    ├──── 60 ────┤        ├── 30 ──┤
/// iPhone        ├────── 80 ──────────┤             20 + 20 + 40 of its 80 lie under, in the gap, under
/// counts        60        + 40       + 30
/// ```
/// Every source has a clock that runs while it is the best. A sample that starts when its clock shows a, and ends when
/// it shows b, has counted for b − a: whole numbers of microseconds, so a sample that was never covered counts exactly.
/// Memory is that of the samples under way; a sample costs one insertion into a heap and one removal.
struct IntervalMerge {
  /// The part of a sample that counts, for the day it was begun with.
  struct Credit {
    var day: Int32
    var amount: Double
  }

  private struct Active: BitwiseCopyable {
    var end: Int64
    /// Order of arrival: with `end` a total order that depends on the samples alone.
    var sequence: Int64
    var length: Int64
    var clockAtStart: Int64
    var value: Double
    var slot: Int32
    var day: Int32
    var isUserEntered: Bool

    static func precedes(_ a: Active, _ b: Active) -> Bool {
      a.end != b.end ? a.end < b.end : a.sequence < b.sequence
    }
  }

  private struct SourceState: BitwiseCopyable {
    var clock: Int64 = 0
    var count: Int32 = 0
    var userEnteredCount: Int32 = 0
  }

  /// A heap, the earliest end first.
  private var active: [Active] = []
  private var states: [SourceState] = []
  private var positions: [Int32] = []
  private var order: [Int32] = []
  /// Ranks (`SourceSlots.rank`) that have samples under way.
  private var ranks: [UInt64] = []
  /// Slot of the best source under way, else -1.
  private var best: Int32 = -1
  private var now = Int64.min
  private var nextSequence: Int64 = 0
  /// What has ended since it was last taken.
  private(set) var credits: [Credit] = []

  var isEmpty: Bool { active.isEmpty }

  mutating func removeCredits() { credits.removeAll(keepingCapacity: true) }

  /// Puts a sample under way; `advance(to: sample.start)` came before.
  mutating func begin(_ sample: FoldSample, end: Int64, day: Int32, sources: borrowing SourceSlots) {
    if states.count != sources.count { adopt(sources) }
    let slot = Int(sample.slot)
    push(
      Active(
        end: end, sequence: nextSequence, length: end - sample.start, clockAtStart: states[slot].clock,
        value: sample.value, slot: sample.slot, day: day, isUserEntered: sample.isUserEntered))
    nextSequence += 1
    states[slot].count += 1
    if states[slot].count == 1 { mark(Int(positions[slot]) + states.count) }
    if sample.isUserEntered {
      states[slot].userEnteredCount += 1
      if states[slot].userEnteredCount == 1 { mark(Int(positions[slot])) }
    }
  }

  /// Moves on to `time`; what ends until then is settled.
  mutating func advance(to time: Int64) {
    while !active.isEmpty, active[0].end <= time {
      let end = active[0].end
      run(to: end)
      repeat {
        let ended = pop()
        settle(ended)
        leave(ended)
      } while !active.isEmpty && active[0].end == end
    }
    run(to: time)
  }

  /// Settles what the samples under way have counted for so far, and gives the rest of them to `day`.
  mutating func divide(nextDay day: Int32) {
    // A sorted array is a heap too; the order of additions must not depend on what was in the heap before.
    if active.count > 1 { active.sort(by: Active.precedes) }
    for i in active.indices {
      settle(active[i])
      active[i].clockAtStart = states[Int(active[i].slot)].clock
      active[i].day = day
    }
  }

  private mutating func run(to time: Int64) {
    if best >= 0 { states[Int(best)].clock += time - now }
    now = time
  }

  private mutating func settle(_ sample: Active) {
    let counted = states[Int(sample.slot)].clock - sample.clockAtStart
    let amount =
      counted == sample.length ? sample.value : sample.value * (Double(counted) / Double(sample.length))
    credits.append(Credit(day: sample.day, amount: amount))
  }

  private mutating func leave(_ sample: Active) {
    let slot = Int(sample.slot)
    states[slot].count -= 1
    if states[slot].count == 0 { unmark(Int(positions[slot]) + states.count) }
    if sample.isUserEntered {
      states[slot].userEnteredCount -= 1
      if states[slot].userEnteredCount == 0 { unmark(Int(positions[slot])) }
    }
  }

  // MARK: Ranks

  private mutating func mark(_ rank: Int) {
    ranks[rank >> 6] |= 1 << UInt64(rank & 63)
    findBest()
  }

  private mutating func unmark(_ rank: Int) {
    ranks[rank >> 6] &= ~(1 << UInt64(rank & 63))
    findBest()
  }

  private mutating func findBest() {
    best = -1
    for word in ranks.indices where ranks[word] != 0 {
      let rank = word << 6 + ranks[word].trailingZeroBitCount
      best = order[rank < order.count ? rank : rank - order.count]
      return
    }
  }

  /// A source was seen for the first time: all ranks move.
  private mutating func adopt(_ sources: borrowing SourceSlots) {
    positions = sources.positions
    order = sources.order
    while states.count < sources.count { states.append(SourceState()) }
    ranks = Array(repeating: 0, count: (2 * states.count + 63) / 64)
    for slot in states.indices {
      let position = Int(positions[slot])
      if states[slot].count > 0 { mark(position + states.count) }
      if states[slot].userEnteredCount > 0 { mark(position) }
    }
  }

  // MARK: Heap

  private mutating func push(_ sample: Active) {
    active.append(sample)
    var child = active.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard Active.precedes(active[child], active[parent]) else { return }
      active.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func pop() -> Active {
    if active.count == 1 { return active.removeLast() }
    let first = active[0]
    active[0] = active.removeLast()
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < active.count else { return first }
      if child + 1 < active.count, Active.precedes(active[child + 1], active[child]) { child += 1 }
      guard Active.precedes(active[child], active[parent]) else { return first }
      active.swapAt(child, parent)
      parent = child
    }
  }
}
