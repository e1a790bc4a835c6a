import HealthModel
import RowMapping
import Testing

@Suite struct CorrelationMappingTests {
  private let times =
    #"sourceName="App" startDate="2024-05-01 12:00:00 +0200" endDate="2024-05-01 12:00:01 +0200""#

  @Test func correlationListsItsMembers() throws {
    func member(_ type: String, _ rest: String) -> String {
      #"<Record type="HKQuantityTypeIdentifier\#(type)" \#(times) \#(rest)/>"#
    }
    let diastolic = member("BloodPressureDiastolic", #"unit="kPa" value="10.6658""#)
    let systolic = member("BloodPressureSystolic", #"unit="mmHg" value="120""#)
    func correlation(_ members: String) -> String {
      #"<Correlation type="HKCorrelationTypeIdentifierBloodPressure" \#(times)><MetadataEntry key="members" value="2"/>\#(members)</Correlation>"#
    }
    let mapped = Mapped(correlation(systolic + diastolic))
    let row = try #require(mapped.rows("HKCorrelationTypeIdentifierBloodPressure").first)
    let kilopascals = try #require(mapped.rows("HKQuantityTypeIdentifierBloodPressureDiastolic").first?.value)
    #expect(abs(kilopascals - 80) < 0.001)
    #expect(row.value == nil && row.unit == "" && row.flags == [.hasEnd])
    #expect(
      row.json == #"{"entry:members":"2","members":["#
        + #"{"metric_type":"HKQuantityTypeIdentifierBloodPressureDiastolic","started_at":"2024-05-01T10:00:00Z","unit":"mmHg","value":\#(kilopascals)},"#
        + #"{"metric_type":"HKQuantityTypeIdentifierBloodPressureSystolic","started_at":"2024-05-01T10:00:00Z","unit":"mmHg","value":120}]}"#
    )
    #expect(mapped.rows.filter { $0.flags.contains(.isCopy) }.count == 2 && mapped.facts.samplesRead == 3)
    // HealthKit keeps members in a set: their order in the file means nothing.
    #expect(
      Mapped(correlation(diastolic + systolic)).rows("HKCorrelationTypeIdentifierBloodPressure")[0].json == row.json)
  }

  @Test func membersOfARejectedCorrelationAreKept() {
    let mapped = Mapped(
      #"<Correlation type="HKCorrelationTypeIdentifierFood"><Record type="HKQuantityTypeIdentifierDietaryProtein" \#(times) unit="g" value="5"/><Record type="HKQuantityTypeIdentifierDietaryProtein" unit="g" value="5"/></Correlation>"#
    )
    #expect(mapped.rows.count == 1 && mapped.facts.samplesRead == 3 && mapped.facts.samplesRejected == 2)
  }
}
