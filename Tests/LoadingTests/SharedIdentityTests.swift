import HealthModel
import Testing

@testable import Loading

/// Samples of one type, start and end that are no longer ranked as they were.
struct SharedIdentityTests {
  private typealias Entry = SharedIdentity.Entry

  private func id(_ rank: UInt64) -> RowID { RowID(high: 0x8000 | rank, low: 0x8000_0000_0000_0000 | rank) }

  /// Values in the order of their ranks.
  private func identity(
    table: [(Double?, String)], staged: [(Double?, String)], mayGo: Bool = false
  ) -> SharedIdentity {
    func entries(_ list: [(Double?, String)]) -> [Entry] {
      list.enumerated().map { Entry(id: id(UInt64($0)), value: $1.0, source: $1.1) }
    }
    var identity = SharedIdentity()
    identity.rows = entries(table).map { .init(entry: $0, mayGo: mayGo) }
    identity.staged = entries(staged)
    return identity
  }

  @Test func aValueThatIsThereKeepsItsRow() {
    let decision = identity(table: [(60, "a"), (61, "a")], staged: [(61, "a")]).decide(isOlder: false)
    #expect(decision == .init(renumbered: [id(0): id(1)]))
  }

  @Test func whereAllThatIsMissingMayGoIdsDecide() {
    let decision = identity(table: [(60, "a"), (61, "a")], staged: [(61, "a")], mayGo: true).decide(isOlder: false)
    #expect(decision == .init(isConditional: true))
  }

  @Test func aNewValueBesideAKeptOneGetsAnIDOfItsOwn() throws {
    let decision = identity(table: [(60, "a")], staged: [(62, "a")]).decide(isOlder: false)
    let given = try #require(decision.renumbered[id(0)])
    #expect(decision.renumbered.count == 1)
    #expect(given != id(0))
    #expect(given.isOurs)
    // The same time in front, so that index writes stay local.
    #expect(given.high >> 16 == id(0).high >> 16)
    // Another user's differs by the same bits (DESIGN §3.5).
    let (anna, ben) = (UserKey(userID: "anna"), UserKey(userID: "ben"))
    var other = SharedIdentity()
    other.rows = [.init(entry: Entry(id: id(0).rekeyed(from: anna, to: ben), value: 60, source: "a"), mayGo: false)]
    other.staged = [Entry(id: id(0).rekeyed(from: anna, to: ben), value: 62, source: "a")]
    #expect(other.decide(isOlder: false).renumbered.values.first == given.rekeyed(from: anna, to: ben))
  }

  @Test func derivedIDsThatAreTakenArePassedOver() throws {
    var identity = identity(table: [(60, "a")], staged: [(62, "a")])
    let first = try #require(identity.decide(isOlder: false).renumbered[id(0)])
    identity.rows.append(.init(entry: Entry(id: first, value: 62, source: "a"), mayGo: false))
    identity.staged[0].value = 63
    let second = try #require(identity.decide(isOlder: false).renumbered[id(0)])
    #expect(![id(0), first].contains(second))
    // Once it is there, it is found by its value.
    identity.rows.append(.init(entry: Entry(id: second, value: 63, source: "a"), mayGo: false))
    #expect(identity.decide(isOlder: false).renumbered == [id(0): second])
  }

  @Test func aRowUnderADerivedIDIsReplacedByAWholeExport() {
    var identity = identity(table: [(61, "a")], staged: [(60, "a"), (61, "a")])
    identity.rows.append(.init(entry: Entry(id: id(9), value: 60, source: "a"), mayGo: false))
    #expect(identity.decide(isOlder: false) == .init(replaced: [id(9)]))
  }

  @Test func aRowThatMakesRoomForADroppedValueIsMissing() {
    // 60 goes, 62 moves into its row.
    var identity = identity(table: [(60, "a")], staged: [(62, "a")], mayGo: true)
    identity.rows.append(.init(entry: Entry(id: id(9), value: 62, source: "a"), mayGo: true))
    #expect(identity.decide(isOlder: false) == .init(isConditional: true))
  }

  @Test func equalValuesGoToTheirOwnSources() {
    let decision = identity(table: [(60, "Watch"), (60, "iPhone")], staged: [(60, "iPhone")]).decide(isOlder: false)
    #expect(decision == .init(renumbered: [id(0): id(1)]))
  }

  @Test func aRenamedSourceKeepsItsRows() {
    let decision = identity(table: [(60, "a"), (61, "b")], staged: [(60, "c"), (61, "d")]).decide(isOlder: false)
    #expect(decision == .init())
  }

  @Test func ofTwoSourcesTheAbsentOneStaysAndTheOtherIsCorrected() {
    var identity = identity(table: [(61, "iPhone"), (65, "Watch")], staged: [(62, "Watch")])
    identity.rows[1].mayGo = true
    let decision = identity.decide(isOlder: false)
    #expect(decision == .init(renumbered: [id(0): id(1)], isConditional: true))
  }

  @Test func valuesInSixDigitsAreTheSame() {
    let decision = identity(table: [(60, "a"), (1234.56, "a")], staged: [(1234.5605, "a")]).decide(isOlder: false)
    #expect(decision == .init(renumbered: [id(0): id(1)]))
  }

  @Test func withoutAValueTheContentTells() {
    var identity = identity(table: [(nil, "a"), (nil, "a")], staged: [(nil, "a")])
    identity.rows[0].entry.content = "A"
    identity.rows[1].entry.content = "B"
    identity.staged[0].content = "B"
    #expect(identity.decide(isOlder: false) == .init(renumbered: [id(0): id(1)]))
  }

  @Test func namesTellThingsApart() {
    // Two foods of one meal: the apple's energy is no pear's, whatever it is.
    var identity = SharedIdentity()
    identity.rows = [
      .init(entry: Entry(id: id(1), value: 50, source: "a", naming: "apple"), mayGo: false),
      .init(entry: Entry(id: id(2), value: 60, source: "a", naming: "pear"), mayGo: false),
    ]
    identity.staged = [Entry(id: id(1), value: 60, source: "a", naming: "apple")]
    let decision = identity.decide(isOlder: false)
    #expect(![nil, id(1), id(2)].contains(decision.renumbered[id(1)]))
  }

  @Test func anIDThatALiveRowTookOverIsLeftToIt() {
    var identity = SharedIdentity()
    identity.held = [id(0)]
    identity.rows = [.init(entry: Entry(id: id(1), value: 61, source: "a"), mayGo: true)]
    identity.staged = [Entry(id: id(0), value: 61, source: "a")]
    #expect(identity.decide(isOlder: false).renumbered == [id(0): id(1)])
    identity.staged[0].value = 62
    #expect(identity.decide(isOlder: false).renumbered == [:])
  }

  @Test func aSampleThatALiveRowStandsForTakesNoRowOfAnotherSource() {
    var identity = identity(table: [(61, "a"), (64, "c")], staged: [(64, "b")])
    #expect(identity.decide(isOlder: false).renumbered == [id(0): id(1)])
    identity.staged[0].isAside = true
    #expect(identity.decide(isOlder: false).renumbered[id(0)] != id(1))
    // Under the same id, and of a source that is not exported any more, it is the same sample with another name.
    identity.rows[0].entry.value = 64
    #expect(identity.decide(isOlder: false).renumbered.count == 1)
    identity.rows[0].isSourceAbsent = true
    #expect(identity.decide(isOlder: false).renumbered == [:])
  }

  @Test func aRowThatStepsAsideIsNotKept() {
    var identity = identity(table: [(63, "b"), (64, "a")], staged: [(60, "c"), (63, "c")])
    #expect(identity.decide(isOlder: false).renumbered[id(1)] == id(0))
    identity.rows[1].entry.isAside = true
    #expect(identity.decide(isOlder: false) == .init())
  }

  @Test func anOlderExportIsOverruledWhereTheNewerHasAnotherValue() throws {
    let decision = identity(table: [(62, "a")], staged: [(60, "a")]).decide(isOlder: true)
    let given = try #require(decision.renumbered[id(0)])
    #expect(given != id(0))
    #expect(decision.superseded == [given])
    // Under another name.
    #expect(identity(table: [(62, "b")], staged: [(60, "a")]).decide(isOlder: true).superseded.count == 1)
  }

  @Test func anOlderExportFindsItsValueUnderAnotherID() throws {
    let decision = identity(table: [(61, "a")], staged: [(60, "a"), (61, "a")]).decide(isOlder: true)
    #expect(decision.renumbered[id(1)] == id(0))
    let given = try #require(decision.renumbered[id(0)])
    #expect(![id(0), id(1)].contains(given))
    // Whether 60 is of a group that is absent is not decided here.
    #expect(decision.superseded == [])
  }
}
