import HealthModel

/// What the mapper knows of each metric type it has met, found by symbol without hashing, and how often each exported
/// unit occurred.
struct TypeBook {
  struct Entry: BitwiseCopyable {
    let symbol: Symbol
    let kind: MetricKind
    /// The unit of its rows; empty where the catalogue names none.
    let canonicalUnit: Symbol
    let isListed: Bool
    let isSleep: Bool
    let nameLength: Int
    /// The unit of the last sample, and its use in `uses`: nearly always that of the next one, too.
    fileprivate var lastUnit: Symbol
    fileprivate var lastUse: Int
  }

  /// A unit in which samples of a type were exported.
  struct UnitUse: BitwiseCopyable {
    let type: Symbol
    let unit: Symbol
    /// Into the type's canonical unit; nil when that is not possible.
    let conversion: UnitConversion?
    var count = 0
    var firstOffset = Int64.max
  }

  private(set) var entries: [Entry] = []
  private(set) var uses: [UnitUse] = []
  /// Entry of a type by symbol index, -1 where none.
  private var entryIndexes: [Int32] = []
  private var useIndexes: [ExportFacts.TypeUnit: Int] = [:]
  private let table: SymbolTable

  init(_ table: SymbolTable) { self.table = table }

  /// Memory that types and units take, roughly.
  var byteCount: Int { entries.count * MemoryLayout<Entry>.stride + uses.count * 2 * MemoryLayout<UnitUse>.stride }

  mutating func entryIndex(of type: Symbol) -> Int {
    let symbolIndex = Int(type.index)
    if symbolIndex < entryIndexes.count, entryIndexes[symbolIndex] >= 0 { return Int(entryIndexes[symbolIndex]) }
    return addEntry(type)
  }

  private mutating func addEntry(_ type: Symbol) -> Int {
    let name = table.text(of: type)
    let unit = Catalogue.canonicalUnit(ofType: name).map { table.intern($0) } ?? .empty
    while entryIndexes.count <= Int(type.index) { entryIndexes.append(-1) }
    entryIndexes[Int(type.index)] = Int32(entries.count)
    entries.append(
      Entry(
        symbol: type, kind: Catalogue.kind(ofType: name), canonicalUnit: unit,
        isListed: Catalogue.metricType(name) != nil, isSleep: name == "HKCategoryTypeIdentifierSleepAnalysis",
        nameLength: name.utf8.count, lastUnit: .empty, lastUse: -1))
    return entries.count - 1
  }

  /// Index in `uses` of samples of the type at `entry` with this exported unit.
  mutating func useIndex(entry: Int, unit: Symbol) -> Int {
    if entries[entry].lastUse >= 0, entries[entry].lastUnit == unit { return entries[entry].lastUse }
    let key = ExportFacts.TypeUnit(type: entries[entry].symbol, unit: unit)
    let index = useIndexes[key] ?? addUse(key, canonicalUnit: entries[entry].canonicalUnit)
    entries[entry].lastUnit = unit
    entries[entry].lastUse = index
    return index
  }

  /// Of that use: into the type's canonical unit, nil when that is not possible.
  mutating func conversion(entry: Int, unit: Symbol) -> UnitConversion? {
    let index = useIndex(entry: entry, unit: unit)
    return uses[index].conversion
  }

  private mutating func addUse(_ key: ExportFacts.TypeUnit, canonicalUnit: Symbol) -> Int {
    let conversion =
      canonicalUnit == .empty
      ? nil : Catalogue.conversion(from: table.text(of: key.unit), to: table.text(of: canonicalUnit))
    uses.append(UnitUse(type: key.type, unit: key.unit, conversion: conversion))
    useIndexes[key] = uses.count - 1
    return uses.count - 1
  }

  /// Counts a sample of the type and unit of a use.
  mutating func count(use: Int, at offset: Int64) {
    uses[use].count += 1
    uses[use].firstOffset = min(uses[use].firstOffset, offset)
  }

  /// Adds samples per type and unit, and what is unknown to the catalogue, to `facts`.
  func report(to facts: inout ExportFacts) {
    for use in uses where use.count > 0 {
      facts.units[ExportFacts.TypeUnit(type: use.type, unit: use.unit), default: 0] += use.count
      let entry = entries[Int(entryIndexes[Int(use.type.index)])]
      if !entry.isListed {
        facts.problems.add(.unknownType, at: use.firstOffset, count: use.count)
        facts.unknownNames[table.text(of: use.type), default: 0] += use.count
      } else if entry.kind == .quantity, use.conversion == nil {
        facts.problems.add(.unknownUnit, at: use.firstOffset, count: use.count)
      }
    }
  }
}
