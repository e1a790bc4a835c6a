import HealthModel

/// The sources that occur in one metric type, numbered as they come (slots), and their order by rank (positions).
/// A new source may change positions, never slots.
struct SourceSlots {
  private let ranking: SourceRanking
  private let metricType: String
  /// By symbol index; -1 where the symbol is no source of this type.
  private var slots: [Int32] = []
  private var places: [SourceRanking.Place] = []
  /// Position of each slot, 0 is the best.
  private(set) var positions: [Int32] = []
  /// Slot at each position.
  private(set) var order: [Int32] = []
  /// The slot of `HealthKit (all sources)`, else -1.
  private(set) var allSourcesSlot: Int32 = -1

  init(ranking: SourceRanking, metricType: String) {
    self.ranking = ranking
    self.metricType = metricType
  }

  var count: Int { positions.count }

  mutating func slot(of source: Symbol) -> Int32 {
    let index = Int(source.index)
    if index < slots.count, slots[index] >= 0 { return slots[index] }
    return insert(source)
  }

  private mutating func insert(_ source: Symbol) -> Int32 {
    let slot = Int32(places.count)
    while slots.count <= Int(source.index) { slots.append(-1) }
    slots[Int(source.index)] = slot
    places.append(ranking.place(of: source, metricType: metricType))
    let position = positionForPlace(of: slot)
    order.insert(slot, at: position)
    positions.append(0)
    for later in position..<order.count { positions[Int(order[later])] = Int32(later) }
    if ranking.isAllSources(source) { allSourcesSlot = slot }
    return slot
  }

  /// Where a new slot belongs in `order`: behind all that are not worse.
  private func positionForPlace(of slot: Int32) -> Int {
    var low = 0
    var high = order.count
    while low < high {
      let middle = (low + high) / 2
      if places[Int(slot)] < places[Int(order[middle])] { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Rank of a sample: those entered by the user come first, by their sources, then the others.
  func rank(slot: Int32, isUserEntered: Bool) -> Int32 {
    isUserEntered ? positions[Int(slot)] : positions[Int(slot)] + Int32(count)
  }
}
