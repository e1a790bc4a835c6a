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
    order = (0...slot).sorted { places[Int($0)] < places[Int($1)] }
    positions = Array(repeating: 0, count: places.count)
    for (position, slot) in order.enumerated() { positions[Int(slot)] = Int32(position) }
    if ranking.isAllSources(source) { allSourcesSlot = slot }
    return slot
  }

  /// Rank of a sample: those entered by the user come first, by their sources, then the others.
  func rank(slot: Int32, isUserEntered: Bool) -> Int32 {
    isUserEntered ? positions[Int(slot)] : positions[Int(slot)] + Int32(count)
  }
}
