import HealthModel
import RowMapping
import Testing

private func workout(_ children: String) -> String {
  #"<Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="Watch" duration="60" durationUnit="min" "#
    + #"startDate="2024-05-01 12:00:00 +0200" endDate="2024-05-01 13:00:00 +0200">\#(children)</Workout>"#
}

@Suite struct RouteMappingTests {
  @Test func routeWithFileWaitsForItsPoints() throws {
    let mapped = Mapped(
      workout(
        #"<WorkoutRoute sourceName="Runner" startDate="2024-05-01 12:01:00 +0200" endDate="2024-05-01 12:59:00 +0200">"#
          + #"<MetadataEntry key="HKMetadataKeySyncVersion" value="2"/><MetadataEntry key="bounds" value="x"/>"#
          + #"<FileReference path="/workout-routes/r.gpx"/></WorkoutRoute>"#))
    let row = try #require(mapped.rows("HKWorkoutRouteTypeIdentifier").first)
    #expect(row.value == nil && row.unit == "count" && row.source == "Runner")
    #expect(row.start == "2024-05-01T10:01:00Z" && row.end == "2024-05-01T10:59:00Z")
    #expect(row.json == #"{"HKMetadataKeySyncVersion":2,"entry:bounds":"x","file":"/workout-routes/r.gpx"}"#)
    #expect(row.flags.contains(.hasSideFile) && mapped.facts.samplesRead == 2)
  }

  @Test func routeWithoutDatesOrSourceTakesItsWorkouts() throws {
    let mapped = Mapped(workout(#"<WorkoutRoute><FileReference path="workout-routes/r.gpx"/></WorkoutRoute>"#))
    let row = try #require(mapped.rows("HKWorkoutRouteTypeIdentifier").first)
    #expect(row.start == "2024-05-01T10:00:00Z" && row.end == "2024-05-01T11:00:00Z" && row.source == "Watch")
    let workoutRow = mapped.rows("HKWorkoutTypeIdentifier")[0]
    #expect(
      workoutRow.json.contains(
        #""routes":[{"ended_at":"2024-05-01T11:00:00Z","file":"workout-routes/r.gpx","started_at":"2024-05-01T10:00:00Z"}]"#
      ))
  }

  /// The phone names it by its clock, so another zone's export names it otherwise.
  @Test func theFileDoesNotNameARouteButItsIdentifierDoes() {
    func naming(_ children: String) -> UInt64 {
      Mapped(workout("<WorkoutRoute>\(children)</WorkoutRoute>")).rows("HKWorkoutRouteTypeIdentifier")[0].naming
    }
    let file = #"<FileReference path="/workout-routes/a.gpx"/>"#
    let identifier = #"<MetadataEntry key="HKMetadataKeySyncIdentifier" value="A"/>"#
    #expect(naming(file) == 0 && naming("") == 0)
    #expect(naming(identifier) != 0 && naming(identifier) == naming(identifier + file))
    #expect(naming(identifier) != naming(identifier.replacing("\"A\"", with: "\"B\"")))
  }

  @Test func routeOutsideAWorkoutNeedsItsStart() {
    let mapped = Mapped(
      #"<WorkoutRoute sourceName="W"/>"#, #"<WorkoutRoute sourceName="W" startDate="x"/>"#,
      #"<WorkoutRoute sourceName="W" startDate="2024-05-01 12:00:00 +0200"/>"#)
    #expect(mapped.rows.count == 1 && mapped.row.end == mapped.row.start && mapped.row.json == "")
    #expect(mapped.rejections.map(\.kind) == [.rejectedNoStart, .rejectedUnreadableStart])
  }

  /// iOS 12 wrote the points into the export. One degree of latitude is 111,195.08 m on the mean sphere.
  @Test func inlinePointsAreMeasured() throws {
    func location(_ time: String, _ latitude: String, _ longitude: String, _ speed: String = "3.5") -> String {
      #"<Location date="2019-05-01 \#(time) +0200" latitude="\#(latitude)" longitude="\#(longitude)" altitude="10.5" horizontalAccuracy="5" verticalAccuracy="4" course="-1" speed="\#(speed)"/>"#
    }
    let xml =
      #"<WorkoutRoute sourceName="W" startDate="2019-05-01 12:00:00 +0200" endDate="2019-05-01 12:10:00 +0200">"#
      + location("11:59:59", "0", "0") + location("12:00:00", "50", "8") + location("12:05:00", "51", "8", "-1")
      + location("12:10:00", "51", "8") + location("12:10:01", "0", "0")
      + #"<Location latitude="1" longitude="1"/></WorkoutRoute>"#
    let mapped = Mapped(xml)
    #expect(mapped.row.value == 3 && mapped.row.unit == "count" && mapped.row.flags.contains(.hasInlinePoints))
    #expect(mapped.problem(.pointWithoutTime) == [1, 0])
    var metadata = Array(mapped.row.json.utf8)
    let points = SideFileMetadata.inlinePoints(in: metadata.span)
    #expect(points.count == 5)
    #expect(points[1].elevation == 10.5 && points[1].speed == 3.5 && points[1].course == nil && points[2].speed == nil)
    #expect(points[0].recordedAt?.iso8601 == "2019-05-01T09:59:59Z" && points[2].latitude == 51)
    SideFileMetadata.replaceInlinePoints(byDigest: "0a", in: &metadata)
    #expect(
      String(decoding: metadata, as: UTF8.self)
        == #"{"bounds":[8,50,8,51],"distance_meters":111195.08,"file_digest":"0a"}"#)
  }
}
