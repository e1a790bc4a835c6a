import DailySummaries
import HealthModel
import Testing

@Suite struct SourceRankingTests {
  static func ranking(_ sources: [(name: String, facts: SourceFacts)], priority: [String: [String]] = [:])
    -> SourceRanking
  {
    let table = SymbolTable()
    let facts = Dictionary(uniqueKeysWithValues: sources.map { (table.intern($0.name), $0.facts) })
    return SourceRanking(sources: facts, symbols: table.snapshot(), priority: priority)
  }

  static func facts(_ first: String?, watch: Bool = false, phone: Bool = false) -> SourceFacts {
    var facts = SourceFacts()
    facts.hasWatchDevice = watch
    facts.hasPhoneDevice = phone
    facts.firstSample = first.map(FoldCase.instant)
    return facts
  }

  static let all = [
    ("Zepp", facts("2019-01-01")), ("Scale", facts("2023-01-01")), ("Anna’s iPhone", facts("2018-01-01")),
    ("Apple Watch von Anna", facts("2020-01-01")), ("Uhr", facts("2022-01-01", watch: true)),
    ("Telefon", facts("2022-01-01", phone: true)), ("HealthKit (all sources)", facts("2024-01-01")),
    ("Nobody", facts(nil)), ("Abbott", facts("2019-01-01")),
  ]

  @Test func defaultOrder() {
    let order = Self.ranking(Self.all).order()
    #expect(
      order.map(\.name) == [
        "HealthKit (all sources)", "Uhr", "Apple Watch von Anna", "Telefon", "Anna’s iPhone", "Scale", "Abbott",
        "Zepp", "Nobody",
      ])
    #expect(order.map(\.reason) == [.allSources, .watch, .watch, .phone, .phone, .other, .other, .other, .other])
  }

  @Test func listsComeFirst() {
    let ranking = Self.ranking(
      Self.all, priority: ["": ["Zepp", "Nowhere"], FoldCase.steps: ["Scale", " Telefon "]])
    #expect(ranking.order().map(\.name).prefix(3) == ["HealthKit (all sources)", "Zepp", "Uhr"])
    let steps = ranking.order(metricType: FoldCase.steps)
    #expect(steps.map(\.name).prefix(5) == ["HealthKit (all sources)", "Scale", "Telefon", "Zepp", "Uhr"])
    #expect(steps.map(\.reason).prefix(5) == [.allSources, .listedForType, .listedForType, .listedForAll, .watch])
    #expect(ranking.unmatchedNames == ["Nowhere"])
  }

  /// A list may name the hourly rows themselves.
  @Test func allSourcesCanBeListed() {
    let ranking = Self.ranking(Self.all, priority: ["": ["Uhr", "HealthKit (all sources)"]])
    #expect(ranking.order().map(\.name).prefix(3) == ["Uhr", "HealthKit (all sources)", "Apple Watch von Anna"])
  }

  /// Exports write U+00A0 into names; people type spaces.
  @Test func namesAsPeopleTypeThem() {
    let ranking = Self.ranking(
      [("Apple\u{A0}Watch de Zoé ", Self.facts("2020-01-01")), ("Watch 2", Self.facts("2021-01-01"))],
      priority: ["": ["Apple Watch de Zoé"]])
    #expect(ranking.order().map(\.name).first == "Apple\u{A0}Watch de Zoé ")
    #expect(ranking.unmatchedNames.isEmpty)
  }

  @Test func classes() {
    #expect(Self.facts(nil).deviceClass(sourceName: Array("Apple Watch — X".utf8)) == .watch)
    #expect(Self.facts(nil).deviceClass(sourceName: Array("X’s iPhone".utf8)) == .phone)
    #expect(Self.facts(nil).deviceClass(sourceName: Array("Wat".utf8)) == .other)
    #expect(Self.facts(nil).deviceClass(sourceName: []) == .other)
    #expect(Self.facts(nil, watch: true, phone: true).deviceClass(sourceName: Array("App".utf8)) == .watch)
    #expect(Self.facts(nil, phone: true).deviceClass(sourceName: Array("Watch".utf8)) == .phone)
    for kept in [SourceFacts.DeviceClass.watch, .phone, .other] {
      #expect(SourceFacts(deviceClass: kept, firstSample: nil).deviceClass(sourceName: []) == kept)
    }
  }
}
