package import HealthModel

/// Which source counts where several have data (DESIGN §4.2), from the facts of a whole export or database.
///
/// Samples entered by the user come before all others, whatever their source; among sources:
///
/// 1. `HealthKit (all sources)`, unless a list names it: its hourly rows stand for all samples of their hour;
/// 2. the list of the type, then the list of all types;
/// 3. Apple Watch, iPhone, others; within each the one with the newest first sample;
/// 4. equal ones by the bytes of their names.
package struct SourceRanking: Sendable {
  /// source_device of the hourly rows that phone apps write.
  package static let allSourcesName = "HealthKit (all sources)"

  /// Why a source has its place.
  package enum Reason: String, Codable, Sendable { case allSources, listedForType, listedForAll, watch, phone, other }

  /// A source at its place in the order, for report and manifest.
  package struct RankedSource: Codable, Equatable, Sendable {
    package var name: String
    package var reason: Reason
  }

  /// A comparable place; lower is better.
  struct Place: Comparable {
    var tier: Int
    var order: Int64
    var name: [UInt8]

    static func < (a: Place, b: Place) -> Bool {
      if (a.tier, a.order) != (b.tier, b.order) { return (a.tier, a.order) < (b.tier, b.order) }
      return a.name.lexicographicallyPrecedes(b.name)
    }
  }

  private let sources: [Symbol: SourceFacts]
  private let names: SymbolNames
  private let lists: [String: [[UInt8]: Int]]
  /// As given.
  package let priority: [String: [String]]

  /// - Parameters:
  ///   - sources: facts by source symbol; a source without facts is judged by its name, as one without a first sample.
  ///   - symbols: `SymbolTable.snapshot()` that holds all sources.
  ///   - priority: metric type ("" for all types) to source names, best first.
  package init(sources: [Symbol: SourceFacts], symbols: [[UInt8]], priority: [String: [String]] = [:]) {
    self.init(sources: sources, names: .snapshot(symbols), priority: priority)
  }

  /// For sources that are still being read; new ones may come into `symbols` at any time.
  package init(sources: [Symbol: SourceFacts], symbols: SymbolTable, priority: [String: [String]] = [:]) {
    self.init(sources: sources, names: .table(symbols), priority: priority)
  }

  private init(sources: [Symbol: SourceFacts], names: SymbolNames, priority: [String: [String]]) {
    self.sources = sources
    self.names = names
    self.priority = priority
    lists = priority.mapValues { names in
      Dictionary(names.enumerated().map { (Self.comparable(Array($1.utf8)), $0) }, uniquingKeysWith: min)
    }
  }

  /// All sources with facts, best first; `metricType` empty: of the types without a list of their own.
  package func order(metricType: String = "") -> [RankedSource] {
    let reasons: [Reason] = [.allSources, .listedForType, .listedForAll, .watch, .phone, .other]
    return sources.keys.map { place(of: $0, metricType: metricType) }.sorted().map {
      RankedSource(name: String(decoding: $0.name, as: UTF8.self), reason: reasons[$0.tier])
    }
  }

  /// Names in lists that no source has: a typing error, or a source of another export. Sorted.
  package var unmatchedNames: [String] {
    let known = Set(sources.keys.map { Self.comparable(names.bytes(of: $0)) })
    let unmatched = lists.values.flatMap(\.keys).filter { !known.contains($0) }
    return Set(unmatched.map { String(decoding: $0, as: UTF8.self) }).sorted()
  }

  func place(of symbol: Symbol, metricType: String) -> Place {
    let name = names.bytes(of: symbol)
    let listed = Self.comparable(name)
    if !metricType.isEmpty, let index = lists[metricType]?[listed] {
      return Place(tier: 1, order: Int64(index), name: name)
    }
    if let index = lists[""]?[listed] { return Place(tier: 2, order: Int64(index), name: name) }
    if isAllSources(symbol) { return Place(tier: 0, order: 0, name: name) }
    let facts = sources[symbol] ?? SourceFacts()
    // The complement turns the order round and, unlike a minus sign, cannot overflow.
    let newestFirst = facts.firstSample.map { ~$0.microseconds } ?? Int64.max
    switch facts.deviceClass(sourceName: name) {
    case .watch: return Place(tier: 3, order: newestFirst, name: name)
    case .phone: return Place(tier: 4, order: newestFirst, name: name)
    case .other: return Place(tier: 5, order: newestFirst, name: name)
    }
  }

  func isAllSources(_ symbol: Symbol) -> Bool {
    names.bytes(of: symbol).elementsEqual(Self.allSourcesName.utf8)
  }

  /// A name as people type it: U+00A0 is a space, outer spaces do not count.
  static func comparable(_ name: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(name.count)
    for byte in name {
      if byte == 0xA0, result.last == 0xC2 { result[result.count - 1] = 0x20 } else { result.append(byte) }
    }
    let space = UInt8(ascii: " ")
    let start = result.firstIndex { $0 != space } ?? result.endIndex
    let end = result.lastIndex { $0 != space } ?? start - 1
    return Array(result[start..<max(start, end + 1)])
  }
}
