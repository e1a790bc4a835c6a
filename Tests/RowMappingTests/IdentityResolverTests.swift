import HealthModel
import RowMapping
import TestSupport
import Testing

/// Samples of one type and second for the resolver, written short.
private struct Sample {
  var end: Int64 = 0
  var value: Double? = 1
  var source = "Watch"
  var unit = "count/min"
  var subtype = ""
  var naming: UInt64 = 0
  var json = ""
  var isCopy = false
}

private let start = Instant(seconds: 1_714_550_400)
private let heartRate = "HKQuantityTypeIdentifierHeartRate"

/// Resolves the samples in the given order; `symbolOrder` changes which numbers the strings get.
private func resolve(
  _ samples: [Sample], type: String = heartRate, user: String = "u", symbolOrder: [String] = [],
  zone: ZoneRules = .utc
) -> (rows: [Row], batch: ResolvedBatch) {
  let symbols = SymbolTable()
  for text in symbolOrder { _ = symbols.intern(text) }
  var group = SampleGroup()
  for (index, sample) in samples.enumerated() {
    var record = SampleRecord(start: start, end: Instant(seconds: start.seconds + sample.end))
    record.value = sample.value ?? 0
    record.flags = sample.value == nil ? [.hasEnd] : [.hasEnd, .hasValue]
    if sample.isCopy { record.flags.insert(.isCopy) }
    record.source = symbols.intern(sample.source)
    record.exportedUnit = symbols.intern(sample.unit)
    record.subtype = symbols.intern(sample.subtype)
    record.naming = sample.naming
    record.inputOffset = Int64(index)
    record.payloadOffset = UInt32(group.payload.count)
    record.payloadLength = UInt32(sample.json.utf8.count)
    group.payload += Array(sample.json.utf8)
    group.records.append(record)
  }
  var resolver = IdentityResolver(
    metricType: Array(type.utf8), symbols: symbols.snapshot(), user: UserKey(userID: user), zone: zone)
  var batch = ResolvedBatch()
  resolver.resolve(&group, into: &batch)
  let rows = batch.rows.map { row in
    Row(
      id: row.id.description, startedAt: iso(row.startedAt), endedAt: iso(row.endedAt), value: row.record.numericValue,
      source: symbols.text(of: row.record.source), unit: symbols.text(of: row.unit),
      json: String(decoding: batch.payload[row.record.payloadRange], as: UTF8.self))
  }
  return (rows, batch)
}

private struct Row: Equatable {
  var id: String
  var startedAt: String
  var endedAt: String
  var value: Double?
  var source: String
  var unit: String
  var json: String
}

@Suite struct IdentityResolverTests {
  @Test func oneSampleIsOneRow() throws {
    let (rows, batch) = resolve([Sample(end: 60, value: 62, json: #"{"a":"b"}"#)])
    let row = try #require(rows.first)
    #expect(row.startedAt == "2024-05-01T08:00:00Z" && row.endedAt == "2024-05-01T08:01:00Z")
    #expect(row.value == 62 && row.unit == "count/min" && row.json == #"{"a":"b"}"#)
    #expect(batch.repeats == 0 && batch.rows[0].id.isOurs)
    let expected = RowID(
      startMilliseconds: start.milliseconds,
      hash: IdentityHash(metricType: Array(heartRate.utf8)).hash(
        start: start, end: Instant(seconds: start.seconds + 60), naming: 0, rank: 0), user: UserKey(userID: "u"))
    #expect(batch.rows[0].id == expected)
  }

  @Test func repeatsAreOneRow() {
    let (rows, batch) = resolve([Sample(json: #"{"a":"1","b":"2"}"#), Sample(), Sample(json: #"{"a":"3"}"#)])
    #expect(rows.count == 1 && batch.repeats == 2)
    #expect(rows[0].json == #"{"a":"3","b":"2"}"#)
  }

  @Test func valueThenSourceRanks() {
    let samples = [
      Sample(value: 61, source: "iPhone"), Sample(value: 60, source: "Watch"), Sample(value: 60, source: "Apple"),
      Sample(value: -1, source: "Zed"), Sample(value: 60, source: "Watch", unit: "bpm"),
    ]
    let (rows, batch) = resolve(samples)
    #expect(
      rows.map(\.value) == [-1, 60, 60, 60, 61] && rows.map(\.source) == ["Zed", "Apple", "Watch", "Watch", "iPhone"])
    #expect(rows.map(\.unit) == ["count/min", "count/min", "bpm", "count/min", "count/min"])
    #expect(
      rows.map(\.startedAt) == [
        "2024-05-01T08:00:00Z", "2024-05-01T08:00:00.000001Z", "2024-05-01T08:00:00.000002Z",
        "2024-05-01T08:00:00.000003Z",
        "2024-05-01T08:00:00.000004Z",
      ])
    #expect(rows.allSatisfy { $0.endedAt == $0.startedAt })
    #expect(Set(rows.map(\.id)).count == 5 && batch.repeats == 0)
  }

  /// Another sample at the same second changes neither the id of one that ends elsewhere nor of one with another name.
  @Test func identityIsTypeStartEndAndNaming() {
    let alone = resolve([Sample(end: 60, value: 5)]).rows[0]
    let (rows, _) = resolve([
      Sample(end: 30, value: 1), Sample(end: 60, value: 5), Sample(end: 60, value: 1, naming: 9),
      Sample(end: 60, value: 6),
    ])
    #expect(rows.map(\.value) == [1, 5, 6, 1])
    #expect(rows[1].id == alone.id && rows[1].startedAt == "2024-05-01T08:00:00.000001Z")
    #expect(rows[1].endedAt == "2024-05-01T08:01:00Z")
    // Source, value, unit and metadata are no part of the identity.
    #expect(
      resolve([Sample(end: 60, value: 7, source: "New name", unit: "x", json: #"{"a":"b"}"#)]).rows[0].id == alone.id)
    #expect(resolve([Sample(end: 60, value: 5)], user: "other").rows[0].id != alone.id)
    #expect(resolve([Sample(end: 60, value: 5)], type: "HKOther").rows[0].id != alone.id)
  }

  @Test func rekeyingIsTheOtherUsersId() {
    let (a, b) = (resolve([Sample()], user: "a").batch.rows[0].id, resolve([Sample()], user: "b").batch.rows[0].id)
    #expect(a.rekeyed(from: UserKey(userID: "a"), to: UserKey(userID: "b")) == b)
  }

  // MARK: Copies

  @Test func copyTakesTheOriginalsNaming() {
    let original = Sample(value: 95, json: #"{"HKTimeZone":"Europe/Paris"}"#)
    let copy = Sample(value: 95, naming: 77, json: #"{"HKFoodType":"Apple"}"#, isCopy: true)
    let (rows, batch) = resolve([copy, original])
    #expect(rows.count == 1 && batch.repeats == 1)
    #expect(rows[0].json == #"{"HKFoodType":"Apple","HKTimeZone":"Europe/Paris"}"#)
    #expect(rows[0].id == resolve([original]).rows[0].id)
    #expect(!batch.rows[0].record.flags.contains(.isCopy))
  }

  @Test func copyOfAnotherSourceValueOrEndIsARowOfItsOwn() {
    let original = Sample(end: 5, value: 95)
    for copy in [
      Sample(end: 5, value: 95, source: "Other", isCopy: true), Sample(end: 5, value: 96, isCopy: true),
      Sample(end: 6, value: 95, isCopy: true), Sample(end: 5, value: 95, unit: "bpm", isCopy: true),
    ] { #expect(resolve([original, copy]).rows.count == 2) }
  }

  @Test func copiesWithoutOriginalAreRepeatsOfEachOther() {
    let (rows, batch) = resolve([Sample(isCopy: true), Sample(isCopy: true), Sample(naming: 3, isCopy: true)])
    #expect(rows.count == 2 && batch.repeats == 1)
  }

  @Test func twinsWithEqualNamingMatchFirst() {
    // Two foods of 95 kcal, and a third copy whose name stands nowhere at top level: it is of the original without a copy.
    let (rows, _) = resolve([
      Sample(value: 95, naming: 1, json: #"{"top":"1"}"#), Sample(value: 95, naming: 2, json: #"{"top":"2"}"#),
      Sample(value: 95, naming: 2, json: #"{"copy":"2"}"#, isCopy: true),
      Sample(value: 95, naming: 9, json: #"{"copy":"9"}"#, isCopy: true),
    ])
    #expect(rows.map(\.json) == [#"{"copy":"9","top":"1"}"#, #"{"copy":"2","top":"2"}"#])
  }

  @Test func conflictingValuesOfAKeyGoByByteOrder() {
    let (rows, _) = resolve([
      Sample(json: #"{"a":"1","b":2,"c":{"x":[1,"}"]},"d":"\"}"}"#),
      Sample(json: #"{"a":"10","b":10,"c":{"x":[1,"~"]},"e":"\\"}"#, isCopy: true),
    ])
    #expect(rows[0].json == #"{"a":"10","b":2,"c":{"x":[1,"~"]},"d":"\"}","e":"\\"}"#)
  }

  // MARK: Samples without a number

  @Test func contentStandsForTheValue() {
    let (rows, batch) = resolve(
      [
        Sample(value: nil, source: "B", json: #"{"members":[2]}"#),
        Sample(value: nil, source: "A", json: #"{"members":[3]}"#),
        Sample(value: nil, source: "B", json: #"{"members":[2]}"#),
        Sample(value: nil, source: "A", json: #"{"members":[2]}"#),
        Sample(value: 0, source: "Z"),
      ], type: "HKCorrelationTypeIdentifierFood")
    #expect(rows.map(\.json) == ["", #"{"members":[2]}"#, #"{"members":[2]}"#, #"{"members":[3]}"#])
    #expect(rows.map(\.source) == ["Z", "A", "B", "A"] && batch.repeats == 1)
  }

  @Test func copiesWithoutANumberMatchBySubtype() {
    let (rows, _) = resolve(
      [
        Sample(value: nil, subtype: "Odd", json: #"{"category_value":"Odd"}"#),
        Sample(value: nil, subtype: "Odd", naming: 4, json: #"{"category_value":"Odd","n":"4"}"#),
        Sample(value: nil, subtype: "Odd", naming: 4, json: #"{"category_value":"Odd","k":"v"}"#, isCopy: true),
      ], type: "HKCategoryTypeIdentifierHeadache")
    #expect(rows.map(\.json) == [#"{"category_value":"Odd"}"#, #"{"category_value":"Odd","k":"v","n":"4"}"#])
  }

  // MARK: Activity summaries

  @Test func lastActivitySummaryOfADateWinsAndItsRowMovesWithTheZone() throws {
    let symbols = SymbolTable()
    let day = CivilDay(year: 2024, month: 5, day: 1)
    var group = SampleGroup()
    for (index, offset) in [100, 300, 200].enumerated() {
      var record = SampleRecord(start: day.utcMidnight, end: day.advanced(by: 1).utcMidnight)
      record.value = Double(index)
      record.flags = [.hasEnd, .hasValue, .isConverted]
      record.inputOffset = Int64(offset)
      group.records.append(record)
    }
    let type = Array("HKActivitySummaryTypeIdentifier".utf8)
    let kcal = symbols.intern("kcal")
    func rows(_ zone: ZoneRules) -> ResolvedBatch {
      var resolver = IdentityResolver(
        metricType: type, symbols: symbols.snapshot(), user: UserKey(userID: "u"), zone: zone)
      var batch = ResolvedBatch()
      var copy = group
      resolver.resolve(&copy, into: &batch)
      return batch
    }
    let batch = rows(ZoneRules(name: "X", offsetSeconds: 5 * 3600 + 2700))
    let row = try #require(batch.rows.first)
    #expect(batch.rows.count == 1 && batch.superseded == 2 && batch.repeats == 0)
    #expect(row.record.value == 1 && row.unit == kcal)
    #expect(iso(row.startedAt) == "2024-04-30T18:15:00Z" && iso(row.endedAt) == "2024-05-01T18:15:00Z")
    #expect(row.id == rows(.utc).rows[0].id && iso(rows(.utc).rows[0].startedAt) == "2024-05-01T00:00:00Z")
  }

  // MARK: Order

  /// Any order of the samples, and any numbers of the symbols, give the same rows.
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func orderDoesNotMatter(seed: UInt64) {
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    for _ in 0..<60 {
      let count = Int.random(in: 2...30, using: &random)
      let samples = (0..<count).map { _ in
        Sample(
          end: Int64.random(in: 0...1, using: &random),
          value: [nil, 0, -0.0, 1, 2].randomElement(using: &random) ?? nil,
          source: ["Watch", "iPhone"].randomElement(using: &random) ?? "",
          unit: ["count/min", "bpm"].randomElement(using: &random) ?? "", subtype: "",
          naming: [0, 0, 5, 6].randomElement(using: &random) ?? 0,
          json: ["", #"{"a":"1"}"#, #"{"a":"2","b":"1"}"#, #"{"c":[1,2]}"#].randomElement(using: &random) ?? "",
          isCopy: Bool.random(using: &random))
      }
      let expected = resolve(samples)
      #expect(expected.rows.count + expected.batch.repeats == count)
      #expect(Set(expected.rows.map(\.id)).count == expected.rows.count)
      for _ in 0..<5 {
        let shuffled = resolve(
          samples.shuffled(using: &random),
          symbolOrder: ["iPhone", "bpm", "Watch", "count/min"].shuffled(using: &random))
        #expect(shuffled.rows == expected.rows, "seed \(seed)")
      }
    }
  }

  @Test func aSecondHoldsSoManyRows() {
    var group = SampleGroup()
    group.records = (0..<23).map { index in
      var record = SampleRecord(start: start, end: start)
      record.value = Double(index)
      record.flags = [.hasEnd, .hasValue]
      return record
    }
    var resolver = IdentityResolver(
      metricType: Array(heartRate.utf8), symbols: [[]], user: UserKey(userID: "u"), zone: .utc, rowsPerSecond: 20)
    var batch = ResolvedBatch()
    resolver.resolve(&group, into: &batch)
    #expect(batch.rows.count == 20 && batch.rejected == 3)
    #expect(batch.rows.last?.startedAt == Instant(microseconds: start.microseconds + 19))
  }
}
