import HealthModel
import PostgresClient
import TestSupport
import Testing

@testable import Loading
@testable import Staging

/// What a stage may leave out must be what a load would not look at.
struct KnownDaysTests {
  private let symbols = SymbolTable()

  private func day(_ number: Int32) -> CivilDay { CivilDay(daysSince1970: 19_000 + number) }

  private func key(_ type: String, _ source: String, _ number: Int32) -> GroupKey {
    GroupKey(type: symbols.intern(type), source: symbols.intern(source), day: day(number))
  }

  private func holds(
    _ table: [GroupKey: TableGroup], _ type: String, _ number: Int32,
    _ staged: [(source: String, count: Int32, fingerprint: UInt64)]
  ) -> Bool {
    let names = SymbolTable()
    let groups = staged.map {
      GroupFingerprints.Group(
        day: day(number), source: names.intern($0.source), rowCount: $0.count, fingerprint: $0.fingerprint)
    }
    let known = KnownDays(TableGroups(groups: table), names: symbols.snapshot())
    return known.ofType(Array(type.utf8))?.holds(groups[...], on: day(number), symbols: names.snapshot()) ?? false
  }

  @Test func aDayIsHeldWhenAllSourcesAreTheSame() {
    let steps = LoadingFixture.steps
    let table: [GroupKey: TableGroup] = [
      key(steps, "Watch", 1): .init(ours: 3, fingerprint: 7), key(steps, "Phone", 1): .init(ours: 2, fingerprint: -1),
    ]
    #expect(holds(table, steps, 1, [("Watch", 3, 7), ("Phone", 2, .max)]))
    #expect(holds(table, steps, 1, [("Phone", 2, .max), ("Watch", 3, 7)]))
    #expect(!holds(table, steps, 1, [("Watch", 3, 7)]), "a source less")
    #expect(!holds(table, steps, 1, [("Watch", 3, 7), ("Phone", 2, .max), ("Ring", 1, 1)]), "a source more")
    #expect(!holds(table, steps, 1, [("Watch", 3, 8), ("Phone", 2, .max)]), "another value")
    #expect(!holds(table, steps, 1, [("Watch", 4, 7), ("Phone", 2, .max)]), "another number")
    #expect(!holds(table, steps, 1, [("Ring", 3, 7), ("Phone", 2, .max)]), "another source")
    #expect(!holds(table, steps, 2, [("Watch", 3, 7), ("Phone", 2, .max)]), "another day")
    #expect(!holds(table, LoadingFixture.heartRate, 1, [("Watch", 3, 7), ("Phone", 2, .max)]), "another type")
  }

  @Test func rowsOfOtherProgramsKeepADayFromBeingHeld() {
    let steps = LoadingFixture.steps
    let table: [GroupKey: TableGroup] = [
      key(steps, "Watch", 1): .init(ours: 3, fingerprint: 7),
      key(steps, "App", 1): .init(others: 1, spillsOver: true),
      key(steps, "Watch", 2): .init(ours: 3, fingerprint: 7),
      key(steps, "Watch", 3): .init(ours: 3, fingerprint: 7),
    ]
    #expect(!holds(table, steps, 1, [("Watch", 3, 7)]))
    #expect(!holds(table, steps, 2, [("Watch", 3, 7)]), "an hourly row of the day before reaches into it")
    #expect(holds(table, steps, 3, [("Watch", 3, 7)]))
  }

  @Test func typesWhoseContentMayChangeAreNeverHeld() {
    for type in ["HKWorkoutTypeIdentifier", "HKActivitySummaryTypeIdentifier", "SomethingUnheardOf"] {
      #expect(!holds([key(type, "Watch", 1): .init(ours: 3, fingerprint: 7)], type, 1, [("Watch", 3, 7)]), "\(type)")
    }
    let sleep = "HKCategoryTypeIdentifierSleepAnalysis"
    #expect(holds([key(sleep, "Watch", 1): .init(ours: 3, fingerprint: 7)], sleep, 1, [("Watch", 3, 7)]))
  }

  @Test func aLoadSelectsNoDayThatIsHeld() {
    var random = SplitMix(printing: "KnownDaysTests")
    let types = [LoadingFixture.steps, LoadingFixture.heartRate, "HKWorkoutTypeIdentifier"]
    var heldCount = 0
    for _ in 0..<300 {
      var (table, staged): ([GroupKey: TableGroup], StagedGroups) = ([:], [:])
      for type in types {
        for number in Int32(0)..<4 {
          for source in ["Watch", "Phone"] where Bool.random(using: &random) {
            let key = key(type, source, number)
            let group = StagedGroup(count: .random(in: 1...2, using: &random), fingerprint: .random(in: 1...2))
            if Int.random(in: 0..<8, using: &random) > 0 { staged[key] = group }
            if Int.random(in: 0..<8, using: &random) > 0 {
              table[key] = TableGroup(ours: group.count, fingerprint: group.fingerprint)
            }
            if Int.random(in: 0..<8, using: &random) == 0 { table[key, default: TableGroup()].fingerprint = 3 }
            if Int.random(in: 0..<8, using: &random) == 0 {
              table[key, default: TableGroup()].others = 1
              table[key]?.spillsOver = .random(using: &random)
            }
          }
        }
      }
      let names = symbols.snapshot()
      let plan = LoadPlan(
        staged: staged, table: TableGroups(groups: table), .init(removesAllMissing: .random(using: &random)),
        isAlwaysCompared: { AlwaysCompared.contains(String(decoding: names[Int($0.index)], as: UTF8.self)) })
      for (key, _) in staged where plan.isSelected(key) {
        let ofDay = staged.filter { $0.key.type == key.type && $0.key.day == key.day }.map {
          GroupFingerprints.Group(
            day: key.day, source: $0.key.source, rowCount: Int32($0.value.count),
            fingerprint: UInt64(bitPattern: $0.value.fingerprint))
        }
        let known = KnownDays(TableGroups(groups: table), names: names).ofType(names[Int(key.type.index)])
        #expect(known?.holds(ofDay[...], on: key.day, symbols: names) != true, "HK2PG_TEST_SEED=\(random.seed)")
      }
      heldCount += staged.keys.count { !plan.isSelected($0) }
    }
    #expect(heldCount > 100)
  }
}
