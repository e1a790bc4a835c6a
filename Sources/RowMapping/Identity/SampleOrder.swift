import HealthModel

/// Orders in which the samples of one second are compared: negative, zero or positive. Strings go by their bytes.
struct SampleOrder {
  private let symbols: [[UInt8]]

  init(symbols: [[UInt8]]) { self.symbols = symbols }

  enum Criterion { case matching, identity }

  /// Puts the indexes of the group's records into `indexes`, in order. Nearly all groups have a handful of records.
  func sort(_ indexes: inout [Int], of group: borrowing SampleGroup, by criterion: Criterion) {
    let records = group.records.span
    let payload = group.payload.span
    func precedes(_ a: Int, _ b: Int) -> Bool {
      switch criterion {
      case .matching: matching(records[a], records[b], payload) < 0
      case .identity: identity(records[a], records[b], payload) < 0
      }
    }
    indexes.removeAll(keepingCapacity: true)
    indexes.append(contentsOf: 0..<records.count)
    guard indexes.count <= 12 else { return indexes.sort(by: precedes) }
    for i in 1..<max(indexes.count, 1) {
      var j = i
      while j > 0, precedes(indexes[j], indexes[j - 1]) {
        indexes.swapAt(j, j - 1)
        j -= 1
      }
    }
  }

  /// Samples that can be one row are neighbours: those with equal `twins`, then equal naming and content, then those at
  /// top level before copies, then by metadata so that what is merged first does not depend on the file's order.
  func matching(_ a: SampleRecord, _ b: SampleRecord, _ payload: Span<UInt8>) -> Int {
    let twins = twins(a, b)
    if twins != 0 { return twins }
    let variants = variants(a, b, payload)
    if variants != 0 { return variants }
    let (aIsCopy, bIsCopy) = (a.flags.contains(.isCopy), b.flags.contains(.isCopy))
    if aIsCopy != bIsCopy { return aIsCopy ? 1 : -1 }
    let metadata = payload.order(a.payloadRange, b.payloadRange)
    if metadata != 0 { return metadata }
    // Of equal samples one must be chosen: zero has two signs, and user entry is a flag of its own.
    return compare(a.value.bitPattern, b.value.bitPattern) ?? compare(a.flags.rawValue, b.flags.rawValue) ?? 0
  }

  /// 0: type, start, end, source, exported value and unit agree; one may be a copy of the other.
  func twins(_ a: SampleRecord, _ b: SampleRecord) -> Int {
    compare(a.start, b.start) ?? compare(a.end, b.end) ?? compareValues(a, b) ?? compare(a.source, b.source)
      ?? compare(a.exportedUnit, b.exportedUnit) ?? compare(a.subtype, b.subtype) ?? 0
  }

  /// 0: the metadata that names a thing agrees, and without a number the content.
  func variants(_ a: SampleRecord, _ b: SampleRecord, _ payload: Span<UInt8>) -> Int {
    if let order = compare(a.naming, b.naming) { return order }
    return a.flags.contains(.hasValue) ? comparePoints(a, b, payload) : payload.order(a.payloadRange, b.payloadRange)
  }

  /// The number of a route only counts its points: routes are the same when the digests of their points are.
  private func comparePoints(_ a: SampleRecord, _ b: SampleRecord, _ payload: Span<UInt8>) -> Int {
    let withPoints: SampleRecord.Flags = [.hasSideFile, .hasInlinePoints]
    if a.flags.isDisjoint(with: withPoints) || b.flags.isDisjoint(with: withPoints) { return 0 }
    let digests = [a, b].map { SideFileMetadata.digestRange($0.payloadRange, in: payload) }
    return payload.order(digests[0], digests[1])
  }

  /// Identity, then value (or content), then source name, then what else tells rows apart (DESIGN §3.3).
  func identity(_ a: SampleRecord, _ b: SampleRecord, _ payload: Span<UInt8>) -> Int {
    let value =
      compare(a.start, b.start) ?? compare(a.end, b.end) ?? compare(a.naming, b.naming) ?? compareValues(a, b)
    if let value { return value }
    if !a.flags.contains(.hasValue) {
      if let subtype = compare(a.subtype, b.subtype) { return subtype }
      let content = payload.order(a.payloadRange, b.payloadRange)
      if content != 0 { return content }
    }
    return compare(a.source, b.source) ?? compare(a.exportedUnit, b.exportedUnit) ?? compare(a.subtype, b.subtype)
      ?? comparePoints(a, b, payload)
  }

  static func isSameIdentity(_ a: SampleRecord, _ b: SampleRecord) -> Bool {
    a.start == b.start && a.end == b.end && a.naming == b.naming
  }

  /// Numbers before none.
  private func compareValues(_ a: SampleRecord, _ b: SampleRecord) -> Int? {
    let (aHasValue, bHasValue) = (a.flags.contains(.hasValue), b.flags.contains(.hasValue))
    if aHasValue != bHasValue { return aHasValue ? -1 : 1 }
    return aHasValue && a.value != b.value ? (a.value < b.value ? -1 : 1) : nil
  }

  private func compare(_ a: Symbol, _ b: Symbol) -> Int? {
    if a == b { return nil }
    return symbols[Int(a.index)].lexicographicallyPrecedes(symbols[Int(b.index)]) ? -1 : 1
  }

  private func compare<T: Comparable>(_ a: T, _ b: T) -> Int? { a == b ? nil : a < b ? -1 : 1 }
}
