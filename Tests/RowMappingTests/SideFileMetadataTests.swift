import HealthModel
import RowMapping
import Testing

@Suite struct SideFileMetadataTests {
  @Test(
    arguments: [
      (#"{"file":"/workout-routes/a.gpx"}"#, "/workout-routes/a.gpx"),
      (
        #"{"a":{"file":"no"},"b":["file",{"file":"no"}],"file":"x \"y\" \\ \t\n\r\u001fé","g":1}"#,
        "x \"y\" \\ \t\n\r\u{1F}é"
      ),
      (#"{"a":"file"}"#, nil), ("", nil), ("{}", nil),
    ] as [(String, String?)])
  func findsTheFile(json: String, path: String?) {
    let bytes = Array(json.utf8)
    #expect(SideFileMetadata.path(in: bytes.span) == path)
  }

  @Test func addsWhatARouteMeasures() {
    var measure = RouteMeasure(start: Instant(seconds: 0), end: Instant(seconds: 10))
    measure.add(RoutePoint(recordedAt: Instant(seconds: 1), longitude: 8.5, latitude: 50.25))
    var record = SampleRecord(start: Instant(seconds: 0), end: Instant(seconds: 10))
    var metadata = Array(#"{"A":"x,y","file":"/r.gpx","z":[1,{"a":"}"}]}"#.utf8)
    SideFileMetadata.addRoute(measure, to: &record, metadata: &metadata)
    #expect(record.numericValue == 1)
    #expect(
      String(decoding: metadata, as: UTF8.self)
        == #"{"A":"x,y","bounds":[8.5,50.25,8.5,50.25],"distance_meters":0,"file":"/r.gpx","z":[1,{"a":"}"}]}"#)
  }

  @Test func aDigestNamesThePoints() {
    var record = SampleRecord(start: Instant(seconds: 0), end: Instant(seconds: 10))
    var metadata = Array(#"{"file":"/r.gpx"}"#.utf8)
    SideFileMetadata.addRoute(
      RouteMeasure(start: record.start, end: record.end), digest: "ab12", to: &record, metadata: &metadata)
    #expect(String(decoding: metadata, as: UTF8.self) == #"{"file":"/r.gpx","file_digest":"ab12"}"#)
  }

  @Test func pointsHaveOneForm() {
    var point = RoutePoint(recordedAt: Instant(seconds: 1), longitude: -0.5, latitude: 2)
    point.elevation = 3
    let bytes = InlinePoints.bytes(of: [point])
    #expect(bytes.count == 64 && bytes[..<8].elementsEqual([0, 0, 0, 0, 0, 0x0F, 0x42, 0x40]))
    #expect(bytes[8..<16].elementsEqual([0xBF, 0xE0, 0, 0, 0, 0, 0, 0]))
    #expect(bytes[32...].allSatisfy { $0 == 0xFF })
    #expect(InlinePoints.bytes(of: [point, point]) == bytes + bytes)
    #expect(SideFileMetadata.inlinePoints(in: [UInt8]().span).isEmpty)
  }

  @Test func routeWithoutPointsInsideIsZero() {
    var record = SampleRecord(start: Instant(seconds: 0), end: Instant(seconds: 10))
    var metadata: [UInt8] = []
    SideFileMetadata.addRoute(
      RouteMeasure(start: record.start, end: record.end), to: &record, metadata: &metadata)
    #expect(record.numericValue == 0 && metadata.isEmpty)
  }

  @Test func resourceTakesTheFilesPlace() {
    var metadata = Array(#"{"fhir_version":"4.0.1","file":"/clinical-records/a.json","identifier":"i"}"#.utf8)
    SideFileMetadata.addResource(json: Array(#"{ "id" : "1" }"#.utf8), to: &metadata)
    #expect(
      String(decoding: metadata, as: UTF8.self)
        == #"{"fhir_version":"4.0.1","identifier":"i","resource":{ "id" : "1" }}"#)
    var broken = Array(#"{"file":"/clinical-records/a.json"}"#.utf8)
    #expect(SideFileMetadata.addResource(text: Array("{\0".utf8), to: &broken) == 1)
    #expect(String(decoding: broken, as: UTF8.self) == "{\"resource\":\"{\u{FFFD}\"}")
  }
}
