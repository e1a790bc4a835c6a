import HealthModel
import RowMapping
import Testing

@Suite struct RouteMeasureTests {
  private func point(_ seconds: Int64?, _ longitude: Double, _ latitude: Double) -> RoutePoint {
    RoutePoint(recordedAt: seconds.map { Instant(seconds: $0) }, longitude: longitude, latitude: latitude)
  }

  @Test func countsPointsInsideTheIntervalWithBothEnds() {
    var measure = RouteMeasure(start: Instant(seconds: 100), end: Instant(seconds: 200))
    for seconds in [99, 100, 150, 200, 201, nil] as [Int64?] { measure.add(point(seconds, 8, 50)) }
    #expect(measure.pointCount == 3 && measure.distanceMeters == 0)
  }

  /// Quarter of the equator, and across the 180th meridian.
  @Test func distancesFollowTheSphere() throws {
    var measure = RouteMeasure(start: Instant(seconds: 0), end: Instant(seconds: 9))
    measure.add(point(0, 0, 0))
    measure.add(point(1, 90, 0))
    #expect(abs(measure.distanceMeters - 6_371_008.8 * .pi / 2) < 1e-6)
    var short = RouteMeasure(start: Instant(seconds: 0), end: Instant(seconds: 9))
    short.add(point(0, 179.999, 0))
    short.add(point(1, -179.999, 0))
    #expect(abs(short.distanceMeters - 222.39) < 0.01)
    let bounds = try #require(short.bounds)
    #expect(bounds.minimumLongitude == -179.999 && bounds.maximumLongitude == 179.999)
  }
}
