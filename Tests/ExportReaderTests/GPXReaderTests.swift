import HealthModel
import Testing

@testable import ExportReader

@Suite struct GPXReaderTests {
  static func gpx(_ points: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="Apple Health Export" xmlns="http://www.topografix.com/GPX/1/1">
      <metadata><time>2024-12-26T15:00:00Z</time></metadata>
      <trk><name>Route 2024-12-26 2:54pm</name><trkseg>\(points)</trkseg></trk>
    </gpx>

    """
  }

  static let two = """
    <trkpt lon="4.875000" lat="45.750000"><ele>170.500000</ele><time>2024-12-26T13:54:28Z</time>\
    <extensions><speed>2.500000</speed><course>359.5</course><hAcc>1.8</hAcc><vAcc>1.5</vAcc></extensions></trkpt>
    <trkpt lat="-45.75" lon="-4.875"><time> 2024-12-26T13:54:29Z
    </time><extensions><speed>-1.000000</speed><course>-1</course></extensions></trkpt>
    """

  @Test func readsPointsWithAllTheirValues() throws {
    let track = try GPXReader.read(Array(Self.gpx(Self.two).utf8))
    // date -u -d 2024-12-26T13:54:28Z +%s
    var first = RoutePoint(recordedAt: Instant(seconds: 1_735_221_268), longitude: 4.875, latitude: 45.75)
    first.elevation = 170.5
    first.speed = 2.5
    first.course = 359.5
    first.horizontalAccuracy = 1.8
    first.verticalAccuracy = 1.5
    let second = RoutePoint(recordedAt: Instant(seconds: 1_735_221_269), longitude: -4.875, latitude: -45.75)
    #expect(track.points == [first, second])
    #expect(track.leftOutPointCount == 0)
  }

  @Test func pointsWithoutTimeOrPlaceAreLeftOutAndCounted() throws {
    let text = Self.gpx(
      """
      <trkpt lon="1" lat="2"/><trkpt lon="1" lat="2"><time>yesterday</time></trkpt>
      <trkpt lon="1"><time>2024-12-26T13:54:28Z</time></trkpt><trkpt lon="1" lat="91"><time>2024-12-26T13:54:28Z</time></trkpt>
      </trkseg><trkseg>\(Self.two)
      """)
    let track = try GPXReader.read(Array(text.utf8))
    #expect(track.points.count == 2)
    #expect(track.leftOutPointCount == 4)
  }

  @Test func aLongFileIsReadInPieces() throws {
    let text = Self.gpx(String(repeating: Self.two, count: 3000))
    let track = try GPXReader.read(Array(text.utf8))
    #expect(track.points.count == 6000)
    #expect(track.points[5998].elevation == 170.5)
    #expect(track.points[5999].elevation == nil)
  }

  @Test func whatIsTornOrNoRouteIsAnError() throws {
    let whole = Array(Self.gpx(Self.two).utf8)
    let end = whole.lastIndex(of: UInt8(ascii: ">"))!
    for length in 0...end {
      #expect(throws: SideFileError.self) { try GPXReader.read(Array(whole[..<length])) }
    }
    #expect(throws: SideFileError.notGPX(root: "kml")) { try GPXReader.read(Array("<kml><trkpt/></kml>".utf8)) }
    #expect(throws: SideFileError.notGPX(root: "trkpt")) { try GPXReader.read(Array("<trkpt/>".utf8)) }
    let entities = "<!DOCTYPE gpx [<!ENTITY a \"aaaa\">]><gpx>&a;</gpx>"
    let error = #expect(throws: SideFileError.self) { try GPXReader.read(Array(entities.utf8)) }
    guard case .malformedXML(_, code: -1) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
