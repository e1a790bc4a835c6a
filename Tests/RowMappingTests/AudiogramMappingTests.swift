import HealthModel
import RowMapping
import Testing

@Suite struct AudiogramMappingTests {
  private let times =
    #"sourceName="App" startDate="2024-05-01 12:00:00 +0200" endDate="2024-05-01 12:00:01 +0200""#

  @Test func audiogramHasItsPoints() {
    let mapped = Mapped(
      #"<Audiogram type="HKDataTypeIdentifierAudiogram" \#(times)><MetadataEntry key="points" value="2"/>"#
        + #"<SensitivityPoint frequencyValue="250" frequencyUnit="Hz" leftEarValue="10.5" leftEarUnit="dBHL" rightEarValue="-5" rightEarUnit="dBHL" leftEarMasked="NO" leftEarClampingRangeLowerBound="-10"/>"#
        + #"<SensitivityPoint frequencyValue="1000" frequencyUnit="Hz" leftEarValue="3" leftEarUnit="odd"/></Audiogram>"#
    )
    #expect(
      mapped.row.json == #"{"entry:points":"2","points":["#
        + #"{"frequency_hz":250,"leftEarClampingRangeLowerBound":-10,"leftEarMasked":"NO","left_ear_dbhl":10.5,"right_ear_dbhl":-5},"#
        + #"{"frequency_hz":1000,"leftEarUnit":"odd","leftEarValue":3}]}"#)
    #expect(mapped.row.value == nil && mapped.row.unit == "" && mapped.row.end == "2024-05-01T10:00:01Z")
    #expect(Mapped(#"<Audiogram \#(times)/>"#).row.type == "HKDataTypeIdentifierAudiogram")
  }
}
