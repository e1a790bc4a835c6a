import HealthModel
import RowMapping
import Testing

@Suite struct FactsTests {
  private func record(_ attributes: String, start: String = "2024-05-01 12:00:00 +0200", _ children: String = "")
    -> String
  {
    #"<Record type="HKQuantityTypeIdentifierStepCount" unit="count" value="1" startDate="\#(start)" endDate="\#(start)" \#(attributes)>\#(children)</Record>"#
  }

  @Test func exportDateAndItsOffset() {
    let facts = Mapped(#"<ExportDate value="2024-06-01 09:30:00 -0430"/>"#).facts
    #expect(facts.exportDate == Instant(seconds: 1_717_250_400) && facts.exportOffsetSeconds == -16_200)
    #expect(Mapped(#"<ExportDate value="?"/>"#).facts.exportDate == nil)
  }

  @Test func me() {
    let facts = Mapped(
      #"<Me HKCharacteristicTypeIdentifierDateOfBirth="1980-01-02" HKCharacteristicTypeIdentifierBloodType="HKBloodTypeNotSet"/>"#
    ).facts
    #expect(
      facts.me == [
        "HKCharacteristicTypeIdentifierDateOfBirth": "1980-01-02",
        "HKCharacteristicTypeIdentifierBloodType": "HKBloodTypeNotSet",
      ])
  }

  @Test func newestCreationAndFutureDates() {
    let mapped = Mapped(
      record(#"sourceName="A" creationDate="2024-05-01 13:00:00 +0200""#),
      record(#"sourceName="A" creationDate="2024-05-03 13:00:00 +0200""#),
      record(#"sourceName="A" creationDate="2024-04-01 13:00:00 +0200""#), record(#"sourceName="A" creationDate="x""#))
    #expect(mapped.facts.newestCreation == Instant(seconds: 1_714_734_000))
    #expect(mapped.problem(.dateInFuture) == [1, 2000])
    #expect(Mapped(record(#"sourceName="A""#)).facts.newestCreation == nil)
  }

  @Test func newestZoneIsThatOfTheLatestSample() {
    func zone(_ name: String) -> String { #"<MetadataEntry key="HKTimeZone" value="\#(name)"/>"# }
    let records = [
      record(#"sourceName="A""#, start: "2024-05-01 12:00:00 +0200", zone("Europe/Paris")),
      record(#"sourceName="A""#, start: "2024-05-03 12:00:00 +0200", zone("Asia/Tokyo")),
      record(#"sourceName="A""#, start: "2024-05-03 12:00:00 +0200", zone("Asia/Seoul")),
      record(#"sourceName="A""#, start: "2024-05-02 12:00:00 +0200", zone("Zulu")),
    ]
    for order in [records, records.reversed()] {
      #expect(Mapped(order).facts.newestZone?.name == "Asia/Tokyo")
      #expect(Mapped(order).facts.newestZone?.start == Instant(seconds: 1_714_730_400))
    }
  }

  @Test func sourcesAreCountedWithTheirDevices() throws {
    func device(_ address: String, _ rest: String) -> String { #"device="&lt;&lt;HKDevice: \#(address)>, \#(rest)>""# }
    let watch =
      "name:Tom, model: Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch7,2, software:10.1, creation date:2025-05-14 22:06:53 +0000"
    var records: [String] = []
    for i in 0..<20 {
      records.append(
        record(
          #"sourceName="W\#u{A0}1" sourceVersion="10.\#(i / 10)" \#(device("0x28a\(i)f", watch))"#,
          start: "2024-05-\(11 + i) 12:00:00 +0200"))
      records.append(record(#"sourceName="Strava" \#(device("0x1", "name:iPhone, hardware:iPhone14,5"))"#))
      records.append(record(#"sourceName="Strava" \#(device("0x2", "name:Band, model:WatchBP, hardware:W1"))"#))
    }
    let mapped = Mapped(records)
    func facts(_ name: String) throws -> SourceFacts { try #require(mapped.facts.sources[mapped.symbols.intern(name)]) }
    let (first, second) = (try facts("W 1"), try facts("Strava"))
    #expect(first.sampleCount == 20 && first.hasWatchDevice && !first.hasPhoneDevice)
    // A name may look like anything; the last mark of a field that was met before does not count.
    #expect(first.deviceNames == ["Tom"] && first.hardware == ["Watch7,2"] && first.versions == ["10.0", "10.1"])
    #expect(first.firstSample == Instant(seconds: 1_715_421_600) && first.lastSample == Instant(seconds: 1_717_063_200))
    #expect(second.sampleCount == 40 && second.hasPhoneDevice && !second.hasWatchDevice)
    #expect(second.deviceNames == ["iPhone", "Band"] && second.models == ["WatchBP"] && second.versions.isEmpty)
    for source in mapped.facts.sources.values {
      #expect(source.deviceNames.union(source.models).union(source.hardware).allSatisfy { !$0.contains("0x") })
    }
  }

  @Test(
    arguments: [
      ("name:Apple Watch, manufacturer:Apple, model:Watch, hardware:Watch3,3, software:4.1", true, false),
      ("name:iPhone, manufacturer:Apple Inc., model:iPhone, hardware:iPhone14,5, software:17.1", false, true),
      ("name:Apple Watch, model:Apple Watch", true, false), ("name:Apple Watch, manufacturer:Apple", false, false),
      ("name:Scale, manufacturer:Withings, model:iPhoneScale", false, false), ("", false, false),
    ])
  func devicesAreWatchesOrPhones(device: String, isWatch: Bool, isPhone: Bool) {
    let mapped = Mapped(record(#"sourceName="A" device="&lt;&lt;HKDevice: 0x28a>, \#(device)>""#))
    let facts = mapped.facts.sources[mapped.symbols.intern("A")]
    #expect(facts?.hasWatchDevice == isWatch && facts?.hasPhoneDevice == isPhone)
  }

  @Test func manyDevicesAreForgottenNotKept() throws {
    let symbols = SymbolTable()
    var mapper = RowMapper(symbols: symbols, userByteCount: 0)
    var buffer = SampleBuffer()
    let padding = String(repeating: "x", count: 5000)
    for i in 0..<500 {
      mapper.map(
        ExportElement(
          record(#"sourceName="A" device="&lt;&lt;HKDevice: 0x1>, name:N\#(i % 3), localIdentifier:\#(i)\#(padding)>""#)
        ),
        into: &buffer)
    }
    #expect(try #require(mapper.facts.sources[symbols.intern("A")]).deviceNames == ["N0", "N1", "N2"])
    #expect(buffer.recordCount == 500)
  }

  /// Two workers that share the elements know together what one knows alone.
  @Test func mergedFactsAreTheFactsOfOne() {
    let elements = [
      #"<ExportDate value="2024-06-01 09:30:00 -0430"/>"#,
      record(
        #"sourceName="A" sourceVersion="1" creationDate="2024-05-01 13:00:00 +0200""#,
        #"<MetadataEntry key="HKTimeZone" value="Europe/Paris"/>"#),
      record(#"sourceName="A" sourceVersion="2""#), record(#"sourceName="B""#), "<Record/>", "<Odd/>",
      #"<Record type="HKCategoryTypeIdentifierHeadache" sourceName="A" value="x" startDate="2024-05-01 12:00:00 +0200"/>"#,
    ]
    let symbols = SymbolTable()
    var mappers = [RowMapper(symbols: symbols, userByteCount: 0), RowMapper(symbols: symbols, userByteCount: 0)]
    var alone = RowMapper(symbols: symbols, userByteCount: 0)
    var buffer = SampleBuffer()
    for (i, xml) in elements.enumerated() {
      mappers[i % 2].map(ExportElement(xml, inputOffset: Int64(i)), into: &buffer)
      alone.map(ExportElement(xml, inputOffset: Int64(i)), into: &buffer)
    }
    var merged = mappers[0].facts
    merged.merge(mappers[1].facts)
    let facts = alone.facts
    #expect(merged.sources == facts.sources && merged.units == facts.units && merged.problems == facts.problems)
    #expect(merged.samplesRead == facts.samplesRead && merged.samplesRejected == facts.samplesRejected)
    #expect(merged.unknownNames == facts.unknownNames && merged.newestZone?.name == facts.newestZone?.name)
    #expect(merged.exportDate == facts.exportDate && merged.newestCreation == facts.newestCreation)
    #expect(merged.categoryNames == facts.categoryNames)
  }
}
