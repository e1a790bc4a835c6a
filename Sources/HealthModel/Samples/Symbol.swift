import BoundedQueues

/// A short string that occurs in many records (type, source, unit, activity), as a number: equal strings, equal
/// symbols, within one run. The numbers depend on the order of arrival, so nothing that is written may be ordered by
/// them; order by `SymbolTable.bytes(of:)`.
package struct Symbol: Hashable, BitwiseCopyable, Sendable {
  package var index: UInt32
  package init(index: UInt32) { self.index = index }

  /// The empty string, also for "absent".
  package static let empty = Symbol(index: 0)
}

/// All symbols of one run, shared by the parser workers. Each worker puts a `SymbolCache` before it, so the lock is
/// taken once per worker and string, not once per record.
package final class SymbolTable: Sendable {
  private struct State {
    var bytes: [[UInt8]] = [[]]
    var indexes: [[UInt8]: UInt32] = [[]: 0]
    var byteCount = 0
  }
  private let state = Guarded(State())

  package init() {}

  package func intern(_ bytes: [UInt8]) -> Symbol {
    state.withLock { state in
      if let index = state.indexes[bytes] { return Symbol(index: index) }
      let index = UInt32(state.bytes.count)
      state.bytes.append(bytes)
      state.indexes[bytes] = index
      state.byteCount += bytes.count + SymbolTable.bytesPerSymbol
      return Symbol(index: index)
    }
  }

  package func intern(_ text: String) -> Symbol { intern(Array(text.utf8)) }

  package func bytes(of symbol: Symbol) -> [UInt8] { state.withLock { $0.bytes[Int(symbol.index)] } }

  package func text(of symbol: Symbol) -> String { String(decoding: bytes(of: symbol), as: UTF8.self) }

  package var count: Int { state.withLock { $0.bytes.count } }

  /// About what a string costs beside its bytes, here and in a `SymbolCache`.
  private static let bytesPerSymbol = 200

  /// Memory that the strings take, roughly: an export may name any number of things.
  package var byteCount: Int { state.withLock { $0.byteCount } }

  /// Every string so far, indexed by symbol: for stages that start when parsing has ended.
  package func snapshot() -> [[UInt8]] { state.withLock { $0.bytes } }
}

/// One worker's lock-free way into a `SymbolTable`: open addressing over a copy of the bytes. No allocation for a
/// string that was seen before.
package struct SymbolCache {
  fileprivate struct Slot: BitwiseCopyable {
    var hash: UInt64
    var offset: Int
    var length: Int
    var symbol: Symbol
  }
  private let table: SymbolTable
  private var slots: [Slot]
  private var count = 0
  private var storage: [UInt8] = []

  package init(_ table: SymbolTable) {
    self.table = table
    self.slots = Array(repeating: Slot(hash: 0, offset: 0, length: 0, symbol: .empty), count: 512)
  }

  /// The string that was last looked up for one purpose, the type of a record for instance: nearly always the next one,
  /// too, and then one comparison finds its symbol.
  package struct Recent: BitwiseCopyable {
    fileprivate var slot = Slot(hash: 0, offset: 0, length: 0, symbol: .empty)
    package init() {}
  }

  package mutating func symbol(for range: Range<Int>, of bytes: Span<UInt8>, recent: inout Recent) -> Symbol {
    if range.count == recent.slot.length, isEqual(recent.slot, range, bytes) { return recent.slot.symbol }
    if range.isEmpty { return .empty }
    recent.slot = slot(for: range, of: bytes)
    return recent.slot.symbol
  }

  /// The symbol of `bytes[range]`.
  package mutating func symbol(for range: Range<Int>, of bytes: Span<UInt8>) -> Symbol {
    range.isEmpty ? .empty : slot(for: range, of: bytes).symbol
  }

  private mutating func slot(for range: Range<Int>, of bytes: Span<UInt8>) -> Slot {
    let hash = SymbolCache.hash(range, of: bytes)
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while slots[index].symbol != .empty {
      let slot = slots[index]
      if slot.hash == hash && slot.length == range.count && isEqual(slot, range, bytes) { return slot }
      index = (index + 1) & mask
    }
    return insert(range, of: bytes, hash: hash)
  }

  private func isEqual(_ slot: Slot, _ range: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    let stored = storage.span
    guard range.count >= 8 else {
      for i in 0..<range.count where stored[slot.offset + i] != bytes[range.lowerBound + i] { return false }
      return true
    }
    var i = 0
    while true {
      let (a, b) = unsafe (stored.bytes.loadWord(at: slot.offset + i), bytes.bytes.loadWord(at: range.lowerBound + i))
      if a != b { return false }
      if i == range.count - 8 { return true }
      // The last eight bytes overlap those before.
      i = min(i + 8, range.count - 8)
    }
  }

  private mutating func insert(_ range: Range<Int>, of bytes: Span<UInt8>, hash: UInt64) -> Slot {
    if (count + 1) * 2 > slots.count { grow() }
    let offset = storage.count
    for i in range { storage.append(bytes[i]) }
    let symbol = table.intern(Array(storage[offset...]))
    let slot = Slot(hash: hash, offset: offset, length: range.count, symbol: symbol)
    place(slot)
    count += 1
    return slot
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(hash: 0, offset: 0, length: 0, symbol: .empty), count: old.count * 2)
    for slot in old where slot.symbol != .empty { place(slot) }
  }

  private mutating func place(_ slot: Slot) {
    var index = Int(truncatingIfNeeded: slot.hash) & (slots.count - 1)
    while slots[index].symbol != .empty { index = (index + 1) & (slots.count - 1) }
    slots[index] = slot
  }

  /// Eight bytes a step, multiply and fold: only for this table, never stored.
  private static func hash(_ range: Range<Int>, of bytes: Span<UInt8>) -> UInt64 {
    var hash = UInt64(truncatingIfNeeded: range.count) &* 0x9E37_79B9_7F4A_7C15
    var i = range.lowerBound
    while i + 8 <= range.upperBound {
      hash = mix(hash ^ (unsafe bytes.bytes.loadWord(at: i)))
      i += 8
    }
    if i == range.upperBound { return mix(hash) }
    // The last eight bytes overlap those before; a short string has none to overlap.
    if range.count >= 8 { return mix(hash ^ (unsafe bytes.bytes.loadWord(at: range.upperBound - 8))) }
    var tail: UInt64 = 0
    while i < range.upperBound {
      tail = tail << 8 | UInt64(bytes[i])
      i += 1
    }
    return mix(hash ^ tail)
  }

  private static func mix(_ x: UInt64) -> UInt64 {
    let (high, low) = x.multipliedFullWidth(by: 0x9FB2_1C65_1E98_DF25)
    return high ^ low
  }
}

extension RawSpan {
  /// Eight bytes from `offset` in the machine's order; bounds are checked.
  @inlinable package func loadWord(at offset: Int) -> UInt64 {
    unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }
}

extension Span<UInt8> {
  /// Eight bytes from `offset` as a little-endian number; bounds are checked.
  @inlinable package func word(at offset: Int) -> UInt64 {
    // `bytes` is only marked unsafe because elements may have padding; bytes have none.
    unsafe UInt64(littleEndian: bytes.loadWord(at: offset))
  }
}
