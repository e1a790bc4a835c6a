import HealthModel
import RowMapping
import TestSupport
import Testing

private let times =
  #"creationDate="2024-05-01 12:05:00 +0200" startDate="2024-05-01 12:00:00 +0200" endDate="2024-05-01 12:01:00 +0200""#

private func quantity(_ type: String, _ rest: String, children: String = "") -> String {
  #"<Record type="HKQuantityTypeIdentifier\#(type)" sourceName="Watch" \#(times) \#(rest)>\#(children)</Record>"#
}

private func category(_ type: String, _ rest: String, children: String = "") -> String {
  #"<Record type="HKCategoryTypeIdentifier\#(type)" sourceName="Watch" \#(times) \#(rest)>\#(children)</Record>"#
}

private func entry(_ key: String, _ value: String) -> String { #"<MetadataEntry key="\#(key)" value="\#(value)"/>"# }

@Suite struct RecordMappingTests {
  @Test func quantityHasTypeTimesSourceAndValue() {
    let mapped = Mapped(quantity("HeartRate", #"unit="count/min" value="62""#))
    let row = mapped.row
    #expect(row.type == "HKQuantityTypeIdentifierHeartRate")
    #expect(row.start == "2024-05-01T10:00:00Z" && row.end == "2024-05-01T10:01:00Z")
    #expect(row.value == 62 && row.unit == "count/min" && row.exportedUnit == "count/min" && row.source == "Watch")
    #expect(row.json == "" && row.naming == 0 && row.subtype == "")
    #expect(row.flags == [.hasValue, .hasEnd, .isConverted])
    #expect(mapped.facts.samplesRead == 1 && mapped.facts.samplesRejected == 0 && mapped.facts.problems.entries.isEmpty)
  }

  @Test(
    arguments: [
      ("DistanceWalkingRunning", "km", "1.25", 1250, "m"), ("BodyMass", "lb", "150", 68.0388555, "kg"),
      ("ActiveEnergyBurned", "Cal", "1.5", 1.5, "kcal"), ("BodyTemperature", "degF", "98.6", 37, "degC"),
      ("BloodGlucose", "mmol<180.1558800000541>/L", "5", 90.07794000002705, "mg/dL"),
      ("OxygenSaturation", "%", "0.97", 0.97, "%"), ("DietaryWater", "mL", "250", 0.25, "L"),
      // Unknown units, and units of another dimension, stay.
      ("HeartRate", "furlong", "3", 3, "furlong"), ("BodyMass", "m", "3", 3, "m"), ("StepCount", "", "3", 3, ""),
      // Unknown types stay.
      ("Something", "km", "1.25", 1.25, "km"),
    ] as [(String, String, String, Double, String)])
  func convertsIntoTheCanonicalUnit(type: String, unit: String, value: String, expected: Double, stored: String) throws
  {
    let escaped = unit.split(separator: "<").joined(separator: "&lt;")
    let row = Mapped(quantity(type, #"unit="\#(escaped)" value="\#(value)""#)).row
    #expect(abs(try #require(row.value) - expected) <= 2 * expected.ulp)
    #expect(row.unit == stored && row.exportedUnit == unit)
  }

  @Test func keepsBitsOfCanonicalUnits() throws {
    let seed: UInt64 = 11
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    for _ in 0..<500 {
      let value = Double.random(in: 0..<1000, using: &random)
      let row = Mapped(quantity("HeartRate", #"unit="count/min" value="\#(value)""#)).row
      #expect(row.value?.bitPattern == value.bitPattern)
    }
  }

  @Test func marksAndCountsUnits() {
    let mapped = Mapped(
      quantity("BodyMass", #"unit="stone" value="11""#), quantity("BodyMass", #"unit="stone" value="12""#),
      quantity("BodyMass", #"unit="kg" value="70""#), quantity("New", #"unit="x" value="1""#))
    #expect(mapped.rows.map { $0.flags.contains(.isUnconvertible) } == [true, true, false, false])
    func use(_ type: String, _ unit: String) -> Int? {
      mapped.facts.units[
        ExportFacts.TypeUnit(
          type: mapped.symbols.intern("HKQuantityTypeIdentifier" + type), unit: mapped.symbols.intern(unit))]
    }
    #expect(use("BodyMass", "stone") == 2 && use("BodyMass", "kg") == 1 && use("New", "x") == 1)
    #expect(mapped.problem(.unknownUnit) == [2, 0])
    #expect(mapped.problem(.unknownType) == [1, 3000])
    #expect(mapped.facts.unknownNames == ["HKQuantityTypeIdentifierNew": 1])
  }

  @Test func noValueIsNullAndCounted() {
    let mapped = Mapped(quantity("BodyMass", #"unit="lb""#), quantity("BodyMass", #"unit="lb" value="""#))
    #expect(mapped.rows.map(\.value) == [nil, nil] && mapped.rows.map(\.unit) == ["kg", "kg"])
    #expect(mapped.facts.problems.entries[.missingValue]?.count == 2)
  }

  @Test(
    arguments: [
      ("SleepAnalysis", "HKCategoryValueSleepAnalysisAsleepDeep", 4),
      ("SleepAnalysis", "HKCategoryValueSleepAnalysisAsleep", 1),
      ("AppleStandHour", "HKCategoryValueAppleStandHourStood", 0),
      ("AppleStandHour", "HKCategoryValueAppleStandHourIdle", 1),
      ("MenstrualFlow", "HKCategoryValueVaginalBleedingHeavy", 4), ("NewThing", "HKCategoryValueNotApplicable", 0),
      ("Headache", "HKCategoryValueSeveritySevere", 4), ("Headache", "3", 3),
    ] as [(String, String, Double)])
  func categoryIsItsRawInteger(type: String, name: String, raw: Double) {
    let row = Mapped(category(type, #"value="\#(name)""#)).row
    #expect(row.value == raw && row.unit == "category" && row.subtype == name)
    #expect(row.json == (type == "SleepAnalysis" ? #"{"sleep_stage":"\#(name)"}"# : ""))
  }

  @Test func categoryWithoutValueIsZero() {
    let mapped = Mapped(category("MindfulSession", ""), category("MindfulSession", #"value="""#))
    #expect(mapped.rows.map(\.value) == [0, 0] && mapped.row.unit == "category" && mapped.row.json == "")
    #expect(mapped.facts.problems.entries.isEmpty)
  }

  @Test func unknownCategoryNameIsKept() {
    let mapped = Mapped(
      category("SleepAnalysis", #"value="HKCategoryValueSleepAnalysisDreaming""#),
      category("Headache", #"value="Bad""#, children: entry("category_value", "mine")),
      category("MenopausalState", #"value="HKCategoryValueMenopausalStateNone""#))
    #expect(mapped.rows.map(\.value) == [nil, nil, nil])
    #expect(
      mapped.rows.map(\.json) == [
        #"{"category_value":"HKCategoryValueSleepAnalysisDreaming","sleep_stage":"HKCategoryValueSleepAnalysisDreaming"}"#,
        #"{"category_value":"Bad","entry:category_value":"mine"}"#,
        #"{"category_value":"HKCategoryValueMenopausalStateNone"}"#,
      ])
    #expect(mapped.facts.problems.entries[.unknownCategoryValue]?.count == 3)
    #expect(mapped.facts.categoryNames.count == 3 && mapped.facts.categoryNames.values.allSatisfy { $0 == nil })
  }

  @Test func categoryNamesAreFacts() {
    let mapped = Mapped(category("SleepAnalysis", #"value="HKCategoryValueSleepAnalysisAwake""#))
    let name = mapped.symbols.intern("HKCategoryValueSleepAnalysisAwake")
    #expect(mapped.facts.categoryNames[name] == .some(.some(2)))
  }

  // MARK: Metadata

  @Test func metadataIsSortedTypedAndEscaped() {
    let children =
      entry("meal", "lunch") + entry("Meal", "Tom &amp; &quot;Jerry&quot; \\ &#9;&#10;é")
      + entry("HKWasUserEntered", "1")
      + entry("HKTimeZone", "Europe/Paris") + entry("HKWeatherHumidity", "6100 %") + entry("HKAlgorithmVersion", "2.50")
      + entry("HKMetadataKeySyncVersion", "12345678901234567890123") + entry("HKIndoorWorkout", "yes")
      + entry("HKMetadataKeyHeartRateMotionContext", "02") + entry("HKSWOLFScore", "-0") + entry("Zero", "1")
      + entry("HKDateOfEarliestDataUsedForEstimate", "2024-05-01 12:00:00 +0200")
      + entry("Withings User Identifier", "7")
      + entry("", "empty key") + entry("HKReferenceRangeLowerLimit", "0.1")
    let json = Mapped(quantity("HeartRate", #"unit="count/min" value="62""#, children: children)).row.json
    #expect(
      json
        == #"{"":"empty key","HKAlgorithmVersion":2.5,"HKDateOfEarliestDataUsedForEstimate":"2024-05-01 10:00:00 +0000","#
        + #""HKIndoorWorkout":"yes","HKMetadataKeyHeartRateMotionContext":2,"#
        + #""HKMetadataKeySyncVersion":12345678901234567890123,"HKReferenceRangeLowerLimit":0.1,"HKSWOLFScore":0,"#
        + #""HKTimeZone":"Europe/Paris","HKWasUserEntered":1,"HKWeatherHumidity":"6100 %","#
        + #""Meal":"Tom & \"Jerry\" \\ \t\né","Withings User Identifier":"7","Zero":"1","meal":"lunch"}"#)
  }

  @Test func lastOfRepeatedKeyWins() {
    let children =
      entry("a", "1") + entry("b", "2") + entry("a", "3") + entry("HKWasUserEntered", "1")
      + entry("HKWasUserEntered", "0")
    let row = Mapped(quantity("HeartRate", #"unit="count/min" value="62""#, children: children)).row
    #expect(row.json == #"{"HKWasUserEntered":0,"a":"3","b":"2"}"#)
    #expect(!row.flags.contains(.isUserEntered))
  }

  @Test(arguments: [
    "beats", "sleep_stage", "statistics", "members", "file", "device", "resource", "metric_type", "value", "unit",
    "started_at", "duration_seconds", "brand", "type",
  ])
  func ourKeysAreRenamed(key: String) {
    let row = Mapped(quantity("HeartRate", #"unit="count/min" value="62""#, children: entry(key, "x"))).row
    #expect(row.json == #"{"entry:\#(key)":"x"}"#)
  }

  @Test func manyEntriesStaySorted() {
    let keys = (0..<50).map { "k\($0 * 37 % 50)" }
    let row = Mapped(
      quantity("HeartRate", #"unit="count/min" value="1""#, children: keys.map { entry($0, "v") }.joined())
    ).row
    #expect(row.json == "{" + keys.sorted().map { "\"\($0)\":\"v\"" }.joined(separator: ",") + "}")
  }

  @Test func whatJSONCannotHoldIsCleanedAndCounted() {
    let mapped = Mapped(
      quantity(
        "HeartRate", #"unit="count/min" value="62""#,
        children: entry("a&#0;", "x&#0;y") + entry("HKAlgorithmVersion", "1e999")
          + entry("HKSWOLFScore", String(repeating: "9", count: 400))))
    #expect(
      mapped.row.json
        == "{\"HKAlgorithmVersion\":\"1e999\",\"HKSWOLFScore\":\"\(String(repeating: "9", count: 400))\","
        + "\"a\u{FFFD}\":\"x\u{FFFD}y\"}")
    #expect(mapped.facts.problems.entries[.cleanedJSON]?.count == 4)
  }

  @Test func userEntryAndNamingAreNoticed() {
    let food = entry("HKFoodType", "Apple")
    let uuid = entry("HKExternalUUID", "Apple")
    let rows = Mapped([
      quantity("HeartRate", #"unit="count/min" value="62""#, children: entry("HKWasUserEntered", "1")),
      quantity("HeartRate", #"unit="count/min" value="62""#, children: food + entry("x", "y")),
      quantity("HeartRate", #"unit="count/min" value="62""#, children: food),
      quantity("HeartRate", #"unit="count/min" value="62""#, children: uuid),
      quantity("HeartRate", #"unit="count/min" value="62""#, children: uuid + food),
      quantity("HeartRate", #"unit="count/min" value="62""#, children: food + uuid),
      quantity("HeartRate", #"unit="count/min" value="62""#, children: entry("HKMetadataKeySyncIdentifier", "Apple")),
      quantity("HeartRate", #"unit="count/min" value="62""#, children: entry("HKFoodType", "")),
    ]).rows
    #expect(rows[0].flags.contains(.isUserEntered) && rows[0].naming == 0)
    #expect(rows[1].naming == rows[2].naming && rows[1].naming != 0)
    #expect(Set([rows[2], rows[3], rows[4], rows[6]].map(\.naming)).count == 4)
    #expect(rows[4].naming == rows[5].naming && rows[7].naming == 0)
  }

  // MARK: Times, sources, unknown things

  @Test func missingAndEarlyEndsBecomeTheStart() {
    let start =
      #"<Record type="HKQuantityTypeIdentifierStepCount" sourceName="P" unit="count" value="1" "#
      + #"startDate="2024-05-01 12:00:00 +0200""#
    let mapped = Mapped([
      start + "/>", start + #" endDate=""/>"#, start + #" endDate="soon"/>"#,
      start + #" endDate="2024-05-01 11:59:59 +0200"/>"#,
    ])
    #expect(mapped.rows.map(\.end) == Array(repeating: "2024-05-01T10:00:00Z", count: 4))
    #expect(mapped.facts.problems.entries[.missingEnd]?.count == 3)
    #expect(mapped.problem(.endBeforeStart) == [1, 3000])
  }

  @Test func sourceNamesAreStoredWithPlainSpaces() {
    let mapped = Mapped([
      #"<Record type="T" sourceName="Apple\#u{A0}Watch\#u{A0}— Ä" startDate="2024-05-01 12:00:00 +0200"/>"#,
      #"<Record type="T" sourceName="Apple Watch — Ä" startDate="2024-05-01 12:00:00 +0200"/>"#,
      #"<Record type="T" startDate="2024-05-01 12:00:00 +0200"/>"#,
      #"<Record type="T" source="Old phone" startDate="20150616071916-0700"/>"#,
    ])
    #expect(mapped.rows.map(\.source) == ["Apple Watch — Ä", "Apple Watch — Ä", "", "Old phone"])
    #expect(mapped.rows[0].record.source == mapped.rows[1].record.source)
    #expect(mapped.problem(.missingSource) == [1, 2000])
  }

  @Test func otherRecordTypesKeepEveryAttribute() {
    let mapped = Mapped(
      #"<Record type="HKDataTypeSleepDurationGoal" sourceName="Clock" unit="hr" value="8" device="&lt;&lt;HKDevice: 0x12ab>, name:iPhone, hardware:iPhone14,5>" startDate="1970-01-01 01:00:00 +0100" endDate="1970-01-01 01:00:00 +0100"><MetadataEntry key="unit" value="x"/><MetadataEntry key="odd" value="y"/></Record>"#,
      #"<Record type="HKScoreNew" value="high" startDate="2024-05-01 12:00:00 +0200" endDate="2024-05-01 12:00:00 +0200" new="1"><MetadataEntry key="new" value="2"/></Record>"#
    )
    let (goal, new) = (mapped.rows[0], mapped.rows[1])
    #expect(goal.value == 8 && goal.unit == "hr")
    #expect(
      goal.json
        == #"{"device":"<<HKDevice>, name:iPhone, hardware:iPhone14,5>","endDate":"1970-01-01T00:00:00Z","#
        + #""entry:unit":"x","odd":"y","sourceName":"Clock","startDate":"1970-01-01T00:00:00Z","#
        + #""type":"HKDataTypeSleepDurationGoal","unit":"hr","value":"8"}"#)
    #expect(new.value == nil)
    #expect(
      new.json == #"{"endDate":"2024-05-01T10:00:00Z","entry:new":"2","new":"1","startDate":"2024-05-01T10:00:00Z","#
        + #""type":"HKScoreNew","value":"high"}"#)
    #expect(mapped.facts.problems.entries[.dateAt1970]?.count == 1)
    #expect(mapped.facts.unknownNames["HKScoreNew"] == 1 && mapped.facts.unknownNames["Record/@new"] == 1)
  }

  @Test func unknownElementsWithTypeAndStartAreRows() {
    let mapped = Mapped([
      #"<StateOfMind type="HKDataTypeStateOfMind" sourceName="Mind" value="0.5" valence="0.5" startDate="2024-05-01 12:00:00 +0200" endDate="2024-05-01 12:00:00 +0200"><MetadataEntry key="valence" value="9"/><Word text="hm"/></StateOfMind>"#,
      #"<Mystery foo="bar"/>"#, #"<Mystery type="HKNew" startDate="whenever"/>"#,
    ])
    #expect(mapped.rows.count == 1 && mapped.row.type == "HKDataTypeStateOfMind" && mapped.row.value == 0.5)
    #expect(
      mapped.row.json == #"{"endDate":"2024-05-01T10:00:00Z","entry:valence":"9","sourceName":"Mind","#
        + #""startDate":"2024-05-01T10:00:00Z","type":"HKDataTypeStateOfMind","unknown":[{"attributes":{"text":"hm"},"element":"Word"}],"valence":"0.5","value":"0.5"}"#
    )
    #expect(mapped.facts.unknownNames == ["StateOfMind": 1, "Mystery": 2, "Word": 1])
    #expect(mapped.facts.samplesRead == 2 && mapped.facts.samplesRejected == 1)
    #expect(mapped.rejections == [Rejection(kind: .rejectedUnreadableStart, inputOffset: 2000)])
  }

  @Test func unknownPartsOfRecordsAreCountedAndKept() {
    let extra =
      #"<Extra z="2024-05-01 12:00:00 +0200" a="1"><Deep>text</Deep><Device device="&lt;x: 0x12, n&gt;"/></Extra>"#
    let mapped = Mapped(
      quantity(
        "HeartRate", #"unit="count/min" value="62" mood="good" duration="3""#,
        children: #"<MetadataEntry key="unknown" value="mine"/>"# + extra),
      quantity("HeartRate", #"unit="count/min" value="none" mood="bad""#),
      quantity("HeartRate", #"unit="count/min" value="63""#))
    #expect(mapped.rows.count == 2 && mapped.rows[1].json == "")
    #expect(
      mapped.rows[0].json == #"{"entry:unknown":"mine","unknown":["#
        + #"{"attributes":{"duration":"3","mood":"good"},"element":"Record"},"#
        + #"{"attributes":{"a":"1","z":"2024-05-01T10:00:00Z"},"element":"Extra","elements":["#
        + #"{"element":"Deep"},{"attributes":{"device":"<x, n>"},"element":"Device"}]}]}"#)
    #expect(mapped.facts.unknownNames == ["Record/@mood": 2, "Record/@duration": 1, "Extra": 1])
    #expect(mapped.facts.problems.entries[.unknownAttribute]?.count == 3)
    #expect(mapped.facts.problems.entries[.unknownElement]?.count == 1)
  }

  // MARK: Rejects (DESIGN §7.4)

  @Test(
    arguments: [
      (#"<Record startDate="2024-05-01 12:00:00 +0200"/>"#, .rejectedNoType),
      (#"<Record type="" startDate="2024-05-01 12:00:00 +0200"/>"#, .rejectedNoType),
      (#"<Record type="HKX"/>"#, .rejectedNoStart), (#"<Record type="HKX" startDate=""/>"#, .rejectedNoStart),
      (#"<Record type="HKX" startDate="2024-02-30 12:00:00 +0200"/>"#, .rejectedUnreadableStart),
      (quantity("HeartRate", #"value="NaN""#), .rejectedNotANumber),
      (quantity("HeartRate", #"value="1e999""#), .rejectedNotANumber),
      (quantity("Unknown", #"value="much""#), .rejectedNotANumber),
      (
        "<Record type=\"\(String(repeating: "T", count: 513))\" startDate=\"2024-05-01 12:00:00 +0200\"/>",
        .rejectedTypeTooLong
      ),
      (
        "<Record type=\"HKX\" sourceName=\"\(String(repeating: "S", count: 2394))\" startDate=\"2024-05-01 12:00:00 +0200\"/>",
        .rejectedKeyTooLong
      ),
      (
        "<Record type=\"HKX\" sourceName=\"\(String(repeating: "S", count: 20_000))\" startDate=\"2024-05-01 12:00:00 +0200\"/>",
        .rejectedKeyTooLong
      ),
    ] as [(String, ProblemKind)])
  func rejects(xml: String, kind: ProblemKind) {
    let mapped = Mapped(quantity("HeartRate", #"unit="count/min" value="1""#), xml)
    #expect(mapped.rows.count == 1)
    #expect(mapped.facts.samplesRead == 2 && mapped.facts.samplesRejected == 1)
    #expect(mapped.rejections == [Rejection(kind: kind, inputOffset: 1000)])
    #expect(mapped.problem(kind) == [1, 1000])
  }

  @Test func longestKeysAreTaken() {
    let type = String(repeating: "T", count: 512)
    let source = String(repeating: "S", count: 2400 - 512 - 4)
    let start = #"startDate="2024-05-01 12:00:00 +0200""#
    #expect(Mapped("<Record type=\"\(type)\" sourceName=\"\(source)\" \(start)/>").rows.count == 1)
    #expect(Mapped("<Record type=\"\(type)\" sourceName=\"\(source)S\" \(start)/>").rows.isEmpty)
    // A no-break space counts as the space it is stored as.
    let spaces = String(repeating: "\u{A0}", count: source.count)
    #expect(Mapped("<Record type=\"\(type)\" sourceName=\"\(spaces)\" \(start)/>").rows.count == 1)
    #expect(Mapped("<Record type=\"\(type)\" sourceName=\"\(source)\" \(start)/>", userByteCount: 5).rows.isEmpty)
  }

  @Test func rejectionListIsLimitedTheCountIsNot() {
    let symbols = SymbolTable()
    var mapper = RowMapper(symbols: symbols, userByteCount: 0)
    mapper.rejectionLimit = 2
    var buffer = SampleBuffer()
    for offset in 0..<5 { mapper.map(ExportElement("<Record/>", inputOffset: Int64(offset)), into: &buffer) }
    #expect(mapper.rejections.map(\.inputOffset) == [0, 1] && mapper.facts.samplesRejected == 5)
  }
}
