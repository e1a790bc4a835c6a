import HealthModel
import Staging
import Testing

@testable import Loading

/// Decisions that need no database.
struct LoadPlanTests {
  private let steps = Symbol(index: 1)
  private let workout = Symbol(index: 2)
  private let watch = Symbol(index: 10)
  private let phone = Symbol(index: 11)

  private func day(_ number: Int32) -> CivilDay { CivilDay(daysSince1970: 19_000 + number) }
  private func key(_ type: Symbol, _ source: Symbol, _ number: Int32) -> GroupKey {
    GroupKey(type: type, source: source, day: day(number))
  }

  private func plan(
    _ staged: StagedGroups, _ table: [GroupKey: TableGroup], _ conditions: LoadPlan.Conditions = .init()
  ) -> LoadPlan {
    LoadPlan(staged: staged, table: TableGroups(groups: table), conditions) { $0 == workout }
  }

  @Test func equalGroupsAreLeftAlone() {
    let plan = plan(
      [key(steps, watch, 1): .init(count: 3, fingerprint: 7), key(steps, watch, 2): .init(count: 1, fingerprint: 8)],
      [
        key(steps, watch, 1): .init(ours: 3, fingerprint: 7), key(steps, watch, 2): .init(ours: 1, fingerprint: 9),
      ])
    #expect(plan.days == [steps: .listed([day(2)])])
    #expect((plan.unchangedRows, plan.selectedRows, plan.selectedTableRows) == (3, 1, 1))
    #expect(plan.tableRows == 4)
  }

  @Test func aDayIsTakenWithAllItsSources() {
    let plan = plan(
      [key(steps, watch, 1): .init(count: 3, fingerprint: 7), key(steps, phone, 1): .init(count: 2, fingerprint: 5)],
      [key(steps, watch, 1): .init(ours: 3, fingerprint: 7)])
    #expect(plan.days == [steps: .listed([day(1)])])
    #expect(plan.selectedRows == 5)
    #expect(plan.groups[key(steps, watch, 1)].map { [$0.staged, $0.table] } == [3, 3])
    #expect(plan.groups[key(steps, phone, 1)].map { [$0.staged, $0.table] } == [2, 0])
  }

  @Test func anEmptyTableTakesEverything() {
    let plan = plan([key(steps, watch, 1): .init(count: 3, fingerprint: 7)], [:])
    #expect(plan.days == [steps: .all])
    #expect(plan.selectedRows == 3)
  }

  @Test func typesWithContentAreAlwaysCompared() {
    let plan = plan(
      [key(workout, watch, 1): .init(count: 3, fingerprint: 7)],
      [
        key(workout, watch, 1): .init(ours: 3, fingerprint: 7), key(workout, watch, 5): .init(ours: 2, fingerprint: 1),
        key(steps, watch, 1): .init(ours: 4, fingerprint: 1),
      ])
    #expect(plan.days == [workout: .all])
    #expect(plan.keptRows == 4)
    #expect(
      plan.selectedDays(
        staged: [key(workout, watch, 1): .init(count: 3, fingerprint: 7)], table: TableGroups(groups: [:]))
        == [workout: [day(1), day(5)]])
  }

  @Test func rowsOfOthersBesideStagedOnesAreCompared() {
    let staged: StagedGroups = [
      key(steps, watch, 1): .init(count: 3, fingerprint: 7), key(steps, watch, 2): .init(count: 1, fingerprint: 8),
    ]
    let table = [
      key(steps, watch, 1): TableGroup(ours: 3, fingerprint: 7),
      key(steps, watch, 2): TableGroup(ours: 1, fingerprint: 8),
      key(steps, phone, 1): TableGroup(others: 1, spillsOver: true), key(steps, phone, 9): TableGroup(others: 4),
    ]
    let plan = plan(staged, table)
    #expect(plan.days == [steps: .listed([day(1), day(2)])])
    #expect(plan.selectedDays(staged: staged, table: TableGroups(groups: table)) == [steps: [day(1), day(2)]])
  }

  @Test func missingGroupsAreLookedAtOnlyToRemoveThem() {
    let staged: StagedGroups = [key(steps, watch, 1): .init(count: 3, fingerprint: 7)]
    let table = [
      key(steps, watch, 1): TableGroup(ours: 3, fingerprint: 7),
      key(steps, phone, 4): TableGroup(ours: 6, fingerprint: 2),
    ]
    #expect(plan(staged, table).isEmpty)
    #expect(plan(staged, table).keptRows == 6)
    let removing = plan(staged, table, .init(removesAllMissing: true))
    #expect(removing.days == [steps: .listed([day(4)])])
    #expect(removing.keptRows == 0)
  }

  @Test func prunedDaysWithoutRowsAreWithheldUnseen() throws {
    let staged: StagedGroups = [
      key(steps, watch, 1): .init(count: 3, fingerprint: 7), key(steps, phone, 1): .init(count: 2, fingerprint: 1),
      key(steps, watch, 2): .init(count: 5, fingerprint: 8), key(steps, watch, 3): .init(count: 4, fingerprint: 9),
    ]
    // A row stayed on day 2, so that day is compared; day 3 was not pruned.
    let table = [key(steps, phone, 2): TableGroup(ours: 1, fingerprint: 2)]
    let pruned = LoadPlan.Conditions(prunedDays: [steps: [day(1), day(2)]], hasPrunedDays: true)
    let plan = plan(staged, table, pruned)
    #expect(plan.days == [steps: .listed([day(2), day(3)])])
    #expect((plan.withheldRows, plan.selectedRows, plan.unchangedRows) == (5, 9, 0))
    // The same when no row is left at all.
    let empty = self.plan(staged, [:], pruned)
    #expect((empty.withheldRows, empty.selectedRows) == (10, 4))
    let resumed = try #require(
      empty.adopting([steps: [day(3)]], staged: staged, table: TableGroups(groups: [:])))
    #expect((resumed.withheldRows, resumed.selectedRows) == (10, 4))
    // Other rules made the rows: everything is looked at.
    #expect(self.plan(staged, table, .init(comparesEverything: true, prunedDays: [steps: [day(1)]])).withheldRows == 0)
  }

  @Test func aBrokenLoadsSelectionIsTakenOverIfItCoversTheNewOne() throws {
    let staged: StagedGroups = [
      key(steps, watch, 1): .init(count: 3, fingerprint: 7), key(steps, watch, 2): .init(count: 1, fingerprint: 8),
    ]
    let table = TableGroups(groups: [
      key(steps, watch, 1): .init(ours: 3, fingerprint: 7), key(steps, watch, 2): .init(ours: 1, fingerprint: 9),
    ])
    let plan = plan(staged, table.groups)
    let wider = try #require(plan.adopting([steps: [day(1), day(2)]], staged: staged, table: table))
    #expect((wider.selectedRows, wider.unchangedRows) == (4, 0))
    #expect(plan.adopting([steps: [day(1)]], staged: staged, table: table) == nil)
    #expect(plan.adopting([:], staged: staged, table: table) == nil)
  }
}

struct RemovalRuleTests {
  private func rule(
    _ mode: MissingRows = .automatic, isForced: Bool = false, isOlder: Bool = false, isSalvaged: Bool = false
  ) -> RemovalRule {
    RemovalRule(mode: mode, isForced: isForced, isOlder: isOlder, isSalvaged: isSalvaged)
  }

  private let type = RemovalRule.Candidates(
    metricType: "t", tableRows: 100, inFullGroups: 5, inThinGroups: 2, inAbsentGroups: 3)

  @Test func automaticRemovesFromFullGroupsUpToFivePercent() {
    let verdict = rule().verdict(on: [type])
    #expect(verdict.removedTypes == ["t"])
    #expect(verdict.kept == kept(absent: 3, thin: 2))
    var more = type
    more.inFullGroups = 6
    let spared = rule().verdict(on: [more])
    #expect(spared.removedTypes.isEmpty)
    #expect(spared.kept.overFivePercent == 6)
    #expect(rule(isForced: true).verdict(on: [more]).removedTypes == ["t"])
  }

  @Test func removeTakesAllOrFails() {
    let refused = rule(.remove).verdict(on: [type])
    #expect(refused.refused == [TypeLoss(metricType: "t", rows: 100, lost: 10)])
    #expect(rule(.remove, isForced: true).verdict(on: [type]).removedTypes == ["t"])
  }

  @Test func nothingGoesWhenNotAsked() {
    for off in [rule(.keep), rule(.remove, isForced: true, isSalvaged: true)] {
      let verdict = off.verdict(on: [type])
      #expect(verdict.removedTypes.isEmpty && verdict.refused.isEmpty)
      #expect(verdict.kept.notAsked == 10)
    }
    #expect(rule(.remove, isForced: true, isOlder: true).verdict(on: [type]) == RemovalRule.Verdict())
  }

  private func kept(absent: Int, thin: Int) -> LoadOutcome.KeptMissing {
    var kept = LoadOutcome.KeptMissing()
    kept.groupNotInExport = absent
    kept.underHalf = thin
    return kept
  }
}

struct PlacementTests {
  @Test(
    arguments: [
      ([0, 1, 2], [], [0, 1, 2]),
      ([0, 1, 2], [0], [1, 2, 3]),
      ([0, 1, 2], [1], [0, 2, 3]),
      // A staged sample that stands aside leaves its place free; the others stay.
      ([1, 2], [], [1, 2]),
      ([1, 2], [0, 1, 3], [2, 4]),
      ([5], [0], [5]),
      ([], [0], []),
    ] as [([Int], Set<Int>, [Int])])
  func theNextFreeMicrosecond(_ wanted: [Int], _ held: Set<Int>, _ expected: [Int]) {
    #expect(Placement.offsets(wanted: wanted, held: held) == expected)
  }

  @Test func aFullSecondHasNoPlace() {
    #expect(Placement.offsets(wanted: [999_999], held: [999_999]) == nil)
  }
}

struct AlwaysComparedTests {
  @Test(arguments: [
    ("HKActivitySummaryTypeIdentifier", true), ("HKWorkoutTypeIdentifier", true),
    ("HKWorkoutRouteTypeIdentifier", true),
    ("HKCorrelationTypeIdentifierFood", true), ("HKDataTypeIdentifierElectrocardiogram", true),
    ("HKDataTypeIdentifierAudiogram", true), ("HKVisionPrescriptionTypeIdentifier", true),
    ("HKClinicalTypeIdentifierAllergyRecord", true), ("SomethingNew", true),
    ("HKQuantityTypeIdentifierStepCount", false), ("HKCategoryTypeIdentifierSleepAnalysis", false),
    ("HKQuantityTypeIdentifierOfTheFuture", false),
  ]) func byKind(_ type: String, _ expected: Bool) { #expect(AlwaysCompared.contains(type) == expected) }
}

struct MemorySettingsTests {
  @Test func smallServersKeepTheirOwnAndLargeOnesGetMore() {
    let megabyte = 1 << 20
    let small = MemorySettings(
      cacheBytes: 384 * megabyte, maintenanceBytes: 32 * megabyte, workBytes: 2 * megabyte)
    #expect((small.maintenance, small.work) == ("32768kB", "6144kB"))
    let large = MemorySettings(cacheBytes: 64 << 30, maintenanceBytes: 64 * megabyte, workBytes: 4 * megabyte)
    #expect((large.maintenance, large.work) == ("524288kB", "131072kB"))
  }
}
