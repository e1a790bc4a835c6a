import HealthModel

/// States of HKCategoryTypeIdentifierSleepAnalysis by raw value; "Asleep" of older exports is `asleepUnspecified`.
package enum SleepState: Int, CaseIterable, Sendable {
  case inBed, asleepUnspecified, awake, asleepCore, asleepDeep, asleepREM

  /// The value's name in an export, and the metric type of its summary rows.
  package var exportName: String {
    switch self {
    case .inBed: "HKCategoryValueSleepAnalysisInBed"
    case .asleepUnspecified: "HKCategoryValueSleepAnalysisAsleepUnspecified"
    case .awake: "HKCategoryValueSleepAnalysisAwake"
    case .asleepCore: "HKCategoryValueSleepAnalysisAsleepCore"
    case .asleepDeep: "HKCategoryValueSleepAnalysisAsleepDeep"
    case .asleepREM: "HKCategoryValueSleepAnalysisAsleepREM"
    }
  }

  package init?(exportName: String) {
    if exportName == "HKCategoryValueSleepAnalysisAsleep" {
      self = .asleepUnspecified
    } else if let state = SleepState.allCases.first(where: { $0.exportName == exportName }) {
      self = state
    } else {
      return nil
    }
  }

  var isStage: Bool { self == .asleepCore || self == .asleepDeep || self == .asleepREM }
  var isAsleep: Bool { isStage || self == .asleepUnspecified }
}

/// Sleep by session (DESIGN §4.3): samples of all sources with gaps of up to an hour, on the local day on which the last
/// one ends. Asleep minutes and stages come from one source per session, the time in bed from another perhaps.
struct SleepFold {
  /// Sessions are apart when more time than this lies between them.
  static let longestGapMicroseconds: Int64 = 3_600_000_000

  /// Rows of a day: all asleep (nil), and each state.
  private struct Key: Hashable {
    var day: Int32
    var state: SleepState?
  }

  private struct Sums {
    var totals = SampleTotals()
    var minutes = RunningSum()
  }

  private let zone: ZoneRules
  private var session: [(sample: FoldSample, state: SleepState, end: Int64)] = []
  private var sessionEnd = Int64.min
  private var sums: [Key: Sums] = [:]

  init(zone: ZoneRules) { self.zone = zone }

  /// Samples come in order of start; a state that is none of the enum's is for the caller to count.
  mutating func add(_ sample: FoldSample, state: SleepState, sources: borrowing SourceSlots) {
    if !session.isEmpty, sample.start > sessionEnd + Self.longestGapMicroseconds { closeSession(sources) }
    let end = sample.coveredEnd
    sessionEnd = session.isEmpty ? end : max(sessionEnd, end)
    session.append((sample, state, end))
  }

  /// Rows of all asleep (nil), and of each state, in order of days.
  mutating func finish(sources: borrowing SourceSlots) -> [(state: SleepState?, rows: [DayRow])] {
    if !session.isEmpty { closeSession(sources) }
    var rows: [SleepState?: [DayRow]] = [:]
    for (key, sums) in sums.sorted(by: { $0.key.day < $1.key.day }) {
      let row = DayRow(day: CivilDay(daysSince1970: key.day), totals: sums.totals, sum: sums.minutes.total)
      rows[key.state, default: []].append(row)
    }
    return rows.map { ($0.key, $0.value) }
  }

  private mutating func closeSession(_ sources: borrowing SourceSlots) {
    let day = zone.localDay(of: Instant(microseconds: sessionEnd)).daysSince1970
    if let slot = sleepSource(sources) {
      add(day: day, slot: slot, as: nil) { $0.isAsleep }
      for state in SleepState.allCases where state != .inBed { add(day: day, slot: slot, as: state) { $0 == state } }
    }
    if let slot = bestSource(sources, where: { $0 == .inBed }) {
      add(day: day, slot: slot, as: .inBed) { $0 == .inBed }
    }
    session.removeAll(keepingCapacity: true)
  }

  /// A source with stages before one that only knows "asleep", before one that only knows "awake"; then by rank.
  private func sleepSource(_ sources: borrowing SourceSlots) -> Int32? {
    bestSource(sources) { $0.isStage } ?? bestSource(sources) { $0.isAsleep }
      ?? bestSource(sources) { $0 == .awake }
  }

  private func bestSource(_ sources: borrowing SourceSlots, where matches: (SleepState) -> Bool) -> Int32? {
    var best: (rank: Int32, slot: Int32)?
    for entry in session where matches(entry.state) {
      let rank = sources.rank(slot: entry.sample.slot, isUserEntered: entry.sample.isUserEntered)
      if rank < best?.rank ?? .max { best = (rank, entry.sample.slot) }
    }
    return best?.slot
  }

  private mutating func add(day: Int32, slot: Int32, as state: SleepState?, where matches: (SleepState) -> Bool) {
    var union = UnionLength()
    var totals = sums[Key(day: day, state: state)] ?? Sums()
    let before = totals.totals.count
    for entry in session where entry.sample.slot == slot && matches(entry.state) {
      union.add(start: entry.sample.start, end: entry.end)
      totals.totals.add(Double(entry.end - entry.sample.start) / 60_000_000)
    }
    guard totals.totals.count > before else { return }
    totals.minutes.add(union.minutes)
    sums[Key(day: day, state: state)] = totals
  }
}
