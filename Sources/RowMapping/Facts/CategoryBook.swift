import HealthModel

/// The category value names met so far, found by symbol without hashing.
struct CategoryBook {
  struct Entry: BitwiseCopyable {
    let name: Symbol
    /// nil: a name the catalogue does not know, or whose number Apple has not published.
    let rawValue: Int32?
    var count = 0
    var firstOffset = Int64.max
  }

  private var entries: [Entry] = []
  /// Entry of a name by symbol index, -1 where none.
  private var entryIndexes: [Int32] = []
  private let table: SymbolTable

  init(_ table: SymbolTable) { self.table = table }

  /// The raw integer of an exported value name, which is counted. A name that is a whole number stands for itself.
  mutating func rawValue(of name: Symbol, at offset: Int64) -> Int32? {
    let symbolIndex = Int(name.index)
    if symbolIndex >= entryIndexes.count || entryIndexes[symbolIndex] < 0 { add(name) }
    let index = Int(entryIndexes[symbolIndex])
    entries[index].count += 1
    entries[index].firstOffset = min(entries[index].firstOffset, offset)
    return entries[index].rawValue
  }

  private mutating func add(_ name: Symbol) {
    let text = table.text(of: name)
    let known = Catalogue.categoryValue(exportName: text)?.rawValue.map { Int32($0) }
    while entryIndexes.count <= Int(name.index) { entryIndexes.append(-1) }
    entryIndexes[Int(name.index)] = Int32(entries.count)
    entries.append(Entry(name: name, rawValue: known ?? Int32(text)))
  }

  func report(to facts: inout ExportFacts) {
    for entry in entries {
      facts.categoryNames.updateValue(entry.rawValue.map { Int($0) }, forKey: entry.name)
      if entry.rawValue == nil { facts.problems.add(.unknownCategoryValue, at: entry.firstOffset, count: entry.count) }
    }
  }
}
