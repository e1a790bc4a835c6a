import Foundation
import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// Any order of imports, recomputations and prunings, in any zones (DESIGN §3.2, §3.9, §4.6, §4.7).
///
/// Every sample of a type is another power of two, so a day's sum tells exactly which samples it holds, and what is right
/// can be said without knowing how hk2pg came to it: `SequenceModel`. A few sequences by default, many with HK2PG_SOAK (a
/// number of them, or 300); HK2PG_TEST_SEED repeats one.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct ZoneSequenceTests {
  private typealias F = LoadingFixture

  private static let environment = ProcessInfo.processInfo.environment
  private static let sequences = environment["HK2PG_SOAK"].map { Int($0).map { max($0, 300) } ?? 300 } ?? 5
  private static let zones = [
    F.berlin, "America/New_York", "Asia/Kathmandu", "Pacific/Kiritimati", "Pacific/Pago_Pago",
  ]

  /// Sequences that once went wrong.
  private static let known: [UInt64] = [7_663_542_084_771_348_914]

  @Test func everySampleCountsOnce() throws {
    if let seed = Self.environment["HK2PG_TEST_SEED"].flatMap(UInt64.init) { return try play(seed) }
    var seeds = SplitMix(printing: "everySampleCountsOnce")
    for seed in Self.known + (0..<Self.sequences).map({ _ in seeds.next() }) { try play(seed) }
  }

  private func play(_ seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let fixture = try LoadingFixture()
    var model = SequenceModel(samples: 16, days: 12, fixture: fixture, &random)
    model.log = ["HK2PG_TEST_SEED=\(seed)"]
    // Hours after 13 May 00:00 UTC.
    var newest = 0
    for step in 0..<10 {
      let zone = Self.zones[random.below(Self.zones.count)]
      switch step == 0 ? 0 : random.below(6) {
      case 0, 1, 2:
        newest += 1 + random.below(30)
        // A new phone lacks what came before it.
        let first = random.below(3) == 0 ? random.below(10 * 1440) : 0
        try model.load(zone, hour: newest, window: window(&random)) { $0 >= first }
      case 3:
        let last = random.below(12 * 1440)
        try model.load(zone, hour: -random.below(200), window: window(&random)) { $0 < last }
      case 4: try model.summarize(zone)
      default: try model.prune(today: "2024-06-\(random.below(10) + 10)")
      }
      try model.check()
    }
  }

  private func window(_ random: inout SplitMix) -> Int? { random.below(2) == 0 ? random.below(8) : nil }
}

/// What summaries must hold, from the samples that were imported and the rows that are in the table.
struct SequenceModel {
  private typealias F = LoadingFixture

  /// What a step may do to samples that counted before it.
  private enum Step {
    /// It holds these, and is right about the others.
    case newerExport(minutes: Set<Int>, windowStart: Instant?)
    /// Nothing that counted may go: an older export, `summarize` or `prune`.
    case other
  }

  private static let types = [F.steps, F.heartRate, F.workout]
  private static let firstInstant = F.time("2024-05-01T00:00:00Z")

  private let fixture: LoadingFixture
  /// One sample of each type at each of these minutes after 1 May 00:00 UTC; its value is 2 to the power of its index.
  private let minutes: [Int]
  /// Every row that was imported is in the table.
  private var isWhole = true
  private var zone = ""
  private var step = Step.other
  /// By type, the samples that counted before the step, as bits by day, and the days they were of.
  private var counted: [String: [CivilDay: Int]] = [:]
  private var formerDays: [String: ZoneRules] = [:]
  var log: [String] = []

  init(samples: Int, days: Int, fixture: LoadingFixture, _ random: inout SplitMix) {
    var minutes: [Int] = []
    while minutes.count < samples {
      let minute = random.below(days * 1440)
      if !minutes.contains(minute) { minutes.append(minute) }
    }
    self.minutes = minutes
    self.fixture = fixture
  }

  // MARK: Steps

  /// An export of the samples whose minutes are `kept`, of so many hours after 13 May 00:00 UTC: negative ones are older
  /// than others.
  mutating func load(_ zone: String, hour: Int, window: Int?, kept: (Int) -> Bool) throws {
    var export = F.export(0)
    export.zone = zone
    let date = Instant(seconds: F.time("2024-05-13T00:00:00Z").seconds + Int64(hour) * 3600)
    export.exportDate = date
    export.rows = minutes.enumerated().filter { kept($0.element) }.flatMap {
      rows(index: $0.offset, minute: $0.element)
    }
    log.append("import \(zone) at \(hour) h, \(export.rows.count) rows, window \(window.map(String.init) ?? "none")")
    try fixture.load(window.map { try F.windowed(export, days: $0) } ?? F.summed(export))
    let rules = try F.rules(zone)
    let start = window.map { rules.firstInstant(of: rules.localDay(of: date).advanced(by: -$0)) }
    step = hour > 0 ? .newerExport(minutes: Set(minutes.filter(kept)), windowStart: start) : .other
    if window != nil { isWhole = false }
    self.zone = zone
  }

  mutating func summarize(_ zone: String) throws {
    log.append("summarize \(zone)")
    _ = try fixture.summarize(zone: zone)
    (self.zone, step) = (zone, .other)
  }

  mutating func prune(today: String) throws {
    log.append("prune \(today)")
    if try fixture.prune(today: today).rows > 0 { isWhole = false }
    step = .other
  }

  private func rows(index: Int, minute: Int) -> [ChunkFolderFixture.Row] {
    let start = start(minute)
    return SequenceModel.types.map { type in
      let value = Double(1 << index)
      return ChunkFolderFixture.Row(
        type: type, start: start, end: Instant(seconds: start.seconds + 60),
        value: type == F.workout ? value * 60 : value,
        unit: type == F.steps ? "count" : type == F.workout ? "seconds" : "count/min",
        metadata: type == F.workout ? #"{"workout_type":"HKWorkoutActivityTypeRunning"}"# : nil)
    }
  }

  private func start(_ minute: Int) -> Instant {
    Instant(seconds: SequenceModel.firstInstant.seconds + Int64(minute) * 60)
  }

  // MARK: What is right

  mutating func check() throws {
    let calendar = try SummaryCalendar.read(userID: F.user, fixture.database.connection)
    for type in SequenceModel.types {
      let days = try summaries(type)
      try checkOnce(type, days, calendar)
      if type == F.workout { #expect(try summaries("HKWorkoutActivityTypeRunning") == days, "\(story)") }
      let table = try tableBits(type)
      try checkRows(type, days, table, calendar)
      try checkStep(type, days, calendar)
      counted[type] = days
      formerDays[type] = calendar.rules(of: type, zone: try F.rules(zone))
    }
  }

  private var story: String { log.joined(separator: "; ") }

  /// No sample is on two days, and each is on the day that holds its start.
  private func checkOnce(_ type: String, _ days: [CivilDay: Int], _ calendar: SummaryCalendar) throws {
    let rules = calendar.rules(of: type, zone: try F.rules(zone))
    var seen = 0
    for (day, bits) in days.sorted(by: { $0.key < $1.key }) {
      #expect(seen & bits == 0, "\(type) \(day) holds what another day holds: \(story)")
      seen |= bits
      for (index, minute) in minutes.enumerated() where bits & 1 << index != 0 {
        #expect(rules.localDay(of: start(minute)) == day, "\(type) sample \(index): \(story)")
      }
    }
  }

  /// Where all rows are there, each counts on its local day. Else, one that does not count is of a day whose summary holds
  /// samples that have no row any more: it cannot be taken apart.
  private func checkRows(
    _ type: String, _ days: [CivilDay: Int], _ table: Int, _ calendar: SummaryCalendar
  ) throws {
    let rules = calendar.rules(of: type, zone: try F.rules(zone))
    var expected: [CivilDay: Int] = [:]
    for (index, minute) in minutes.enumerated() where table & 1 << index != 0 {
      let day = rules.localDay(of: start(minute))
      expected[day, default: 0] |= 1 << index
      let bits = days[day] ?? 0
      #expect(
        bits & 1 << index != 0 || bits & ~table != 0, "\(type) sample \(index) is on no day: \(story)")
    }
    if isWhole {
      #expect(days == expected, "\(type): \(story)")
      #expect(calendar.withheld.isEmpty && calendar.zone?.name == zone, "\(story)")
    }
  }

  private func checkStep(_ type: String, _ days: [CivilDay: Int], _ calendar: SummaryCalendar) throws {
    let before = (counted[type] ?? [:]).values.reduce(0, |)
    let all = days.values.reduce(0, |)
    let rules = calendar.rules(of: type, zone: try F.rules(zone))
    switch step {
    case .other: try checkLoss(type, before & ~all)
    case .newerExport(let kept, let windowStart):
      for (index, minute) in minutes.enumerated() where kept.contains(minute) && all & 1 << index == 0 {
        let start = start(minute)
        // A pruned day stays; so do withheld days that an export's summaries cannot replace one by one beside it, and days
        // of which the table's rows, or the pruned ones, make more samples than the export has.
        let isPruned = calendar.pruned.overlaps(type, start..<Instant(seconds: start.seconds + 1))
        let isWithheld = windowStart.map { start < $0 } ?? false
        let day = rules.localDay(of: start)
        let rivals = minutes.filter { kept.contains($0) && rules.localDay(of: self.start($0)) == day }
        let isOutweighed = (days[day] ?? 0).nonzeroBitCount >= rivals.count
        #expect(
          isPruned || isWithheld && (!calendar.pruned.isEmpty || isOutweighed),
          "\(type) sample \(index) of the export is on no day: \(story)")
      }
    }
  }

  /// A summary whose rows are not there gives way only to more samples, those of the rows of its day.
  private func checkLoss(_ type: String, _ lost: Int) throws {
    guard lost != 0, let rules = formerDays[type] else { return }
    let table = try tableBits(type)
    for (day, known) in counted[type] ?? [:] where known & lost != 0 {
      let rows = bits(table).filter { rules.localDay(of: start(minutes[$0])) == day }
      #expect(rows.count > known.nonzeroBitCount, "\(type) \(day) has lost samples \(bits(known & lost)): \(story)")
    }
  }

  private func bits(_ bits: Int) -> [Int] { minutes.indices.filter { bits & 1 << $0 != 0 } }

  // MARK: What is there

  private func summaries(_ type: String) throws -> [CivilDay: Int] {
    var days: [CivilDay: Int] = [:]
    for line in try fixture.sums(type) {
      let fields = line.split(separator: "|")
      let day = try #require(CivilDay(iso8601: String(fields[0])))
      days[day] = Int(try #require(Double(fields[1])))
    }
    return days
  }

  private func tableBits(_ type: String) throws -> Int {
    let unit = type == F.workout ? 60.0 : 1
    return try fixture.database.lines("SELECT value FROM healthkit_metrics WHERE metric_type = '\(type)'")
      .reduce(0) { $0 | Int((Double($1) ?? 0) / unit) }
  }
}
