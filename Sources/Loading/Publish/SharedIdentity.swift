import HealthModel

/// The samples of one type, start and end, staged and in the table: which row of ours is which sample.
///
/// Ranks are counted within an export, so an export that lacks a sample gives those behind it other ids:
///
/// ```
/// table               staged           by id alone               by value
/// 60  id of rank 0    61  of rank 0    60 would become 61,       61 is there already,
/// 61  id of rank 1                     61 would be missing       60 is missing
/// ```
/// Where all that is missing may go, ids decide: the table ends with exactly the export's rows. Where something stays,
/// staged samples take the ids of the rows that hold their values, and the others ids that nobody has.
struct SharedIdentity {
  /// A sample or a row.
  struct Entry: Equatable {
    var id: RowID
    var value: Double?
    /// What stands for the value when there is none (DESIGN §3.3).
    var content = ""
    var source: String
    /// The metadata that names a thing.
    var naming = ""
    /// A live row stands for it.
    var isAside = false

    func isSameValue(as other: Entry) -> Bool {
      SameValue.holds(value, other.value) && (value != nil || content == other.content)
    }
  }

  /// A row of ours.
  struct Row {
    var entry: Entry
    /// It may be removed or overwritten if the export lacks it.
    var mayGo: Bool
    /// The export has no sample of its type, source and day: the source may have another name now.
    var isSourceAbsent = false
  }

  struct Decision: Equatable {
    /// Staged samples that get another id.
    var renumbered: [RowID: RowID] = [:]
    /// Staged samples, by their new id, that a newer export has overruled.
    var superseded: [RowID] = []
    /// Rows of ours whose value is inserted under another id.
    var replaced: [RowID] = []
    /// It depends on the rows that may go.
    var isConditional = false
  }

  var staged: [Entry] = []
  var rows: [Row] = []
  /// Ids of staged samples that a live row has taken over.
  var held: Set<RowID> = []

  func decide(isOlder: Bool) -> Decision {
    let pairs = pairs()
    let lacking = rows.indices.filter { row in !rows[row].entry.isAside && !pairs.contains { $0 == row } }
    let isSettled = !isOlder && held.isEmpty && lacking.allSatisfy { rows[$0].mayGo }
    var decision = isSettled ? byID(pairs) : byValue(pairs, lacking, isOlder: isOlder)
    decision.isConditional = !isOlder && lacking.contains { rows[$0].mayGo }
    return decision
  }

  /// For each staged sample the row that holds it, if there is one: equal values, first with the same source, then under
  /// another source's name. A sample that a live row stands for needs no row, and so takes the place of another source's
  /// only if that may have been renamed.
  private func pairs() -> [Int?] {
    var pairs = [Int?](repeating: nil, count: staged.count)
    var free = Set(rows.indices)
    let passes: [(Entry, Row) -> Bool] = [
      { $0.id == $1.entry.id && $0.source == $1.entry.source },
      { $0.naming == $1.entry.naming && $0.source == $1.entry.source },
      { $0.id == $1.entry.id && !$0.isAside },
      { $0.naming == $1.entry.naming && !$0.isAside },
      { $0.id == $1.entry.id && $1.isSourceAbsent },
    ]
    for pass in passes {
      for (index, sample) in staged.enumerated() where pairs[index] == nil {
        let found = free.filter { pass(sample, rows[$0]) && sample.isSameValue(as: rows[$0].entry) }.min()
        guard let found else { continue }
        pairs[index] = found
        free.remove(found)
      }
    }
    return pairs
  }

  private func byID(_ pairs: [Int?]) -> Decision {
    let stagedIDs = Set(staged.map(\.id))
    let insertedCount = stagedIDs.subtracting(rows.map(\.entry.id)).count
    let leaving = pairs.compactMap { $0.map { rows[$0].entry.id } }.filter { !stagedIDs.contains($0) }
    // What goes beyond that makes room for a value that is dropped: it counts as missing.
    return Decision(replaced: Array(leaving.prefix(insertedCount)))
  }

  private func byValue(_ pairs: [Int?], _ lacking: [Int], isOlder: Bool) -> Decision {
    var decision = Decision()
    var taken = Set(rows.map(\.entry.id)).union(held)
    var lacking = lacking
    for (index, sample) in staged.enumerated() {
      var id = sample.id
      if let row = pairs[index] {
        id = rows[row].entry.id
      } else if !held.contains(id) {
        let overruled = corrected(sample, lacking, isOlder: isOlder)
        lacking.removeAll { $0 == overruled }
        if let overruled, !isOlder {
          id = rows[overruled].entry.id
        } else {
          id = freeID(for: id, taken)
          taken.insert(id)
          if overruled != nil { decision.superseded.append(id) }
        }
      }
      if id != sample.id { decision.renumbered[sample.id] = id }
    }
    return decision
  }

  /// The row that holds another value of this sample, where one of the two overrules the other.
  private func corrected(_ sample: Entry, _ lacking: [Int], isOlder: Bool) -> Int? {
    let candidates = lacking.filter { isOlder || rows[$0].mayGo }
    return candidates.first { rows[$0].entry.id == sample.id }
      ?? candidates.first { rows[$0].entry.source == sample.source && rows[$0].entry.naming == sample.naming }
  }

  /// The id itself, or the first one derived from it that is free. A difference of bits alone, so that such a row is
  /// re-keyed like any other (DESIGN §3.5).
  private func freeID(for id: RowID, _ taken: Set<RowID>) -> RowID {
    if !taken.contains(id) { return id }
    for attempt in 1...UInt64(taken.count) {
      let change = Hash74(
        PostgresHash.hash(attempt, 0, seed: SharedIdentity.seed),
        PostgresHash.hash(attempt, 1, seed: SharedIdentity.seed))
      let derived = RowID(high: id.high ^ change.high12, low: id.low ^ change.low62)
      if !taken.contains(derived) { return derived }
    }
    // More attempts than taken ids: one of them was free.
    preconditionFailure("derived ids repeat")
  }

  private static let seed: UInt64 = 0x6B65_7074
}

/// DESIGN §3.6.
enum SameValue {
  static func holds(_ a: Double?, _ b: Double?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return a == b || abs(a - b) <= 1e-5 * max(abs(a), abs(b))
  }
}
