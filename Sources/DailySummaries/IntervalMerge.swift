import HealthModel

/// The sweep that counts overlapping sources once (DESIGN §4.1): at each moment only the samples of the best source
/// that has any count, each in proportion to the time in which its source was the best.
///
/// ```
/// Watch    ├──── 60 ────┤            ├─── 30 ───┤
/// iPhone          ├────────── 80 ──────────┤         half of it lies in the gap
/// counts         60     +     40     +     30
/// ```
/// Every source has a clock that runs while it is the best. A sample that starts when its clock shows a, and ends when
/// it shows b, has counted for b − a: whole numbers of microseconds, so a sample that was never covered counts exactly.
/// Memory is that of the samples under way; a sample costs one insertion into a heap and one removal.
struct IntervalMerge {
  /// What samples have counted for, by the day they were begun with.
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

  /// A heap, the earliest end first, in the first `activeCount` places; those after it are free.
  private var active: [Active] = []
  private var activeCount = 0
  private var states: [SourceState] = []
  private var positions: [Int32] = []
  private var order: [Int32] = []
  /// Ranks (`SourceSlots.rank`) that have samples under way.
  private var ranks: [UInt64] = []
  /// The best rank under way and its source's slot, else -1. The clock that runs is kept here, not in `states`.
  private var bestRank = -1
  private var best: Int32 = -1
  private var clock: Int64 = 0
  private var now = Int64.min
  private var nextSequence: Int64 = 0
  private let keepsDays: Bool
  /// What samples have counted for since it was last taken: of all days, unless days are kept apart.
  private var credit = RunningSum()
  private var credits: [Credit] = []

  /// - Parameter keepsDays: a sample counts for the day it was begun with, even after that day (`takeCredits`);
  ///   otherwise for what is under way when it counts (`takeCredit`).
  init(keepsDays: Bool) { self.keepsDays = keepsDays }

  var isEmpty: Bool { activeCount == 0 }

  mutating func takeCredit() -> RunningSum {
    defer { credit = RunningSum() }
    return credit
  }

  mutating func takeCredits() -> [Credit] {
    defer { credits.removeAll() }
    return credits
  }

  /// A sample that covers no time: it counts whole.
  mutating func addWhole(_ value: Double, day: Int32) { give(value, to: day) }

  /// Puts a sample under way; `advance(to: sample.start)` came before.
  mutating func begin(_ sample: FoldSample, end: Int64, day: Int32, sources: borrowing SourceSlots) {
    if states.count != sources.count { adopt(sources) }
    let slot = Int(sample.slot)
    push(
      Active(
        end: end, sequence: nextSequence, length: end - sample.start, clockAtStart: clock(of: sample.slot),
        value: sample.value, slot: sample.slot, day: day, isUserEntered: sample.isUserEntered))
    nextSequence += 1
    var state = states[slot]
    state.count += 1
    if sample.isUserEntered { state.userEnteredCount += 1 }
    states[slot] = state
    if state.count == 1 { mark(Int(positions[slot]) + states.count) }
    if sample.isUserEntered, state.userEnteredCount == 1 { mark(Int(positions[slot])) }
  }

  /// Moves on to `time`; what ends until then is settled.
  mutating func advance(to time: Int64) {
    while activeCount > 0, active[0].end <= time {
      let end = active[0].end
      run(to: end)
      repeat {
        let ended = pop()
        settle(ended)
        leave(ended)
      } while activeCount > 0 && active[0].end == end
    }
    run(to: time)
  }

  /// Settles what the samples under way have counted for so far.
  mutating func divide() {
    // A sorted array is a heap too; the order of additions must not depend on what was in the heap before.
    if activeCount > 1 { active[..<activeCount].sort(by: Active.precedes) }
    for i in 0..<activeCount {
      settle(active[i])
      active[i].clockAtStart = clock(of: active[i].slot)
    }
  }

  private mutating func run(to time: Int64) {
    if best >= 0 { clock += time - now }
    now = time
  }

  private func clock(of slot: Int32) -> Int64 { slot == best ? clock : states[Int(slot)].clock }

  private mutating func settle(_ sample: Active) {
    let counted = clock(of: sample.slot) - sample.clockAtStart
    give(
      counted == sample.length ? sample.value : sample.value * (Double(counted) / Double(sample.length)),
      to: sample.day)
  }

  private mutating func give(_ amount: Double, to day: Int32) {
    if keepsDays { credits.append(Credit(day: day, amount: amount)) } else { credit.add(amount) }
  }

  private mutating func leave(_ sample: Active) {
    let slot = Int(sample.slot)
    var state = states[slot]
    state.count -= 1
    if sample.isUserEntered { state.userEnteredCount -= 1 }
    states[slot] = state
    if state.count == 0 { unmark(Int(positions[slot]) + states.count) }
    if sample.isUserEntered, state.userEnteredCount == 0 { unmark(Int(positions[slot])) }
  }

  // MARK: Ranks

  private mutating func mark(_ rank: Int) {
    ranks[rank >> 6] |= 1 << UInt64(rank & 63)
    if bestRank < 0 || rank < bestRank { setBest(rank) }
  }

  private mutating func unmark(_ rank: Int) {
    ranks[rank >> 6] &= ~(1 << UInt64(rank & 63))
    if rank == bestRank { findBest() }
  }

  private mutating func findBest() {
    for word in ranks.indices where ranks[word] != 0 {
      return setBest(word << 6 + ranks[word].trailingZeroBitCount)
    }
    stopClock()
  }

  private mutating func setBest(_ rank: Int) {
    let slot = order[rank < order.count ? rank : rank - order.count]
    if slot != best {
      stopClock()
      best = slot
      clock = states[Int(slot)].clock
    }
    bestRank = rank
  }

  private mutating func stopClock() {
    if best >= 0 { states[Int(best)].clock = clock }
    best = -1
    bestRank = -1
  }

  /// A source was seen for the first time: all ranks move.
  private mutating func adopt(_ sources: borrowing SourceSlots) {
    positions = sources.positions
    order = sources.order
    while states.count < sources.count { states.append(SourceState()) }
    ranks = Array(repeating: 0, count: (2 * states.count + 63) / 64)
    stopClock()
    for slot in states.indices {
      let position = Int(positions[slot])
      if states[slot].count > 0 { mark(position + states.count) }
      if states[slot].userEnteredCount > 0 { mark(position) }
    }
  }

  // MARK: Heap

  private mutating func push(_ sample: Active) {
    if activeCount == active.count { active.append(sample) }
    var hole = activeCount
    activeCount += 1
    var heap = active.mutableSpan
    while hole > 0 {
      let parent = (hole - 1) / 2
      guard Active.precedes(sample, heap[parent]) else { break }
      heap[hole] = heap[parent]
      hole = parent
    }
    heap[hole] = sample
  }

  private mutating func pop() -> Active {
    let first = active[0]
    activeCount -= 1
    let count = activeCount
    guard count > 0 else { return first }
    var heap = active.mutableSpan
    let last = heap[count]
    var hole = 0
    while true {
      var child = 2 * hole + 1
      guard child < count else { break }
      if child + 1 < count, Active.precedes(heap[child + 1], heap[child]) { child += 1 }
      guard Active.precedes(heap[child], last) else { break }
      heap[hole] = heap[child]
      hole = child
    }
    heap[hole] = last
    return first
  }
}
