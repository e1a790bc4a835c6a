import HealthModel

/// Merges repeats and copies among the samples of one second (DESIGN §3.4).
///
/// Samples whose times, source, value and unit agree are *twins*. Twins with equal naming metadata are one sample, a
/// *variant*, however often it occurs. A variant that only occurs inside Correlations and Workouts is a copy of one at
/// top level, whatever metadata either has, if there is one: first of those without a copy of their own.
///
/// ```
/// top level: 95 kcal            naming 0 ──┐ one row with the union of their metadata and
/// in a meal: 95 kcal, apple     naming A ──┘ the naming of the sample at top level
/// ```
struct TwinMatcher {
  /// Samples that are one row: the first of them, with the union of their metadata.
  private struct Variant {
    var record: SampleRecord
    var isAtTop: Bool
    var hasCopy: Bool
    var isMerged = false
  }

  private var variants: [Variant] = []
  private var union: [UInt8] = []
  private var rows: [SampleRecord] = []
  /// The group's own metadata ends here; unions follow.
  private var unionsStart = 0

  /// Replaces the samples of `group`, sorted into `indexes` by `SampleOrder.matching`, by one per row.
  mutating func match(_ indexes: [Int], in group: inout SampleGroup, order: SampleOrder) {
    rows.removeAll(keepingCapacity: true)
    unionsStart = group.payload.count
    var start = 0
    while start < indexes.count {
      var end = start + 1
      while end < indexes.count, order.twins(group.records[indexes[start]], group.records[indexes[end]]) == 0 {
        end += 1
      }
      matchTwins(indexes[start..<end], in: &group, order: order)
      start = end
    }
    swap(&group.records, &rows)
  }

  private mutating func matchTwins(_ indexes: ArraySlice<Int>, in group: inout SampleGroup, order: SampleOrder) {
    variants.removeAll(keepingCapacity: true)
    for index in indexes {
      let record = group.records[index]
      let isCopy = record.flags.contains(.isCopy)
      if let last = variants.last, order.variants(last.record, record, group.payload.span) == 0 {
        variants[variants.count - 1].hasCopy = last.hasCopy || isCopy
        merge(record, into: variants.count - 1, of: &group)
      } else {
        variants.append(Variant(record: record, isAtTop: !isCopy, hasCopy: isCopy))
      }
    }
    if variants.count > 1, variants.contains(where: \.isAtTop) { mergeCopies(in: &group) }
    for variant in variants where !variant.isMerged { rows.append(variant.record) }
  }

  /// Variants are in the order of their naming hashes, which the samples alone decide. Copies without a number may have
  /// the naming of an original whose content differs: these go together first.
  private mutating func mergeCopies(in group: inout SampleGroup) {
    let originals = variants.indices.filter { variants[$0].isAtTop }
    var lonely = originals.filter { !variants[$0].hasCopy }
    var copies = variants.indices.filter { !variants[$0].isAtTop }
    var (restOfLonely, restOfCopies): ([Int], [Int]) = ([], [])
    var (i, j) = (0, 0)
    while i < lonely.count, j < copies.count {
      let (a, b) = (variants[lonely[i]].record.naming, variants[copies[j]].record.naming)
      if a == b { merge(copy: copies[j], into: lonely[i], of: &group) }
      if a < b { restOfLonely.append(lonely[i]) }
      if a > b { restOfCopies.append(copies[j]) }
      if a <= b { i += 1 }
      if a >= b { j += 1 }
    }
    lonely = restOfLonely + lonely[i...]
    copies = restOfCopies + copies[j...]
    for (position, copy) in copies.enumerated() {
      merge(copy: copy, into: position < lonely.count ? lonely[position] : originals[0], of: &group)
    }
  }

  private mutating func merge(copy: Int, into original: Int, of group: inout SampleGroup) {
    merge(variants[copy].record, into: original, of: &group)
    variants[copy].isMerged = true
  }

  /// Adds the metadata of `record` to a variant. Its place in the input becomes the first of both, and it is no copy if
  /// either is none.
  private mutating func merge(_ record: SampleRecord, into index: Int, of group: inout SampleGroup) {
    var merged = variants[index].record
    let isCopy = merged.flags.contains(.isCopy) && record.flags.contains(.isCopy)
    merged.flags.formUnion(record.flags)
    if !isCopy { merged.flags.remove(.isCopy) }
    merged.inputOffset = min(merged.inputOffset, record.inputOffset)
    if group.payload.span.order(merged.payloadRange, record.payloadRange) != 0 {
      union.removeAll(keepingCapacity: true)
      JSONUnion.append(merged.payloadRange, record.payloadRange, of: group.payload.span, to: &union)
      // A union of a union takes its place: many repeats need no more room than their metadata together.
      let old = merged.payloadRange
      if old.lowerBound >= unionsStart, old.upperBound == group.payload.count { group.payload.removeLast(old.count) }
      merged.payloadOffset = UInt32(group.payload.count)
      merged.payloadLength = UInt32(union.count)
      group.payload.append(contentsOf: union)
    }
    variants[index].record = merged
  }
}
